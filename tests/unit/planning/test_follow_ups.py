"""When the next attempt is queued, and what becomes of nodes that come early."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.core.order import MOST_AHEAD
from diamond.planning.follow_ups import (
    CUSHION_ALONE,
    LEAST_BETWEEN_SECONDS,
    MOST_CUSHION,
    Arrival,
    Chain,
    FollowUpPolicy,
    cushion,
    decide_arrival,
    first_cushion,
    max_cushion,
    max_idle_seconds,
    max_waiting_attempts,
    must_withdraw,
    next_submission_time,
)
from diamond.planning.waits import ENOUGH, NOTHING_KNOWN, Forecast

HOUR = 3600.0
LIMIT = 10 * HOUR
POLICY = FollowUpPolicy(hand_over_seconds=120)
QUIET = Forecast(typical=10, bound=60, samples=ENOUGH, confidence=0.95)
RESTLESS = Forecast(
    typical=HOUR, bound=30 * HOUR, samples=ENOUGH, confidence=0.95, spread=(HOUR, 9 * HOUR)
)
RUNNING = Chain(
    now=HOUR,
    limit_seconds=LIMIT,
    work_seconds_left=50 * HOUR,
    waiting_since=(),
    last_queued=0,
    program_ends=LIMIT,
)
SILENT = replace(RUNNING, program_ends=None, silent_since=0.0, waiting_since=(0.0,), now=HOUR)
SEVERAL = replace(POLICY, most_waiting=12)
MOST = max_cushion(LIMIT, POLICY)


def due(chain: Chain, known: Forecast, policy: FollowUpPolicy = POLICY) -> float | None:
    return next_submission_time(chain, cushion(chain.limit_seconds, known, policy), policy)


def test_on_a_quiet_machine_the_follow_up_comes_shortly_before_the_end() -> None:
    assert due(RUNNING, QUIET) == LIMIT - 2 * POLICY.hand_over_seconds


def test_where_waits_grow_suddenly_it_comes_earlier_but_not_too_early() -> None:
    assert due(RUNNING, RESTLESS) == LIMIT - MOST == LIMIT * (1 - MOST_CUSHION) + 5 * 120


def test_being_early_for_rare_long_waits_must_pay_for_the_hand_overs() -> None:
    """One wait in ten is an hour longer than nodes may idle: six minutes on average, for hand-overs of two, or of seven."""
    for hand_over, expected in ((120, MOST), (420, 4200)):
        policy = FollowUpPolicy(hand_over)
        longer = max_idle_seconds(LIMIT, policy) + HOUR
        rare = replace(RESTLESS, typical=0.0, spread=(*[0.0] * 9, longer))
        assert cushion(LIMIT, rare, policy) == expected


def test_without_history_it_comes_as_early_as_on_a_restless_machine() -> None:
    known = due(RUNNING, RESTLESS)
    assert due(RUNNING, NOTHING_KNOWN) == known


def test_no_follow_up_is_queued_when_the_running_attempt_will_finish_the_work() -> None:
    nearly_done = replace(RUNNING, work_seconds_left=8 * HOUR)
    assert due(nearly_done, RESTLESS) is None


def test_the_rhythm_counts_from_the_last_queueing_also_when_that_attempt_still_waits() -> None:
    ahead = replace(RUNNING, waiting_since=(5 * HOUR,), last_queued=5 * HOUR)
    assert due(ahead, RESTLESS, SEVERAL) == 5 * HOUR + LIMIT - MOST


def test_a_program_that_runs_is_not_followed_by_more_than_the_site_lets_wait() -> None:
    full = replace(RUNNING, waiting_since=(1.0, 2.0))
    assert due(full, RESTLESS, replace(POLICY, most_waiting=2)) is None


def test_left_to_diamond_several_may_wait_once_anything_has_started() -> None:
    assert [max_waiting_attempts(True, has_started=one) for one in (False, True)] == [1, MOST_AHEAD]
    assert [max_waiting_attempts(4, has_started=one) for one in (False, True)] == [4, 4]
    assert (
        max_waiting_attempts(1, has_started=True)
        == max_waiting_attempts(False, has_started=True)
        == 1
    )


def test_on_a_quiet_machine_no_second_one_goes_out_although_it_might() -> None:
    waits_a_little = replace(
        RUNNING, now=LIMIT, waiting_since=(LIMIT - 240,), last_queued=LIMIT - 240
    )
    assert due(waits_a_little, QUIET, SEVERAL) == 2 * LIMIT - 480


def test_when_nothing_runs_and_nothing_waits_an_attempt_is_queued_at_once() -> None:
    assert due(replace(SILENT, waiting_since=()), QUIET) == SILENT.now


def test_in_a_long_silence_further_attempts_go_out_more_and_more_rarely() -> None:
    times, chain = [0.0], SILENT
    for _ in range(12):
        when = due(chain, RESTLESS, SEVERAL)
        assert when is not None
        times.append(when)
        chain = replace(chain, last_queued=when, waiting_since=(*chain.waiting_since, when))
    distances = [b - a for a, b in pairwise(times)]
    assert distances[0] == LIMIT / 4
    assert distances == sorted(distances) and distances[-1] > 2 * distances[0]


@pytest.mark.parametrize("state", [SILENT, RUNNING], ids=["silent", "running"])
def test_attempts_of_a_minute_are_not_queued_and_withdrawn_every_few_seconds(state: Chain) -> None:
    ends = None if state is SILENT else 100.0
    short = replace(
        state,
        limit_seconds=60,
        now=60.0,
        waiting_since=(40.0,),
        last_queued=40.0,
        program_ends=ends,
    )
    when = due(short, QUIET, SEVERAL)
    assert when is not None and when >= 40.0 + LEAST_BETWEEN_SECONDS / 2
    alone = due(replace(short, waiting_since=()), QUIET, SEVERAL)
    assert alone is not None and alone <= 100.0, "the first follow-up is not late"


def test_with_every_place_taken_the_youngest_makes_room_but_a_single_one_never_does() -> None:
    two = replace(POLICY, most_waiting=2)
    assert must_withdraw(replace(SILENT, waiting_since=(0.0, 5.0)), two)
    assert not must_withdraw(SILENT, two)
    assert due(SILENT, RESTLESS) is None


@pytest.mark.parametrize(
    ("left", "chosen"),
    [
        (HOUR, Arrival.HAND_OVER),
        (6 * HOUR, Arrival.HAND_OVER),
        (1200, Arrival.WAIT),
        (9 * HOUR, Arrival.GIVE_BACK),
    ],
    ids=["an-hour-before", "halfway", "near-the-end", "hardly-begun"],
)
def test_nodes_that_come_early_are_used_as_costs_least(left: float, chosen: Arrival) -> None:
    assert decide_arrival(replace(RUNNING, now=LIMIT - left), POLICY) is chosen


def test_a_program_that_cannot_hand_over_lets_nodes_wait_longer_but_they_are_queued_later() -> None:
    stubborn = replace(POLICY, can_hand_over=False)
    assert decide_arrival(replace(RUNNING, now=LIMIT - 2 * HOUR), stubborn) is Arrival.WAIT
    assert decide_arrival(replace(RUNNING, now=LIMIT - 3 * HOUR), stubborn) is Arrival.GIVE_BACK
    assert due(RUNNING, RESTLESS, stubborn) == pytest.approx(LIMIT * (1 - CUSHION_ALONE))


@pytest.mark.parametrize(("hours", "seconds"), [(1.5, 600), (4, 720), (24, 4320)])
def test_nodes_idle_for_ten_hand_overs_or_a_twentieth_of_the_limit(
    hours: float, seconds: float
) -> None:
    assert max_idle_seconds(hours * HOUR, FollowUpPolicy(60)) == seconds


def test_nodes_idle_for_no_more_than_a_share_of_a_short_limit() -> None:
    assert max_idle_seconds(HOUR / 2, FollowUpPolicy(60)) == 270
    assert max_idle_seconds(HOUR / 2, FollowUpPolicy(60, can_hand_over=False)) == 360


def test_in_attempts_of_minutes_nodes_idle_for_hardly_longer_than_a_hand_over() -> None:
    assert max_idle_seconds(240, FollowUpPolicy(30)) == 36
    assert max_idle_seconds(240, FollowUpPolicy(50)) == 50


def test_in_short_attempts_nobody_is_so_early_that_a_hand_over_is_needed() -> None:
    for minutes, most in ((15, 135), (30, 420), (60, 1140), (600, 14_100)):
        assert max_cushion(60.0 * minutes, FollowUpPolicy(60)) == pytest.approx(most)
    assert max_cushion(900, FollowUpPolicy(60)) == max_idle_seconds(900, FollowUpPolicy(60))


def test_a_first_attempt_that_may_finish_is_followed_so_late_that_it_hands_over_to_nobody() -> None:
    assert first_cushion(LIMIT, NOTHING_KNOWN, POLICY) == max_idle_seconds(LIMIT, POLICY)
    steady = replace(RESTLESS, typical=20 * HOUR)
    assert first_cushion(LIMIT, steady, POLICY) == cushion(LIMIT, steady, POLICY)


def test_a_follow_up_goes_away_when_the_work_ends_without_it() -> None:
    done_soon = replace(RUNNING, now=5 * HOUR, work_seconds_left=HOUR)
    assert decide_arrival(done_soon, POLICY) is Arrival.GIVE_BACK


def test_nodes_start_the_program_when_none_runs() -> None:
    assert decide_arrival(SILENT, POLICY) is Arrival.START


@given(
    limit=st.floats(600, 1e6),
    typical=st.floats(0, 1e6),
    growth=st.floats(0, 1e6),
    save=st.floats(1, 60),
)
def test_the_cushion_stays_within_its_share_of_the_limit(
    limit: float, typical: float, growth: float, save: float
) -> None:
    known = Forecast(typical, typical + growth, ENOUGH, 0.95, spread=(typical, typical + growth))
    early = cushion(limit, known, FollowUpPolicy(save))
    assert 0 <= early <= MOST_CUSHION * limit


@given(now=st.floats(0, LIMIT), left=st.floats(1, 1e6), hands_over=st.booleans())
def test_a_hand_over_always_carries_the_chain_further(
    now: float, left: float, hands_over: bool
) -> None:
    chain = replace(RUNNING, now=now, work_seconds_left=left)
    if decide_arrival(chain, replace(POLICY, can_hand_over=hands_over)) is Arrival.HAND_OVER:
        assert hands_over
        assert now + LIMIT >= LIMIT + LIMIT / 4
