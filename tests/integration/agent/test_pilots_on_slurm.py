"""A pilot on two nodes of real Slurm, with Dask as its engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.agents import AgentProcess
from support.pilots import TestPilot, start_pilot
from support.sync_service import SyncService

TWO_NODES = {"nodes": 2, "cpus_per_task": 2, "walltime_minutes": 10}


@pytest.fixture
def agent(tmp_path: Path, service: SyncService, slurm_lab: Lab) -> Iterator[AgentProcess]:
    variables = slurm_lab.cluster("alpha").env()
    agent = AgentProcess(tmp_path, service, scheduler="slurm", variables=variables)
    agent.start()
    yield agent
    for task in list(service.tasks):
        service.cancel(task)
    agent.stop()


@pytest.fixture
def pilot(agent: AgentProcess, service: SyncService) -> TestPilot:
    return start_pilot(agent, service, engine="dask", resources=TWO_NODES)


def test_one_core_stages_run_beside_one_on_both_nodes(
    pilot: TestPilot, service: SyncService
) -> None:
    command = "echo $DIAMOND_PILOT_NODES; env >env.txt"
    small = [pilot.place(command, resources={"walltime_minutes": 5}) for _ in range(4)]
    wide = pilot.place(
        "echo rank $RANK of $WORLD_SIZE on $SLURMD_NODENAME",
        resources={"nodes": 2, "walltime_minutes": 5},
        launch={"kind": "per-rank"},
    )
    for task in [*small, wide]:
        assert service.until(task.id, "succeeded", seconds=120).exit_code == 0
    nodes = sorted(node.name for node in pilot.history.allocations[0].nodes)
    assert len(nodes) == 2
    shares = {each.id: each.shares for each in pilot.history.executions.values()}
    assert {share.node for share in shares[wide.attempt.id]} == set(nodes)
    lines = service.text(wide.id).splitlines()
    assert sorted(lines) == [f"[1] rank 1 of 2 on {nodes[1]}", f"rank 0 of 2 on {nodes[0]}"]
    environment = (pilot.agent.work / "tasks" / small[0].id / "run" / "env.txt").read_text()
    assert "VIRTUAL_ENV" not in environment
    assert "environments/" not in environment
    assert f"DIAMOND_PILOT_JOB_ID={pilot.task.id}.{small[0].attempt.id}\n" in environment


def test_the_cancel_of_a_stage_on_several_nodes_ends_no_other(
    pilot: TestPilot, service: SyncService
) -> None:
    wide = {
        "resources": {"nodes": 2, "walltime_minutes": 5},
        "launch": {"kind": "per-rank"},
    }
    one = pilot.place("sleep 300", **wide)
    other = pilot.place("until [ -e go ]; do sleep 0.2; done", **wide)
    for task in (one, other):
        service.until(task.id, "running", seconds=120)
    service.cancel(one.id)
    service.until(one.id, "cancelled", seconds=60)
    (pilot.agent.work / "tasks" / other.id / "run" / "go").touch()
    assert service.until(other.id, "succeeded", seconds=60).exit_code == 0
