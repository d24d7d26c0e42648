"""The site puts jobs back in the queue, on a real cluster: the budget holds, with the service and the agent or without."""

from __future__ import annotations

from typing import Any

import pytest

from support.chains import queue_ahead
from support.stack import UNTIL_GO, Stack
from support.waiting import wait_for

WORKS = f"echo begun\n{UNTIL_GO}"
ASKS = WORKS + '[ "$DIAMOND_ATTEMPT_NUMBER" -gt 1 ] || exit 75\n'
CHAIN: dict[str, Any] = {"continue": {"on": ["exit-75", "exit-code", "node-lost"]}}
FIVE_MINUTES = {"resources": {"walltime": "5m", "memory": "100MB"}}
BARELY_ONE = {"budget": f"{5 / 60 + 1e-6} node-hours", **FIVE_MINUTES}
ALMOST_TWO = {"budget": f"{9.9 / 60} node-hours", **FIVE_MINUTES}


@pytest.mark.parametrize(
    "going_on", [{}, CHAIN, {"continue": {**CHAIN["continue"], "ahead": False}}]
)
def test_a_requeued_job_that_could_pass_the_budget_runs_no_more(
    stack: Stack, going_on: dict[str, Any]
) -> None:
    task = stack.submit(WORKS, **BARELY_ONE, **going_on)
    stack.until(task, "running")
    requeue(stack, task)
    ended = stack.until(task, "failed")
    assert (ended["reason"], ended["exit_code"]) == ("budget", 73)
    assert "its program was not started" in ended["message"]
    assert ended["chain"]["budget"]["spent"] <= ended["chain"]["budget"]["amount"]
    stack.check(task)
    resumed_with_more(stack, task)


def test_the_budget_holds_also_where_neither_service_nor_agent_is_there(stack: Stack) -> None:
    task = stack.submit(WORKS, **BARELY_ONE, **CHAIN)
    stack.until(task, "running")
    first, job = stack.attempt_folder(task), stack.native_id(task)
    stack.kill_agent()
    stack.kill_service()
    requeue(stack, task, job)
    wait_for((first / "runs" / "2" / "exit").exists, what="the second run, which starts nothing")
    stack.start_service()
    stack.start_agent()
    ended = stack.until(task, "failed")
    assert (ended["reason"], stack.executions(task)) == ("budget", 1)


def test_a_requeued_job_that_fits_runs_again(stack: Stack) -> None:
    task = stack.submit(WORKS, budget="1 node-hours", **FIVE_MINUTES)
    stack.until(task, "running")
    requeue(stack, task)
    wait_for(lambda: stack.executions(task) == 2, what="the second run")
    stack.go(task)
    stack.until(task, "succeeded")


def test_a_requeued_job_makes_way_for_a_follow_up_with_nodes_if_the_budget_does_not_hold_both(
    stack: Stack,
) -> None:
    """As it may be while the service, which would take the follow-up back, is away."""
    task = stack.submit(ASKS, **ALMOST_TWO, **CHAIN)
    stack.until(task, "running")
    first, job = stack.attempt_folder(task), stack.native_id(task)
    queue_ahead(stack, task, most_seconds=594)
    wait_for(lambda: list(first.parent.glob("*/arrived")), what="nodes of the follow-up")
    requeue(stack, task, job)
    wait_for(lambda: stack.executions(task) == 2, what="the follow-up's program")
    stack.go(task)
    ended = stack.until(task, "succeeded")
    assert [one["number"] for one in ended["attempts"]] == [1, 2]
    assert (first / "runs" / "2" / "exit").read_text().startswith("75 ")


def requeue(stack: Stack, task: str, job: str = "") -> None:
    job = job or stack.native_id(task)
    stack.slurm("scontrol", "update", f"jobid={job}", "requeue=1")
    stack.slurm("scontrol", "requeue", job)


def resumed_with_more(stack: Stack, task: str) -> None:
    refused = stack.client.call("POST", f"/tasks/{task}/resume", {})
    assert refused.status == 400
    more = stack.client.post(f"/tasks/{task}/resume", {"budget": "1 node-hours"})["id"]
    stack.until(more, "running")
    stack.go(more)
    stack.until(more, "succeeded")
