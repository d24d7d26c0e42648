"""All transfers together stay below the cap."""

from __future__ import annotations

import pytest

from diamond.data.rate import RateCap


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_bytes_wait_for_their_turn() -> None:
    clock = Clock()
    cap = RateCap(lambda: 10e6, clock=clock, sleep=clock.sleep)
    for _ in range(11):
        cap.take(1_000_000)
    assert clock.now - 100 == pytest.approx(1.0)


def test_a_cap_that_is_lifted_ends_the_wait() -> None:
    clock = Clock()
    most: list[float | None] = [1e6]

    def sleep(seconds: float) -> None:
        clock.now += seconds
        most[0] = None

    cap = RateCap(lambda: most[0], clock=clock, sleep=sleep)
    cap.take(100_000_000)
    cap.take(1)
    assert clock.now - 100 == 0.5


def test_without_a_cap_nothing_waits() -> None:
    clock = Clock()
    cap = RateCap(lambda: None, clock=clock, sleep=clock.sleep)
    cap.take(10**12)
    assert clock.now == 100
