from __future__ import annotations

import pytest

from diamond.service.rate_limit import MOST_CALLERS, Buckets


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_caller_has_her_calls_and_gets_them_back_evenly(clock: Clock) -> None:
    buckets = Buckets(60, clock)
    assert [buckets.take("ada") for _ in range(60)][-1] == 0
    assert buckets.take("ada") < 0
    assert buckets.take("bob") == 59
    clock.now = 1.0
    assert buckets.take("ada") >= 0
    assert buckets.take("ada") < 0


def test_one_who_goes_on_asking_is_not_shut_out_for_longer(clock: Clock) -> None:
    buckets = Buckets(60, clock)
    for _ in range(10_000):
        left = buckets.take("ada")
    assert 0 < buckets.wait_seconds(left) <= 1.0
    clock.now = 1.5
    assert buckets.take("ada") >= 0


def test_many_callers_do_not_fill_the_memory(clock: Clock) -> None:
    buckets = Buckets(60, clock)
    for number in range(MOST_CALLERS + 100):
        buckets.take(str(number))
    assert len(buckets._levels) == MOST_CALLERS
