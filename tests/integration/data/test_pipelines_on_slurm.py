"""A pipeline on real Slurm, with the agent, the service and a batch job killed in the middle: nothing finished is repeated."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.service import RunningService, start_service
from support.slurm import open_folder
from support.tree_scene import data_machine
from support.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
HOLD = "until [ -e {go} ]; do sleep 0.1; done"


def stages(folder: Path) -> dict[str, Any]:
    """One on a laptop, six on one core each, one on two nodes, and a report back on the laptop."""
    ran, go = folder / "ran", folder / "go"
    return {
        "prepare": {
            "on": "laptop",
            "run": "mkdir parts; for n in 1 2 3 4 5 6; do echo $n > parts/$n; done",
            "outputs": {"parts": "parts"},
        },
        "work": {
            "map": {"part": "prepare.parts"},
            "run": f"echo {{part}} >> {ran}; [ {{part}} -lt 4 ] || {HOLD.format(go=go)}; "
            "cp {prepare.parts}/{part} out; echo done >> " + str(folder) + "/done-{part}",
            "outputs": {"out": "out"},
        },
        "ranks": {
            "run": "mkdir -p out; hostname > out/$RANK",
            "launch": "per-rank",
            "needs": ["prepare"],
            "resources": {"nodes": 2},
            "outputs": {"out": "out"},
        },
        "report": {
            "on": "laptop",
            "run": "cat {work.out} > all; ls {ranks.out} >> all",
            "outputs": {"all": "all"},
        },
    }


def test_a_mixed_graph_survives_the_loss_of_its_parts(tmp_path: Path, slurm_lab: Lab) -> None:
    variables = slurm_lab.cluster("alpha").env()
    service = start_service(tmp_path / "home")
    try:
        with (
            open_folder() as folder,
            data_machine(service, "laptop", tmp_path / "laptop") as laptop,
            data_machine(service, "cluster", folder / "agent") as cluster,
        ):
            cluster.stop()
            cluster.scheduler, cluster.variables = "slurm", variables
            cluster.start()
            client = service.client
            wait_for(
                lambda: client.get("/endpoints/cluster")["profile"]["values"].get("partitions"), 60
            )
            resources = {"walltime": "5m", "memory": "100MB"}
            spec = {"name": "mixed", "on": "cluster", "resources": resources}
            made = client.post("/pipelines", {"spec": {**spec, "pipeline": stages(folder)}})

            def now() -> Any:
                return service.client.get(f"/pipelines/{made['id']}")

            def work() -> list[Any]:
                return next(one["steps"] for one in now()["stages"] if one["name"] == "work")

            wait_for(lambda: sum(one["state"] == "done" for one in work()) >= 3, 120)
            cluster.kill()
            cluster.start()
            service.kill()
            service.process = start_service(service.home, port=service.port).process
            wait_for(lambda: any(one["task_state"] == "running" for one in work()), 120)
            lost = next(one for one in work() if one["task_state"] == "running")
            cancel_in_slurm(service, lost["task"], variables)
            wait_for(lambda: work()[lost["n"]]["state"] in ("failed", "cancelled"), 120)
            (folder / "go").touch()
            over = wait_for(lambda: (found := now())["state"] != "running" and found, 120)
            assert over["state"] in ("failed", "cancelled"), over["message"]
            assert over["counts"]["stopped"] == 1
            client.post(f"/pipelines/{made['id']}/retry", {})
            whole = wait_for(lambda: (found := now())["state"] != "running" and found, 120)
            assert whole["state"] == "succeeded", whole["message"]
            report = whole["stages"][-1]["steps"][0]["task"]
            text = (laptop.work / "tasks" / report / "run" / "all").read_text()
            assert text == "1\n2\n3\n4\n5\n6\n0\n1\n"
            ran = Counter((folder / "ran").read_text().split())
            again = lost["item"]["part"]
            assert ran == {str(n): 2 if str(n) == again else 1 for n in range(1, 7)}
    finally:
        service.stop()


def cancel_in_slurm(service: RunningService, task: str, variables: dict[str, str]) -> None:
    """As somebody at the cluster would."""
    attempts = service.client.get(f"/tasks/{task}")["attempts"]
    words = ["scancel", attempts[-1]["native_id"]]
    subprocess.run(words, env={**os.environ, **variables}, check=True)
