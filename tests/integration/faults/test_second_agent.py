"""A second agent for the same endpoint: the first stops, tasks go on, nothing runs twice."""

from __future__ import annotations

from support.stack import UNTIL_GO, Stack
from support.waiting import PATIENCE

STALE_EXIT = 3


def test_a_second_agent_takes_over_and_the_first_stops(stack: Stack) -> None:
    running = stack.submit(f"echo begun\n{UNTIL_GO}echo ended\n")
    stack.until(running, "running")
    first = stack.agent
    assert first is not None
    stack.sbatch.next("hold-before")
    submitting = stack.submit("echo once\n")
    stack.sbatch.wait_until_held()
    stack.start_agent()
    assert first.wait(PATIENCE) == STALE_EXIT
    stack.sbatch.release()
    stack.until(submitting, "succeeded")
    stack.go(running)
    stack.until(running, "succeeded")
    for task in (running, submitting):
        stack.check(task)
    assert "another agent of this endpoint has taken over" in stack.agent_log()


def test_an_agent_that_slept_through_a_takeover_does_nothing_when_it_wakes(stack: Stack) -> None:
    first = stack.agent
    assert first is not None
    stack.pause_agent()
    task = stack.submit(f"echo begun\n{UNTIL_GO}echo ended\n")
    stack.start_agent()
    stack.until(task, "running")
    first.send_signal(18)
    assert first.wait(PATIENCE) == STALE_EXIT
    stack.go(task)
    stack.until(task, "succeeded")
    stack.check(task)
