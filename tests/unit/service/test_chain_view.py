"""What a chain used, beside what was planned, and how it can continue."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.core.order import Order, Resources, order_data
from diamond.core.task import Reached
from diamond.service.chains.rows import AttemptRow, ChainRow
from diamond.service.chains.view import show_chain
from diamond.service.tasks.goal_schemas import FinishSpan, Goal, Happened, Prediction
from diamond.service.tasks.views import show_happened
from support.task_rows import task_row

HOUR = 3600.0
PREDICTION = Prediction(
    made=0.0,
    goal=Goal(steps=1),
    nodes=2,
    steps=1,
    step_seconds=1.0,
    measured=True,
    attempts=1,
    finish=FinishSpan(soonest=0.0, latest=1.0),
    node_hours=1.0,
    node_hours_at_most=1.0,
)


def attempt(number: int, **known: Any) -> AttemptRow:
    return AttemptRow(id=f"a{number}", number=number, **known)


def happened(*attempts: AttemptRow, ended: float | None = None) -> Happened:
    row = task_row(
        prediction=PREDICTION,
        ended=ended,
        as_of=5 * HOUR,
        state="running" if ended is None else "succeeded",
        order_json=order_data(Order("x", resources=Resources(nodes=2))),
        attempts=attempts,
    )
    shown = show_happened(row, row.as_of)
    assert shown is not None
    return shown


def test_nodes_that_waited_for_their_turn_were_used() -> None:
    shown = happened(
        attempt(1, started=0.0, ended=2 * HOUR),
        attempt(2, arrived=HOUR, started=2 * HOUR, ended=3 * HOUR),
        ended=3 * HOUR,
    )
    assert shown.attempts == 2 and shown.node_hours == pytest.approx(2 * (2 + 2))


def test_nodes_that_were_given_back_were_used_and_are_no_attempt() -> None:
    shown = happened(
        attempt(1, started=0.0, ended=2 * HOUR),
        attempt(2, arrived=HOUR, ended=1.5 * HOUR),
        ended=2 * HOUR,
    )
    assert shown.attempts == 1 and shown.node_hours == pytest.approx(2 * 2.5)


def test_what_has_not_ended_counts_so_far() -> None:
    shown = happened(attempt(1, started=HOUR), attempt(2))
    assert (shown.attempts, shown.has_ended) == (1, False)
    assert shown.node_hours == pytest.approx(2 * 4)


def how_it_continues(*, checkpoint: str = "7.pt", **row: Any) -> str:
    reached = Reached(checkpoint, modified=1.0) if checkpoint else Reached()
    ended = attempt(1, started=0.0, ended=HOUR, reached=reached)
    return show_chain(
        task_row(**{"state": "failed", "started": 0.0, "attempts": (ended,), **row})
    ).words


def test_a_chain_says_from_where_it_can_continue() -> None:
    asking = {"state": "pending", "phase": "asking"}
    assert how_it_continues(**asking) == "It can continue from 7.pt and waits for your approval."
    assert how_it_continues(**asking, checkpoint="").startswith(
        "It can continue from where it stopped"
    )
    assert how_it_continues(reason="budget").endswith(
        "as a new task: say how much more it may use."
    )
    assert how_it_continues(reason="continue-limit") == "It can continue from 7.pt as a new task."
    assert how_it_continues(chain=ChainRow(stalled=2)).startswith(
        "2 attempts in a row made no progress"
    )


def test_a_task_without_a_checkpoint_does_not_offer_to_continue() -> None:
    assert how_it_continues(checkpoint="") == ""
    assert (
        how_it_continues(state="succeeded")
        == how_it_continues(state="running")
        == how_it_continues(cleaned=9.0)
        == ""
    )
