"""An agent of the earlier landed version, with running and queued jobs, is upgraded by this service, and nothing is lost."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Cluster
from support.http import Client
from support.landed import landed_agent, start_landed_service, unpack, wait_for_states
from support.service import start_service
from support.waiting import wait_for

LOCAL_JOBS = 2 * (os.cpu_count() or 1)
PROGRAM = """\
echo "$DIAMOND_TASK" >>{executions}
echo '{{"step": 1, "loss": 0.5}}' >>"$DIAMOND_METRICS"
echo begun
until [ -e {go} ]; do sleep 0.1; done
echo ended
"""


@pytest.mark.slow
def test_jobs_on_this_machine_outlive_the_upgrade(tmp_path: Path) -> None:
    upgrade_in_place(tmp_path, "local", os.environ, jobs=LOCAL_JOBS, resources={"cpus_per_task": 1})


@pytest.mark.slow
def test_jobs_in_slurm_outlive_the_upgrade(cluster: Cluster, tmp_path: Path) -> None:
    whole = {"cpus_per_task": cluster.shape.cpus}
    jobs = cluster.shape.nodes + 2
    upgrade_in_place(tmp_path, "slurm", cluster.command_env(None), jobs=jobs, resources=whole)


def upgrade_in_place(
    folder: Path,
    scheduler: str,
    env: Mapping[str, str],
    *,
    jobs: int,
    resources: Mapping[str, Any],
) -> None:
    executions, go = folder / "executions", folder / "go"
    run = PROGRAM.format(executions=executions, go=go)
    spec = {"name": "old", "run": run, "on": "site", "resources": {**resources, "walltime": "10m"}}
    service = start_landed_service(unpack(folder / "landed"), folder / "home")
    with landed_agent(service.client, "site", folder / "agent", scheduler=scheduler, env=env):
        try:
            tasks = [submit(service.client, spec) for _ in range(jobs)]
            wait_for(lambda: both(states(service.client, tasks)), what="running and queued jobs")
            service.stop()
            service = start_service(folder / "home", port=service.port)
            wait_for(lambda: "too old" in outdated(service.client), what="the agent's hello")
            assert "diamond endpoint upgrade site" in outdated(service.client)
            new = submit(service.client, {**spec, "name": "new"})
            service.client.post("/endpoints/site/upgrade")
            wait_for(lambda: not outdated(service.client), what="the upgraded agent")
            go.touch()
            wait_for_states(service.client, dict.fromkeys([*tasks, new], "succeeded"))
            assert Counter(executions.read_text().split()) == Counter([*tasks, new])
            assert executions.read_text().split()[-1] == new
            wait_for(
                lambda: all(is_whole(service.client, task) for task in tasks), what="all of it"
            )
        finally:
            go.touch()
            service.stop()


def submit(client: Client, spec: Mapping[str, Any]) -> str:
    return str(client.post("/jobs", {"spec": spec})["tasks"][0]["id"])


def states(client: Client, tasks: list[str]) -> Counter[str]:
    return Counter(client.get(f"/tasks/{task}")["state"] for task in tasks)


def both(seen: Counter[str]) -> bool:
    return bool(seen["running"] and seen["pending"] and not seen["preparing"])


def outdated(client: Client) -> str:
    return str(client.get("/endpoints/site")["outdated"])


def is_whole(client: Client, task: str) -> bool:
    """Its exit, its whole log and its curve."""
    log = client.call("GET", f"/tasks/{task}/logs/stdout/download").body.decode()
    curves = client.call("GET", f"/tasks/{task}/metrics.csv").body.decode()
    assert client.get(f"/tasks/{task}")["exit_code"] == 0
    return "begun" in log and "ended" in log and "loss" in curves
