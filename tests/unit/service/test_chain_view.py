"""What a chain used, beside what was foretold, and how it could go on."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.core.order import Order, Resources, order_data
from diamond.service.chains.view import show_chain, show_happened

HOUR = 3600.0


def attempt(number: int, **times: float | None) -> dict[str, Any]:
    nothing = {"arrived": None, "started": None, "ended": None}
    return {"number": number, "reason": "", **nothing, **times}


def happened(*attempts: dict[str, Any], ended: float | None = None) -> dict[str, Any]:
    row = {
        "prediction": {"attempts": 1},
        "created": 0.0,
        "ended": ended,
        "as_of": 5 * HOUR,
        "state": "running" if ended is None else "succeeded",
        "chain": {},
        "order": order_data(Order("x", resources=Resources(nodes=2))),
        "attempts": list(attempts),
    }
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


def goes_on(*, checkpoint: str = "7.pt", **row: Any) -> str:
    reached = {"checkpoint": checkpoint, "modified": 1.0} if checkpoint else {}
    one = {**attempt(1, started=0.0, ended=HOUR), "reached": reached}
    whole = {
        "state": "failed",
        "phase": "",
        "reason": "",
        "kind": "run",
        "started": 0.0,
        "cleaned": None,
        "chain": {},
        "order": order_data(Order("x")),
        "attempts": [one],
        **row,
    }
    return str(show_chain(whole)["words"])


def test_a_chain_says_from_where_it_could_go_on() -> None:
    asking = {"state": "pending", "phase": "asking"}
    assert goes_on(**asking) == "It could go on from 7.pt, and waits for your word."
    assert goes_on(**asking, checkpoint="").startswith("It could go on from where it stopped")
    assert goes_on(reason="budget").endswith("as a new task: say how much more it may use.")
    assert goes_on(reason="continue-limit") == "It can go on from 7.pt, as a new task."
    assert goes_on(chain={"stalled": 2}).startswith("2 attempts in a row came no further")


def test_what_has_nothing_to_begin_from_does_not_offer_to_go_on() -> None:
    assert goes_on(checkpoint="") == ""
    assert goes_on(state="succeeded") == goes_on(state="running") == goes_on(cleaned=9.0) == ""
