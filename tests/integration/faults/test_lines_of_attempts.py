"""Several attempts of one chain in the queue at once, where the spec lets them: in turn, out of turn, and called off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.chains import granted
from support.stack import Stack
from support.waiting import wait_for

STEPS = """\
n=$(cat steps 2>/dev/null || echo 0)
n=$((n + 1)); echo $n >steps
printf '{"step": %d, "time": 0}\\n' $n >>"$DIAMOND_METRICS"
until [ -e go$n ]; do sleep 0.05; done
[ $n -ge 2 ] || exit 75
"""
CHAIN: dict[str, Any] = {
    "continue": {"on": ["exit-75", "node-lost"]},
    "budget": "9 node-hours",
}
WHOLE = {"walltime": "5m", "memory": "100MB", "cpus_per_task": 8}


@pytest.fixture
def one_node(stack: Stack) -> Iterator[Stack]:
    """The others are busy, so that only one attempt can have nodes."""
    words = ["--job-name=other-work", "--partition=batch", "--nodes=3", "--exclusive"]
    stack.slurm("sbatch", *words, "--output=/dev/null", "--wrap", "sleep 600")
    wait_for(lambda: "R" in stack.slurm("squeue", "-h", "-n", "other-work", "-o", "%t"), what="it")
    yield stack
    stack.slurm("scancel", "--quiet", "--name=other-work", check=False)


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [3, "auto"])
def test_attempts_wait_in_a_line_and_go_away_when_the_work_is_done(
    one_node: Stack, ahead: int | str
) -> None:
    stack = one_node
    task = running_with_a_line(stack, ahead)
    assert stack.task(task)["chain"]["follow_up"] == folders(stack, task)[1].name
    assert len(stack.task(task)["attempts"]) == 2, "the service hears of the next one only"
    go(stack, task, 1)
    wait_for(lambda: stack.executions(task) == 2, what="the second attempt")
    third = folders(stack, task)[2].name
    wait_for(lambda: stack.task(task)["chain"]["follow_up"] == third, what="word of the third")
    go(stack, task, 2)
    ended = stack.until(task, "succeeded")
    wait_for(lambda: not waiting_jobs(stack, task), what="end of those that waited")
    assert [one["step"] for one in ended["attempts"]][:2] == [1, 2]
    assert stack.executions(task) == 2


@pytest.mark.slow
def test_a_later_attempt_that_gets_nodes_first_goes_on_and_the_earlier_never_runs(
    one_node: Stack,
) -> None:
    stack = one_node
    task = running_with_a_line(stack)
    stack.slurm("scontrol", "hold", native_id(folders(stack, task)[1]))
    go(stack, task, 1)
    wait_for(lambda: stack.executions(task) == 2, what="the third attempt's program")
    go(stack, task, 2)
    ended = stack.until(task, "succeeded")
    assert ended["attempt"] == folders(stack, task)[2].name
    assert [one["reason"] for one in ended["attempts"]][1] == "withdrawn"
    wait_for(lambda: not waiting_jobs(stack, task), what="end of those that waited")
    assert stack.executions(task) == 2


@pytest.mark.slow
def test_a_cancel_ends_also_those_that_the_service_has_not_heard_of(one_node: Stack) -> None:
    stack = one_node
    task = running_with_a_line(stack)
    stack.client.post(f"/tasks/{task}/cancel", {})
    stack.until(task, "cancelled")
    wait_for(lambda: not waiting_jobs(stack, task), what="end of those that waited")
    assert stack.executions(task) == 1


def running_with_a_line(stack: Stack, ahead: int | str = 3) -> str:
    """One attempt runs, three wait: as if the planner had found each of them due. Left to Diamond, the grant bounds them."""
    going_on = {**CHAIN["continue"], "ahead": ahead}
    task = stack.submit(STEPS, resources=WHOLE, **{**CHAIN, "continue": going_on})
    wait_for(lambda: granted(stack, task), what="word on how far the chain may go")
    grant = {
        "until": 20 if ahead == 3 else 4,
        "queue_after_seconds": 0,
        "hand_over_seconds": 60,
        "cushion_seconds": 1e9,
    }
    (stack.work / "tasks" / task / "chain.json").write_text(json.dumps(grant))
    wait_for(lambda: len(waiting_jobs(stack, task)) == 3, what="three that wait")
    return task


def waiting_jobs(stack: Stack, task: str) -> list[str]:
    ids = [native_id(one) for one in folders(stack, task)]
    told = stack.slurm("squeue", "-h", "-t", "PD", "-o", "%i").split()
    return [one for one in ids if one in told]


def folders(stack: Stack, task: str) -> list[Path]:
    """Of all attempts, by number."""
    files = (stack.work / "tasks" / task / "attempts").glob("*/attempt.json")
    return [file.parent for file in sorted(files, key=number)]


def number(file: Path) -> int:
    return int(json.loads(file.read_text())["number"])


def native_id(folder: Path) -> str:
    try:
        known: dict[str, Any] = json.loads((folder / "native.json").read_text())
    except FileNotFoundError:
        return ""
    return str(known["native_id"])


def go(stack: Stack, task: str, step: int) -> None:
    (stack.work / "tasks" / task / "run" / f"go{step}").touch()
