"""A node on which ranks were killed twice, while the next attempt is in the queue already, or has that very node."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.chains import queue_ahead
from support.stack import Stack
from support.waiting import wait_for

PROGRAM = """\
n=$DIAMOND_ATTEMPT_NUMBER
echo "$SLURMD_NODENAME" >"place.$n.$RANK"
[ "$n" -lt 3 ] || exit 0
[ "$RANK" != 0 ] || printf '{"step": %d, "time": 0}\\n' "$n" >>"$DIAMOND_METRICS"
trap 'exit 1' TERM
until [ -e "go$n" ] && [ "$SLURMD_NODENAME" = "$(cat bad)" ]; do sleep 0.05; done
kill -9 $$
"""


@pytest.fixture
def two_nodes(stack: Stack) -> Iterator[Stack]:
    """The others are busy until the test calls that off."""
    words = ["--job-name=other-work", "--partition=batch", "--nodes=2", "--exclusive"]
    stack.slurm("sbatch", *words, "--output=/dev/null", "--wrap", "sleep 600")
    wait_for(lambda: nodes_of(stack, "other-work"), what="other work")
    yield stack
    free_the_others(stack)


@pytest.mark.parametrize("cpus", [8, 4], ids=["waits", "has-nodes"])
def test_a_node_that_failed_twice_is_not_used_by_the_attempt_that_was_queued_before(
    two_nodes: Stack, cpus: int
) -> None:
    """With 4 of a node's 8 cores the follow-up has its nodes at once, and gives them back."""
    stack = two_nodes
    task = begun(stack, cpus)
    first = places(stack, task, 1)
    bad = first[1]
    (stack.run_dir(task) / "bad").write_text(bad)
    fail(stack, task, 1)
    assert places(stack, task, 2) == first
    queue_ahead(stack, task)
    follow_up = wait_for(lambda: job_of(stack, task, 3), what="the follow-up")
    state = "PENDING" if cpus == 8 else "RUNNING"
    wait_for(lambda: about(stack, follow_up)["JobState"] == state, what=f"it is {state}")
    fail(stack, task, 2)
    if cpus == 8:
        wait_for(lambda: about(stack, follow_up)["ExcNodeList"] == bad, what="it is told")
        assert about(stack, follow_up)["JobState"] == "PENDING"
    else:
        wait_for(lambda: about(stack, follow_up)["JobState"] != "RUNNING", what="nodes given back")
    free_the_others(stack)
    ended = stack.until(task, "succeeded")
    number = max(one["number"] for one in ended["attempts"])
    used = places(stack, task, number)
    assert number == (3 if cpus == 8 else 4)
    assert bad not in used
    assert len(set(used)) == 2


def begun(stack: Stack, cpus: int) -> str:
    resources = {"nodes": 2, "cpus_per_task": cpus, "walltime": "10m", "memory": "500MB"}
    spec: dict[str, Any] = {
        "name": "chain",
        "run": PROGRAM,
        "on": stack.name,
        "launch": "per-rank",
        "resources": resources,
        "continue": {"on": ["exit-code"], "max_attempts": 9},
        "budget": "9 node-hours",
    }
    return str(stack.client.post("/jobs", {"spec": spec})["tasks"][0]["id"])


def places(stack: Stack, task: str, attempt: int) -> list[str]:
    """The nodes of both ranks, once they run."""
    files = [stack.run_dir(task) / f"place.{attempt}.{rank}" for rank in (0, 1)]
    wait_for(lambda: all(read(file) for file in files), what=f"attempt {attempt}")
    return [read(file).strip() for file in files]


def fail(stack: Stack, task: str, attempt: int) -> None:
    (stack.run_dir(task) / f"go{attempt}").touch()
    folder = folder_of(stack, task, attempt)
    assert folder is not None
    wait_for((folder / "runs/1/culprit.json").exists, what="who failed")


def folder_of(stack: Stack, task: str, number: int) -> Path | None:
    files = (stack.work / "tasks" / task / "attempts").glob("*/attempt.json")
    found = [file for file in files if json.loads(file.read_text())["number"] == number]
    return found[0].parent if found else None


def job_of(stack: Stack, task: str, number: int) -> str:
    folder = folder_of(stack, task, number)
    text = read(folder / "native.json") if folder else ""
    return str(json.loads(text)["native_id"]) if text else ""


def about(stack: Stack, job: str) -> dict[str, str]:
    """What Slurm says of a job."""
    words = stack.slurm("scontrol", "show", "job", job)
    return dict(re.findall(r"(\w+)=(\S*)", words))


def nodes_of(stack: Stack, name: str) -> str:
    return stack.slurm("squeue", "-h", "-t", "R", "-n", name, "-o", "%N")


def free_the_others(stack: Stack) -> None:
    stack.slurm("scancel", "--quiet", "--name=other-work", check=False)


def read(file: Path) -> str:
    try:
        return file.read_text()
    except FileNotFoundError:
        return ""
