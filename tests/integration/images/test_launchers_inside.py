"""torchrun and accelerate of an image, over two nodes of a real Slurm cluster, as an ordinary account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.containers import debian_with_python, skip_without
from support.image_machines import Machine, machine
from support.service import RunningService
from support.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]
MINUTES = 1800.0
"""Hundreds of megabytes are fetched and packed, and read again by each rank."""
TRAININGS = Path(__file__).parents[2] / "support" / "trainings"
FRAMEWORKS: dict[str, Any] = {
    "requirements": ["torch==2.13.0", "numpy", "accelerate==1.15.0"],
    "commands": ["touch /etc/made-here"],
    "runtime": "apptainer",
}
COMMAND = """\
cat >train$PET_NODE_RANK.py <<'END'
{program}
import os
print("hubs", os.environ.get("HF_HUB_OFFLINE"), os.path.exists("/etc/made-here"), flush=True)
END
{launcher} train$PET_NODE_RANK.py {options}
"""


@pytest.fixture(scope="module")
def cluster(service: RunningService, folder: Path, slurm_lab: Lab) -> Iterator[Machine]:
    """With an image `frameworks`, built there."""
    skip_without("apptainer")
    variables = slurm_lab.cluster("beta").env()
    own = {key: value for key, value in variables.items() if key.startswith("SLURM")}
    environment = {**FRAMEWORKS, "base": f"rootfs:{debian_with_python(folder)}"}
    wanted = {"name": "frameworks", "environment": environment, "account": "research"}
    with machine(service, "wide", "alice", folder, scheduler="slurm", variables=own) as made:
        answer = made.client.post("/images/builds", {**wanted, "endpoint": made.name})
        ended(made, answer["build"]["task"]["id"])
        made.correct(internet={"login": True, "compute": False})
        yield made


def ended(made: Machine, task: str) -> None:
    found = wait_for(lambda: made.final(task), MINUTES, what=f"the end of {task}")
    assert found["state"] == "succeeded", (found["message"], made.log())


@pytest.mark.parametrize(
    ("launcher", "program", "options", "tasks"),
    [
        ("torchrun", "ranks_ddp.py", "ddp", 2),
        ("accelerate launch", "ranks_accelerate.py", "", 1),
    ],
)
def test_its_ranks_start_inside_and_find_each_other_on_two_nodes(
    cluster: Machine, launcher: str, program: str, options: str, tasks: int
) -> None:
    text = (TRAININGS / program).read_text()
    resources = {"nodes": 2, "tasks_per_node": tasks, "walltime": "10m", "memory": "4GB"}
    command = COMMAND.format(program=text, launcher=launcher, options=options)
    task = cluster.run("frameworks", command, resources=resources, account="research")["id"]
    ended(cluster, task)
    ranks = 2 * tasks
    said = wait_for(lambda: answers(cluster, task, ranks), what="a line of each rank")
    assert len({line.split(": ")[1] for line in said}) == 1
    assert sum("hubs 1 True" in line for line in cluster.output(task).splitlines()) == ranks


def answers(cluster: Machine, task: str, ranks: int) -> list[str]:
    lines = [line for line in cluster.output(task).splitlines() if f" of {ranks}: " in line]
    return lines if len(lines) == ranks else []
