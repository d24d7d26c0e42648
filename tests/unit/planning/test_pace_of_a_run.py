"""The pace that an earlier run's log tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.planning.step_times import startup_seconds, step_seconds


def test_a_pause_between_attempts_does_not_count() -> None:
    steps = [(n, 2.0 * n) for n in range(50)]
    later = [(50 + n, 90_000 + 2.0 * n) for n in range(50)]
    assert step_seconds([*steps, *later]) == 2


def test_points_may_be_far_apart_and_in_any_order() -> None:
    assert step_seconds([(300, 160.0), (100, 60.0), (200, 110.0)]) == 0.5


@pytest.mark.parametrize("points", [[], [(1, 5.0)], [(1, 5.0), (1, 6.0)], [(1, 5.0), (2, 5.0)]])
def test_a_log_in_which_nothing_moves_tells_no_pace(points: list[tuple[float, float]]) -> None:
    assert step_seconds(points) is None


def test_the_start_up_ends_where_the_first_step_begins() -> None:
    assert startup_seconds([(10, 150.0), (20, 200.0)], started=70, pace=5) == 30
    assert startup_seconds([(10, 71.0)], started=70, pace=5) == 0


@given(st.floats(0.001, 1000), st.integers(2, 100))
def test_an_even_pace_is_found_as_it_is(pace: float, count: int) -> None:
    assert step_seconds([(n, pace * n) for n in range(count)]) == pytest.approx(pace)
