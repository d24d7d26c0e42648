"""What a chain used, beside what was foretold."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.core.order import Order, Resources, order_data
from diamond.service.chain_view import show_happened

HOUR = 3600.0


def attempt(number: int, **times: float | None) -> dict[str, Any]:
    nothing = {"arrived": None, "started": None, "ended": None}
    return {"number": number, "reason": "", **nothing, **times}


def happened(*attempts: dict[str, Any], ended: float | None = None) -> dict[str, Any]:
    row = {
        "prediction": {"attempts": 1}, "created": 0.0, "ended": ended, "as_of": 5 * HOUR,
        "state": "running" if ended is None else "succeeded", "chain": {},
        "order": order_data(Order("x", resources=Resources(nodes=2))), "attempts": list(attempts),
    }  # fmt: skip
    shown = show_happened(row)
    assert shown is not None
    return shown


def test_nodes_that_waited_for_their_turn_were_used() -> None:
    told = happened(
        attempt(1, started=0.0, ended=2 * HOUR),
        attempt(2, arrived=HOUR, started=2 * HOUR, ended=3 * HOUR),
        ended=3 * HOUR,
    )
    assert (told["attempts"], told["node_hours"]) == (2, pytest.approx(2 * (2 + 2)))


def test_nodes_that_were_given_back_were_used_and_are_no_attempt() -> None:
    told = happened(
        attempt(1, started=0.0, ended=2 * HOUR),
        attempt(2, arrived=HOUR, ended=1.5 * HOUR),
        ended=2 * HOUR,
    )
    assert (told["attempts"], told["node_hours"]) == (1, pytest.approx(2 * 2.5))


def test_what_has_not_ended_counts_so_far() -> None:
    told = happened(attempt(1, started=HOUR), attempt(2))
    assert (told["attempts"], told["has_ended"]) == (1, False)
    assert told["node_hours"] == pytest.approx(2 * 4)
