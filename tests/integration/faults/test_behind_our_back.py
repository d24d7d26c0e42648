"""What others do to a job: cancelled, requeued, its node lost, its time or memory used up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from diamond.testing.lab.faults import NodeAction
from support.stack import UNTIL_GO, Stack
from support.waiting import wait_for

WAITS = f"echo begun\n{UNTIL_GO}echo ended\n"
AGAIN = "started again by the site (run 2)"


def test_a_job_cancelled_in_the_queue_is_told_as_the_sites_doing(stack: Stack) -> None:
    task = stack.submit("echo never\n", options={"slurm": {"begin": "now+1hour"}})
    stack.until(task, "queued", "held")
    stack.slurm("scancel", stack.native_id(task))
    ended = stack.until(task, "failed")
    assert (ended["reason"], ended["message"]) == ("by-site", "it was cancelled in Slurm")
    assert stack.executions(task) == 0


def test_a_running_job_cancelled_behind_our_back_is_told_as_the_sites_doing(stack: Stack) -> None:
    task = stack.submit(WAITS)
    stack.until(task, "running")
    stack.slurm("scancel", stack.native_id(task))
    ended = stack.until(task, "failed")
    assert (ended["reason"], ended["message"]) == ("by-site", "it was cancelled in Slurm")
    stack.check(task)


def test_a_job_that_may_not_be_requeued_runs_on(stack: Stack) -> None:
    task = stack.submit(WAITS)
    stack.until(task, "running")
    stack.slurm("scontrol", "requeue", stack.native_id(task), check=False)
    stack.go(task)
    stack.until(task, "succeeded")
    stack.check(task)


def test_a_requeued_job_is_a_second_run_of_the_same_attempt(stack: Stack) -> None:
    task = stack.submit(WAITS)
    stack.until(task, "running")
    job = stack.native_id(task)
    stack.slurm("scontrol", "update", f"jobid={job}", "requeue=1")
    stack.slurm("scontrol", "requeue", job)
    wait_for(lambda: stack.task(task)["message"] == AGAIN, what="word of the second run")
    stack.go(task)
    ended = stack.until(task, "succeeded")
    (attempt,) = ended["attempts"]
    assert [run["run"] for run in attempt["runs"]] == [1, 2]
    stack.check(task, executions=2)


def test_a_lost_node_ends_the_task_with_its_reason(stack: Stack) -> None:
    task = stack.submit(WAITS)
    with broken(stack, stack.until(task, "running")["node"], "fail"):
        ended = stack.until(task, "failed")
    assert (ended["reason"], ended["message"]) == ("node-lost", "a node failed")
    stack.check(task)


def test_a_lost_node_leads_to_the_next_attempt_where_that_was_asked_for(stack: Stack) -> None:
    resume = {"on": ["node-lost"], "max_attempts": 2}
    task = stack.submit(WAITS, **{"continue": resume})
    first = stack.until(task, "running")
    with broken(stack, first["node"], "fail"):
        wait_for(lambda: stack.executions(task) == 2, what="second attempt")
        stack.go(task)
        ended = stack.until(task, "succeeded")
    assert [one["reason"] for one in ended["attempts"]] == ["node-lost", ""]
    stack.check(task, executions=2)


@pytest.mark.slow
def test_a_hung_node_ends_the_task_once_slurm_gives_it_up(stack: Stack) -> None:
    """The program itself may go on there: what it does later changes nothing."""
    task = stack.submit(WAITS)
    with broken(stack, stack.until(task, "running")["node"], "hang", mend="resume"):
        ended = stack.until(task, "failed", seconds=120)
        assert (ended["reason"], ended["message"]) == ("node-lost", "a node failed")
        stack.go(task)
        exit_file = stack.attempt_folder(task) / "runs" / "1" / "exit"
        wait_for(exit_file.exists, what="late end")
    assert stack.task(task)["state"] == "failed"
    stack.check(task)


@pytest.mark.slow
def test_the_time_limit_is_told_as_such(stack: Stack) -> None:
    task = stack.submit(WAITS, resources={"walltime": "1m", "memory": "100MB"})
    ended = stack.until(task, "failed", seconds=150)
    assert ended["reason"] == "wall-time"
    assert "time" in ended["message"]
    stack.check(task)


@contextmanager
def broken(
    stack: Stack, node: str, how: NodeAction, *, mend: NodeAction = "start"
) -> Iterator[None]:
    stack.cluster.break_node(node, how)
    try:
        yield
    finally:
        stack.cluster.break_node(node, mend)
        wait_for(lambda: is_idle(stack, node), what=f"{node} that takes jobs")


def is_idle(stack: Stack, node: str) -> bool:
    return stack.slurm("sinfo", "-hN", f"--nodes={node}", "-o", "%T").startswith("idle")
