"""What dies just when one attempt has ended and the next waits in the queue, on a real cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.chains import queue_ahead
from support.stack import Stack
from support.waiting import wait_for

STEPS = """\
n=$(cat steps 2>/dev/null || echo 0)
n=$((n + 1)); echo $n >steps
printf '{"step": %d, "time": 0}\\n' $n >>"$DIAMOND_METRICS"
until [ -e go$n ]; do sleep 0.05; done
[ $n -ge 2 ] || exit 75
"""
LATER: dict[str, Any] = {"options": {"slurm": {"begin": "now+25"}}}
"""Each attempt is in the queue for so long."""
CHAIN: dict[str, Any] = {"continue": {"on": ["exit-75", "wall-time", "node-lost"]}}
SECONDS = 120.0


def the_service(stack: Stack) -> Callable[[], object]:
    stack.kill_service()
    return stack.start_service


def the_agent(stack: Stack) -> Callable[[], object]:
    stack.kill_agent()
    return stack.start_agent


def the_controller(stack: Stack) -> Callable[[], object]:
    stack.cluster.break_controller("stop")
    return lambda: stack.cluster.break_controller("start")


@pytest.mark.slow
@pytest.mark.parametrize("dies", [the_service, the_agent])
def test_a_follow_up_in_the_queue_goes_on_while_something_is_away(
    stack: Stack, dies: Callable[[Stack], Callable[[], object]]
) -> None:
    """Killed before the end that it would have judged: the follow-up has run when it comes back."""
    task, first, follow_up = with_a_follow_up_in_the_queue(stack)
    come_back = dies(stack)
    go(stack, task, 1)
    wait_for((first / "runs/1/exit").exists, what="the end of the first program")
    assert not (follow_up / "arrived").exists()
    wait_for(lambda: steps(stack, task) == 2, SECONDS, what="the follow-up's program")
    come_back()
    ends_well(stack, task)


@pytest.mark.slow
@pytest.mark.parametrize("dies", [the_service, the_agent, the_controller])
def test_a_follow_up_goes_on_when_something_dies_between_an_end_and_its_start(
    stack: Stack, dies: Callable[[Stack], Callable[[], object]]
) -> None:
    task, first, follow_up = with_a_follow_up_in_the_queue(stack)
    go(stack, task, 1)
    wait_for((first / "over").exists, what="word on what follows from the end")
    come_back = dies(stack)
    assert not (follow_up / "arrived").exists()
    come_back()
    wait_for(lambda: steps(stack, task) == 2, SECONDS, what="the follow-up's program")
    ends_well(stack, task)


def with_a_follow_up_in_the_queue(stack: Stack) -> tuple[str, Path, Path]:
    """The task, and the folders of the attempt that runs and of the one that waits."""
    task = stack.submit(STEPS, **LATER, **CHAIN)
    stack.until(task, "running", seconds=SECONDS)
    first = stack.attempt_folder(task)
    queue_ahead(stack, task)
    follow_up = wait_for(lambda: stack.task(task)["chain"]["follow_up"], what="the follow-up")
    second = first.with_name(follow_up)
    wait_for((second / "native.json").exists, what="its job")
    return task, first, second


def ends_well(stack: Stack, task: str) -> None:
    go(stack, task, 2)
    ended = stack.until(task, "succeeded", seconds=SECONDS)
    assert [one["number"] for one in ended["attempts"]] == [1, 2]
    assert [one["reason"] for one in ended["attempts"]] == ["exit-code", ""]
    assert stack.executions(task) == 2


def steps(stack: Stack, task: str) -> int:
    try:
        return int((stack.run_dir(task) / "steps").read_text() or 0)
    except (OSError, ValueError):
        return 0


def go(stack: Stack, task: str, step: int) -> None:
    (stack.run_dir(task) / f"go{step}").touch()
