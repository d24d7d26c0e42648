"""How far a chain may go: by its budget, or until its person is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.core.order import Continue, Order, Placement, Resources
from diamond.planning.waits import NOTHING_KNOWN, PastWait, forecast
from diamond.service.chains.grants import (
    budget_of,
    first_chain,
    granted_until,
    most_seconds,
    node_hours_with_follow_ups,
    queue_after_seconds,
    refusal,
    spending,
)
from diamond.service.chains.rows import AttemptRow, ChainRow, RunRow

HOUR = 3600.0
RESUME = Continue(on=["wall-time"], max_attempts=20, ahead=True)


def order(budget: str = "", **resources: Any) -> Order:
    asked = Resources(**{"nodes": 2, "walltime_minutes": 60, **resources})
    return Order("x", resources=asked, resume=RESUME, budget=budget, placement=Placement("gpu"))


def attempt(number: int, began: float | None, ended: float | None, **more: Any) -> AttemptRow:
    return AttemptRow(id=f"a{number}", number=number, started=began, ended=ended, **more)


def until(chain: ChainRow, asked: Order, attempts: list[AttemptRow]) -> int:
    return granted_until(chain, asked.resources, asked.resume, attempts)


def test_what_was_used_and_what_may_still_be_used_are_kept_apart() -> None:
    entries = [attempt(1, 0, HOUR / 2), attempt(2, HOUR, None), attempt(3, None, HOUR)]
    used = spending(first_chain(order("10 node-hours"), None), order().resources, entries)
    assert (used.node_hours, used.node_hours_committed, used.left) == (1.0, 2.0, 7.0)


def test_nodes_that_waited_for_their_turn_are_paid_for() -> None:
    used = spending(ChainRow(), order().resources, [attempt(2, HOUR, 2 * HOUR, arrived=0.0)])
    assert used.node_hours == 4.0


@pytest.mark.parametrize(("budget", "may"), [("4 node-hours", True), ("3.9 node-hours", False)])
def test_no_attempt_begins_that_could_pass_the_budget(budget: str, may: bool) -> None:
    entries: list[Any] = [attempt(1, 0, HOUR)]
    refused = refusal(first_chain(order(budget), None), order(budget), entries)
    assert (refused is None) is may
    if refused is not None:
        assert (refused.reason, refused.ask) == ("budget", False)
        assert "1.9 of 3.9" in refused.message


def test_a_budget_in_the_sites_units_is_held_by_the_sites_rate() -> None:
    chain = first_chain(order("100 SU"), {"gpu": 20.0})
    assert refusal(chain, order(), [attempt(1, 0, HOUR)]) is None
    refused = refusal(chain, order(), [attempt(1, 0, 2 * HOUR)])
    assert refused is not None and "20 of 100" in refused.message


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [("4 node-hours", 2 * HOUR), ("100 SU", 2.5 * HOUR), ("0.166667 node-hours", 300)],
)
def test_a_budget_says_how_long_all_jobs_may_last_together(budget: str, seconds: float) -> None:
    chain = first_chain(order(budget), {"gpu": 20.0})
    assert most_seconds(chain, order(budget).resources) == int(seconds)
    assert most_seconds(ChainRow(), order().resources) is None


def test_limits_leave_only_so_many_attempts() -> None:
    """Each may take two node-hours."""
    running, asked = [attempt(1, 0, None)], order("90 node-hours")
    chain = replace(first_chain(asked, None), limit_hours=5.0)
    assert until(chain, asked, running) == 2
    assert most_seconds(chain, asked.resources) == int(2.5 * HOUR)
    assert node_hours_with_follow_ups(chain, asked.resources, RESUME, running) == 4.0
    assert refusal(chain, asked, [attempt(1, 0, HOUR)]) is None
    made = [attempt(1, 0, HOUR), attempt(2, HOUR, 2 * HOUR)]
    refused = refusal(chain, asked, made)
    assert refused is not None and refused.ask
    assert "leave 1 node-hours and the next attempt may take 2" in refused.message
    assert until(chain, asked, made) == 2
    assert until(replace(chain, limit_hours=2.0), asked, [*running, attempt(2, None, None)]) == 1


def test_a_unit_without_a_rate_is_refused() -> None:
    with pytest.raises(BadRequest, match="SU"):
        budget_of("100 SU", order(), {"cpu": 1.0})


def test_without_a_budget_it_asks_after_three_follow_ups() -> None:
    made: list[Any] = [attempt(n, n, n + 1) for n in (1, 2, 3)]
    assert refusal(ChainRow(), order(), made) is None
    refused = refusal(ChainRow(), order(), [*made, attempt(4, 4, 5)])
    assert refused is not None
    assert (refused.ask, refused.reason) == (True, "continue-limit")
    assert refusal(ChainRow(allowed=7), order(), [*made, attempt(4, 4, 5)]) is None


def test_a_follow_up_that_was_given_back_is_no_attempt_that_counts() -> None:
    made: list[Any] = [attempt(n, n, n + 1) for n in (1, 2, 3)]
    back = attempt(4, None, 4, reason="withdrawn")
    assert refusal(ChainRow(), order(), [*made, back]) is None
    assert until(ChainRow(), order(), [*made, back]) == 5


def test_the_agent_is_granted_what_fits_even_if_all_of_it_is_used() -> None:
    running: list[Any] = [attempt(1, 0, None)]
    chain = first_chain(order("7 node-hours"), None)
    assert until(chain, order("7 node-hours"), running) == 3
    assert until(ChainRow(), order(), running) == 4
    few = Order("x", resume=Continue(max_attempts=2))
    assert until(ChainRow(), few, running) == 2


def test_a_follow_up_is_queued_one_wait_before_the_end() -> None:
    """Of a steady queue: half an hour each."""
    past = [PastWait(n * HOUR, HOUR / 2, 2, HOUR, "gpu") for n in range(80)]
    expected = forecast(past, queue="gpu", nodes=2, limit_seconds=HOUR)
    after = queue_after_seconds(order(), expected, queued=0.0, started=HOUR / 2)
    assert after is not None
    assert HOUR / 2 - 300 <= after < HOUR / 2


def test_where_waits_are_long_or_unknown_it_is_queued_early() -> None:
    unknown = queue_after_seconds(order(), NOTHING_KNOWN, queued=0.0, started=10.0)
    assert unknown == pytest.approx(0.6 * HOUR + 5 * 120 - 10), "five hand-overs later"
    first = queue_after_seconds(order(), NOTHING_KNOWN, queued=0.0, started=10.0, is_first=True)
    assert first == pytest.approx(HOUR - 540 - 10), "it may well finish within its limit"
    late = queue_after_seconds(order(), NOTHING_KNOWN, queued=0.0, started=5 * HOUR)
    assert late == 0.0


def test_a_first_attempt_is_followed_at_once_where_waits_are_longer_than_it_lasts() -> None:
    past = [PastWait(n * HOUR, 3 * HOUR, 2, HOUR, "gpu") for n in range(80)]
    long = forecast(past, queue="gpu", nodes=2, limit_seconds=HOUR)
    early = queue_after_seconds(order(), long, queued=0.0, started=3 * HOUR, is_first=True)
    assert early == 0.0


def test_follow_ups_that_were_given_back_leave_the_number_of_attempts_alone() -> None:
    few = Order("x", resume=Continue(max_attempts=3, ahead=True), budget="90 node-hours")
    made: list[Any] = [
        attempt(1, 0, 1),
        attempt(2, None, 1, reason="withdrawn"),
        attempt(7, 2, None),
    ]
    assert until(first_chain(few, None), few, made) == 8


def run(number: int, started: float, ended: float | None = None) -> RunRow:
    return RunRow(number, started=started, ended=ended)


def test_an_attempt_that_the_site_started_again_costs_its_runs_and_not_the_wait_between() -> None:
    runs = (run(1, 0, HOUR / 2), run(2, 5 * HOUR, 6 * HOUR))
    entry = attempt(1, 0, 6 * HOUR, runs=runs)
    assert spending(ChainRow(), order().resources, [entry]).node_hours == 3.0
    alive = replace(entry, ended=None)
    assert spending(ChainRow(), order().resources, [alive]).node_hours_committed == 3.0


def test_a_limit_that_was_raised_is_set_aside_whole() -> None:
    used = spending(ChainRow(), order().resources, [attempt(1, 0, None, limit_seconds=3 * HOUR)])
    assert used.node_hours_committed == 6.0


@pytest.mark.parametrize(
    "present",
    [
        attempt(1, 0, None, limit_seconds=2 * HOUR),
        attempt(1, 0, None, runs=(run(1, 0, HOUR), run(2, 2 * HOUR))),
    ],
    ids=["raised", "requeued"],
)
def test_a_follow_up_that_no_longer_fits_the_budget_is_withdrawn(present: AttemptRow) -> None:
    chain, asked = first_chain(order("5 node-hours"), None), order("5 node-hours")
    as_planned: list[Any] = [attempt(1, 0, None), attempt(2, None, None)]
    assert until(chain, asked, as_planned) == 2
    assert until(chain, asked, [present, attempt(2, None, None)]) == 1
    assert until(chain, asked, [present]) == 1
