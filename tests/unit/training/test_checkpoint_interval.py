"""How often to save follows from what a save costs."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.training import context
from diamond.training.checkpoints import schedule
from diamond.training.checkpoints.interval import (
    Cost,
    best_interval,
    chosen_interval,
    lead_before_deadline,
    reserve_before_deadline,
)


def expected_loss(interval: float, cost: float, failures: float) -> float:
    """Share of time lost to saving and to repeated work, to first order."""
    return cost / interval + interval / (2 * failures)


@given(st.floats(0.1, 100), st.floats(1e5, 1e7), st.floats(0.5, 2))
def test_no_other_interval_loses_less(cost: float, failures: float, other: float) -> None:
    best = best_interval(cost, failures) + cost
    assert (
        expected_loss(best, cost, failures) <= expected_loss(best * other, cost, failures) + 1e-12
    )


def test_the_cost_is_the_larger_of_waiting_and_of_the_sites_write_budget() -> None:
    assert Cost(2.0, 10**9, 5.0).seconds == 2.0
    assert Cost(2.0, 10**9, 5.0, write_budget=1e8).seconds == 10.0


def test_a_cheap_save_is_made_every_ten_minutes_and_not_more_often() -> None:
    assert chosen_interval(Cost(0.01, 1000, 0.1), nodes=1, asked_seconds=None) == 600


def test_more_nodes_fail_more_often_and_save_more_often() -> None:
    cost = Cost(0.0, 10**12, 0.0, write_budget=1e9)
    few, many = (chosen_interval(cost, nodes=n, asked_seconds=None) for n in (4, 64))
    assert few > 3 * many > 0
    assert math.isclose(few, math.sqrt(2 * 1000 * 30 * 86400 / 4) - 1000)


def test_what_is_asked_for_counts_even_below_ten_minutes() -> None:
    assert chosen_interval(Cost(0.01, 1000, 0.1), nodes=1, asked_seconds=30) == 30


def test_the_last_save_begins_early_enough_but_leaves_a_short_job_half_of_its_time() -> None:
    lead = lead_before_deadline(40)
    assert reserve_before_deadline(lead, 3600) == 100
    assert reserve_before_deadline(lead, 60) == 30


def test_a_training_with_long_steps_stops_so_early_that_its_last_step_and_save_still_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "time", lambda: clock[0])
    monkeypatch.setenv("DIAMOND_DEADLINE", str(clock[0] + 3600))
    planned = schedule.Schedule(None, nodes=1)
    planned.durable(5.0, 1000, waited=0.0)
    while not planned.must_stop():
        clock[0] += 60.0
        planned.stepped()
    left = 1000.0 + 3600 - clock[0]
    assert 60.0 + 2 * 5.0 < left <= 5 * 60.0


def test_the_first_step_in_which_programs_warm_up_is_not_reckoned_with() -> None:
    planned = schedule.Schedule(None, nodes=1)
    before = planned.lead_seconds
    planned.stepped()
    assert planned.lead_seconds == before


def test_a_save_that_holds_the_training_up_is_not_taken_for_a_long_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    planned = schedule.Schedule(None, nodes=1)
    for _ in range(3):
        clock[0] += 1.0
        planned.stepped()
        clock[0] += 40.0
        planned.saved(blocked_seconds=40.0)
    planned.durable(40.0, 1000, waited=0.0)
    assert planned.lead_seconds == lead_before_deadline(40.0, step_seconds=1.0)


def test_a_save_that_failed_is_tried_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    planned = schedule.Schedule(30.0, nodes=1)
    planned.saved(blocked_seconds=0.0)
    planned.failed()
    clock[0] += schedule.TRY_AGAIN_SECONDS - 1
    assert not planned.is_due()
    clock[0] += 1
    assert planned.is_due()


def test_a_deadline_stops_the_training_before_it_strikes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setenv("DIAMOND_DEADLINE", str(now + 1000))
    assert not schedule.Schedule(None, nodes=1).must_stop()
    monkeypatch.setenv("DIAMOND_DEADLINE", str(now - 1))
    assert schedule.Schedule(None, nodes=1).must_stop()


def test_the_stop_flag_stops_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_stop_flag", context._StopFlag())
    monkeypatch.setenv("DIAMOND_STOP_FILE", str(tmp_path / "stop"))
    (tmp_path / "stop").touch()
    assert schedule.Schedule(None, nodes=1).must_stop()
