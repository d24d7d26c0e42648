"""What `diamond show` says of a chain."""

from __future__ import annotations

from typing import Any

from diamond.cli.chain_format import attempt_lines, chain_lines
from diamond.cli.task_status import next_step
from diamond.sdk.models import Task

CHAIN: dict[str, Any] = {
    "asks": False,
    "follow_up": "a3",
    "allowed_attempts": None,
    "stalled": 1,
    "node_hours": 23.9,
    "checkpoint": "ckpt/80.pt",
    "step": 80,
    "continues": "",
    "budget": {
        "amount": 200.0,
        "unit": "node-hours",
        "spent": 23.9,
        "committed": 24.0,
        "left": 152.1,
    },
}


def attempt(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"a{number}", "number": number, "native_id": str(40 + number), "runs": [], **more}


def test_attempts_stand_with_gap_step_and_checkpoint() -> None:
    second = attempt(
        2, started=9.0, ended=10.0, reason="wall-time", gap=2.0, step=80, checkpoint="ckpt/80.pt"
    )
    task = Task(attempts=[attempt(1), second, attempt(3)], chain=CHAIN)
    lines = attempt_lines(task, is_local=False)
    assert "batch job 42" in lines[1] and "after a gap of 2 s" in lines[1]
    assert lines[1].endswith("step 80  ckpt/80.pt")
    assert "queued ahead" in lines[2]


def test_the_budget_stands_with_what_is_left() -> None:
    lines = chain_lines(Task(attempts=[attempt(1)], chain=CHAIN))
    assert lines[0] == "reached step 80, checkpoint ckpt/80.pt"
    assert "used 23.9 of 200 node-hours" in lines[1] and "152.1 left" in lines[1]
    assert "made no progress" in lines[2]


def test_one_attempt_without_a_budget_is_no_chain() -> None:
    plain = Task(attempts=[attempt(1)], chain={**CHAIN, "budget": None})
    assert (attempt_lines(plain, is_local=True), chain_lines(plain)) == ([], [])


def test_a_task_that_asks_says_how_to_let_it_go_on() -> None:
    task = Task(id="t-1", state="pending", phase="asking", chain={**CHAIN, "asks": True})
    assert next_step(task).startswith("Continue it: diamond resume")


def test_what_a_chain_that_has_ended_will_not_do_is_not_told() -> None:
    over = Task(
        state="failed",
        reason="no-progress",
        attempts=[attempt(1), attempt(2)],
        chain={**CHAIN, "budget": None, "allowed_attempts": 4},
    )
    assert chain_lines(over)[1:] == ["used 23.9 node-hours"]


def test_a_time_limit_that_continue_did_not_name_says_how_to_go_on_and_how_to_have_it_done() -> (
    None
):
    order = {"resume": {"on": ["exit-75", "node-lost"]}}
    chain = {**CHAIN, "may_resume": True}
    task = Task(id="t-1", state="failed", reason="wall-time", chain=chain, raw={"order": order})
    assert next_step(task) == (
        "Continue from its checkpoint: diamond resume t-1. "
        "To continue automatically, put `continue: {on: [exit-75, node-lost, wall-time]}` in the spec"
    )
    nothing_saved = Task(id="t-1", state="failed", reason="wall-time", chain={"may_resume": True})
    assert next_step(nothing_saved) == (
        "Request more time (--time), or continue automatically with `continue: {on: [exit-75, wall-time]}` in the spec"
    )


def test_an_attempt_that_the_site_ran_twice_says_so() -> None:
    (line,) = attempt_lines(Task(attempts=[attempt(1, runs=[{}, {}])]), is_local=True)
    assert "in 2 runs, because the site requeued it" in line
