"""The bound on a wait holds as often as it says, and forgets a queue that has changed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.planning.waits import (
    CONFIDENCE,
    ENOUGH,
    MEMORY,
    QUANTILE,
    Forecast,
    PastWait,
    WaitHistory,
    bound_rank,
    forecast,
    similar,
)

SECONDS = st.floats(0, 1e6, allow_nan=False)


def told(waits: list[float]) -> Forecast:
    known = WaitHistory()
    for one in waits:
        known.add(one)
    return known.forecast()


def past(submitted: float, waited: float, nodes: int = 4, limit: float = 3600) -> PastWait:
    return PastWait(submitted, waited, nodes, limit, "gpu")


def test_without_history_nothing_is_claimed() -> None:
    found = told([])
    assert (found.bound, found.typical, found.is_sure) == (None, None, False)
    assert "unknown" in found.words


def test_fifty_nine_waits_are_the_fewest_for_a_sure_bound() -> None:
    assert ENOUGH == 59
    assert bound_rank(58)[1] < CONFIDENCE <= bound_rank(59)[1]
    assert bound_rank(59)[0] == 59


def test_few_waits_give_their_longest_and_say_how_unsure_that_is() -> None:
    found = told([10, 30, 20])
    assert (found.typical, found.bound, found.samples) == (20, 30, 3)
    assert found.confidence == pytest.approx(1 - QUANTILE**3)
    assert not found.is_sure


def test_the_bound_holds_for_the_promised_share_of_later_waits() -> None:
    chance, held = random.Random(1), 0
    for _ in range(200):
        bound = told([chance.expovariate(1) for _ in range(120)]).bound
        assert bound is not None
        held += bound >= 2.9957  # the true 95 % quantile
    assert held >= 0.9 * 200


def test_three_surprises_in_a_row_make_the_queue_a_new_one() -> None:
    calm = told([60.0] * 200)
    stormy = told([60.0] * 200 + [7200.0, 7300.0, 7400.0])
    assert (calm.bound, calm.samples) == (60, 200)
    assert (stormy.bound, stormy.samples) == (7400, ENOUGH)


def test_two_surprises_are_chance() -> None:
    assert told([60.0] * 200 + [7200.0, 7300.0]).samples == 202


@given(st.lists(SECONDS, min_size=1, max_size=300))
def test_the_bound_is_one_of_the_recent_waits_and_no_less_than_the_typical_one(
    waits: list[float],
) -> None:
    found = told(waits)
    assert found.bound in waits[-MEMORY:]
    assert found.typical is not None and found.bound is not None
    assert found.typical <= found.bound
    assert found.samples <= MEMORY


@given(st.lists(SECONDS, min_size=1, max_size=ENOUGH), st.floats(0, 1e6))
def test_longer_waits_never_lower_the_bound(waits: list[float], more: float) -> None:
    lower, higher = told(waits).bound, told([one + more for one in waits]).bound
    assert lower is not None and higher is not None
    assert higher >= lower


def test_only_jobs_of_the_same_queue_and_about_the_same_size_and_limit_count() -> None:
    jobs = [past(0, 1), past(0, 2, nodes=8), past(0, 3, nodes=9), past(0, 4, limit=1700)]
    other = PastWait(0, 5, 4, 3600, "cpu")
    chosen = similar([*jobs, other], queue="gpu", nodes=4, limit_seconds=3600)
    assert [one.waited for one in chosen] == [1, 2]


def test_waits_are_told_in_the_order_of_the_starts() -> None:
    chosen = similar([past(0, 100), past(50, 10)], queue="gpu", nodes=4, limit_seconds=3600)
    assert [one.started for one in chosen] == [60, 100]
    assert forecast(chosen, queue="gpu", nodes=4, limit_seconds=3600).bound == 100


def test_one_comes_late_by_what_waits_are_longer_than_it_was_queued_early() -> None:
    found = told([60.0] * 90 + [3660.0] * 10)
    assert found.expected_lateness(0) == 360
    assert found.expected_lateness(600) == 300
    assert found.expected_lateness(3600) == 0


@given(st.lists(SECONDS, min_size=1, max_size=80), st.floats(0, 1e6), st.floats(0, 1e6))
def test_one_that_is_queued_earlier_never_comes_later(
    waits: list[float], early: float, more: float
) -> None:
    found = told(waits)
    assert 0 <= found.expected_lateness(early + more) <= found.expected_lateness(early)
