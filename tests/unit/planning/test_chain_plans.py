"""From work and waits to attempts, checkpoints, a finish and a cost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.core.errors import BadRequest
from diamond.planning.chains import RunConditions, Work, epochs_as_steps, plan_chain, soonest
from diamond.planning.waits import ENOUGH, Forecast

HOUR = 3600.0
NEVER_FAILS = 1e12


def forecast(typical: float, bound: float) -> Forecast:
    return Forecast(typical, bound, ENOUGH, 0.95, spread=(typical, bound))


def place(
    nodes: int = 2, hours: float = 10, *, ahead: bool = False, **more: float
) -> RunConditions:
    fails = more.get("node_fails_after_hours", NEVER_FAILS)
    waits = forecast(more.get("typical", 0.0), more.get("bound", 0.0))
    return RunConditions(nodes, hours * HOUR, waits, ahead=ahead, node_fails_after_hours=fails)


def test_work_longer_than_the_limit_becomes_a_chain_whose_last_attempt_is_shorter() -> None:
    plan = plan_chain(Work(steps=36_000, step_seconds=2.5), place())
    assert (plan.attempts, plan.attempt_seconds) == (3, 10 * HOUR)
    assert plan.last_attempt_seconds == pytest.approx(5 * HOUR)
    assert plan.node_hours == pytest.approx(50)


def test_work_that_fits_still_asks_for_the_whole_limit() -> None:
    plan = plan_chain(Work(steps=3600, step_seconds=1), place())
    assert (plan.attempts, plan.attempt_seconds) == (1, 10 * HOUR)
    assert plan.last_attempt_seconds == pytest.approx(HOUR)
    assert (plan.node_hours, plan.node_hours_at_most) == pytest.approx((2, 20))


def test_a_budget_must_hold_the_whole_limit_of_the_last_attempt_as_it_is_asked_before_it_starts() -> (
    None
):
    """4 nodes, 8 h, 3 attempts: after two of them 80 node-hours leave 16, and a third asks for 32."""
    plan = plan_chain(Work(steps=200_000, step_seconds=0.35), place(4, hours=8))
    assert plan.attempts == 3
    assert plan.node_hours == pytest.approx(77.8, abs=0.1)
    assert plan.node_hours_at_most == pytest.approx(96)


def test_start_up_and_the_last_save_take_from_every_attempt() -> None:
    slow = Work(steps=36_000, step_seconds=2.5, startup_seconds=HOUR, save_seconds=600)
    assert plan_chain(slow, place()).attempts == 3
    slower = Work(steps=36_000, step_seconds=2.5, startup_seconds=3 * HOUR)
    assert plan_chain(slower, place()).attempts == 4


def test_what_is_kept_for_the_last_save_takes_from_every_attempt_too() -> None:
    work = Work(steps=36_000, step_seconds=2.5, save_seconds=60, lead_seconds=HOUR)
    plan = plan_chain(work, place(hours=9))
    assert plan.attempts == 4, "of 8 h each, where saves alone would leave room for three"
    assert plan_chain(replace(work, lead_seconds=0), place(hours=9)).attempts == 3
    assert plan.node_hours == pytest.approx(2 * (25 + 4 / 60), rel=0.01), (
        "it leaves when it is saved"
    )


def test_the_stop_flag_leaves_a_short_attempt_half_of_its_time() -> None:
    plan = plan_chain(Work(steps=3600, step_seconds=1, lead_seconds=HOUR), place(hours=1))
    assert plan.attempts == 2


def test_the_interval_is_youngs_and_dalys() -> None:
    work = Work(steps=100_000, step_seconds=1, save_seconds=50)
    plan = plan_chain(work, place(nodes=10, node_fails_after_hours=1000))
    assert plan.save_every_seconds == pytest.approx((2 * 50 * 100 * HOUR) ** 0.5 - 50)


def test_a_cheap_checkpoint_is_still_not_written_more_than_every_ten_minutes() -> None:
    work = Work(steps=100_000, step_seconds=1, save_seconds=0.1)
    plan = plan_chain(work, place(nodes=10, node_fails_after_hours=1000))
    assert plan.save_every_seconds == 600


def test_attempts_shorter_than_the_interval_save_at_their_ends_alone() -> None:
    work = Work(steps=20_000, step_seconds=0.35, save_seconds=20)
    plan = plan_chain(work, RunConditions(1, 120))
    assert plan.saves == plan.attempts == 70
    assert plan.save_every_seconds == plan.lost_at_most_seconds == 100
    assert plan.node_hours_at_most >= plan.node_hours


def test_a_site_that_bounds_what_a_job_writes_sees_large_checkpoints_more_rarely() -> None:
    """100 GB at 1 GB/s keep its file system busy for 100 s, although the training waits for one."""
    work = Work(steps=100_000, step_seconds=1, save_seconds=1, save_bytes=10**11)
    free = plan_chain(work, place(node_fails_after_hours=200)).save_every_seconds
    bounded = plan_chain(
        work, replace(place(node_fails_after_hours=200), write_budget=1e9)
    ).save_every_seconds
    assert bounded == pytest.approx((2 * 100 * 100 * HOUR) ** 0.5 - 100) and bounded > 5 * free


def test_interruptions_cost_half_an_interval_and_a_start_each() -> None:
    work = Work(steps=360_000, step_seconds=1, startup_seconds=100)
    plan = plan_chain(work, RunConditions(10, 10 * HOUR, node_fails_after_hours=100))
    busy_hours = 100 + 11 * 100 / HOUR
    assert plan.attempts == 11 + 6, "a bit more than half of the ten interruptions"
    assert plan.interruptions == pytest.approx(busy_hours * 10 / 100)
    assert plan.lost_seconds == pytest.approx(plan.interruptions * (600 / 2 + 100))
    assert plan.lost_at_most_seconds == 700


def test_the_finish_is_a_range_that_holds_the_waits() -> None:
    work = Work(steps=72_000, step_seconds=1)
    plan = plan_chain(work, place(typical=HOUR, bound=9 * HOUR, ahead=True))
    assert plan.attempts == 3
    assert plan.finish.soonest == pytest.approx(21 * HOUR)
    # The first at its bound; one of the two follow-ups surprises by more than the cushion: four hours less five minutes.
    assert plan.finish.latest == pytest.approx(20 * HOUR + 9 * HOUR + (9 - 1 - 4) * HOUR + 300)


def test_every_attempt_waits_where_none_is_queued_ahead() -> None:
    work = Work(steps=72_000, step_seconds=1)
    alone = plan_chain(work, place(typical=HOUR, bound=9 * HOUR))
    assert alone.attempts == 2
    assert alone.finish.soonest == pytest.approx((20 + 2 * 1) * HOUR)
    # One wait at its bound; the other at its mean of 5 h, and twice 4 h by chance, but no more than the bound.
    assert alone.finish.latest == pytest.approx((20 + 2 * 9) * HOUR)


def test_follow_ups_that_come_early_make_attempts_shorter_and_more() -> None:
    """Ten limits of work, each handed over two fifths of a limit early: the replay of job logs has 16 to 18."""
    work = Work(steps=360_000, step_seconds=1)
    restless = place(typical=HOUR, bound=9 * HOUR, ahead=True)
    assert plan_chain(work, restless).attempts == 16
    assert plan_chain(work, replace(restless, ahead=False)).attempts == 10
    quiet = place(typical=60, bound=90, ahead=True)
    assert plan_chain(work, quiet).attempts == 11, "each is shorter by what its nodes come early"


def test_each_interruption_asks_for_a_fresh_start_with_a_wait_of_its_own() -> None:
    """64 nodes for ten days with a limit of one: 21 interruptions, where each attempt has a day before it."""
    work = Work(steps=864_000, step_seconds=1)
    fails = replace(
        place(64, hours=24, typical=HOUR, bound=9 * HOUR, ahead=True), node_fails_after_hours=720
    )
    plan = plan_chain(work, fails)
    steady = plan_chain(work, replace(fails, node_fails_after_hours=NEVER_FAILS))
    assert plan.interruptions == pytest.approx(21.3, abs=0.1)
    assert plan.attempts > steady.attempts + 0.6 * plan.interruptions
    assert plan.finish.soonest > steady.finish.soonest + 12 * HOUR
    assert plan.finish.latest > steady.finish.latest + 31 * 5 * HOUR, "each at least a mean wait"


def test_an_interruption_of_a_single_attempt_makes_it_two() -> None:
    work = Work(steps=36_000, step_seconds=1)
    plan = plan_chain(work, RunConditions(72, 24 * HOUR))
    assert plan.interruptions == pytest.approx(1)
    assert plan.attempts == 2


def test_a_rare_interruption_is_not_reckoned_with() -> None:
    plan = plan_chain(Work(steps=3600, step_seconds=1), RunConditions(1, 10 * HOUR))
    assert 0 < plan.interruptions < 0.01
    assert plan.finish.soonest == plan.finish.latest


def test_a_limit_that_leaves_no_time_for_a_step_is_refused_with_the_reason() -> None:
    with pytest.raises(BadRequest, match="too short") as caught:
        plan_chain(Work(steps=10, step_seconds=1, startup_seconds=HOUR), place(hours=0.5))
    assert "walltime" in caught.value.hint


def test_the_soonest_place_may_be_the_one_with_the_shorter_limit() -> None:
    work = Work(steps=36_000, step_seconds=2)
    short, long = place(hours=5, typical=60, bound=300), place(hours=24, typical=9e4, bound=2e5)
    assert soonest(work, [long, short])[0] is short


def test_epochs_count_their_last_smaller_batch() -> None:
    assert epochs_as_steps(3, samples=1000, global_batch=64) == 48
    with pytest.raises(BadRequest):
        epochs_as_steps(3, samples=0, global_batch=64)


WORKS = st.builds(
    Work,
    steps=st.integers(1, 10**6),
    step_seconds=st.floats(0.01, 100),
    save_seconds=st.floats(0, 300),
    startup_seconds=st.floats(0, 600),
)
PLACES = st.builds(
    RunConditions,
    nodes=st.integers(1, 1000),
    limit_seconds=st.floats(1800, 48 * HOUR),
    forecast=st.builds(forecast, st.floats(0, 1e4), st.floats(1e4, 1e6)),
    ahead=st.booleans(),
)


@given(WORKS, PLACES)
def test_the_attempts_hold_all_the_work_and_no_attempt_is_superfluous(
    work: Work, where: RunConditions
) -> None:
    plan = plan_chain(work, replace(where, ahead=False, node_fails_after_hours=NEVER_FAILS))
    usable = where.limit_seconds - work.startup_seconds - work.save_seconds
    saves_between = plan.save_every_seconds < usable
    needed = work.seconds * (1 + work.save_seconds / plan.save_every_seconds * saves_between)
    assert plan.attempts * usable >= needed * (1 - 1e-6)
    assert (plan.attempts - 1) * usable < needed or plan.attempts == 1
    assert plan.last_attempt_seconds <= where.limit_seconds


@given(WORKS, PLACES)
def test_a_plan_never_ends_before_the_work_could_and_costs_at_least_it(
    work: Work, where: RunConditions
) -> None:
    plan = plan_chain(work, where)
    assert work.seconds <= plan.finish.soonest <= plan.finish.latest
    assert plan.node_hours_at_most >= plan.node_hours
    assert plan.node_hours >= where.nodes * work.seconds / HOUR * (1 - 1e-9)
