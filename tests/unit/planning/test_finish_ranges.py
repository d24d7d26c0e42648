"""The foretold finish against chains that are replayed in a queue of restless waits."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache

import pytest
from bench.replay import LIMITS_OF_WORK, Queue, Replay, when_it_ends

from diamond.planning.chains import FinishRange, RunConditions, Work, plan_chain
from diamond.planning.follow_ups import FollowUpPolicy
from diamond.planning.waits import PastWait

HOUR = 3600.0
LIMIT = 6 * HOUR
MANNERS = FollowUpPolicy(hand_over_seconds=60, most_waiting=12)
WORK = Work(steps=LIMITS_OF_WORK * 6 * 60, step_seconds=60.0)
Chain = Callable[[Queue, float], float]


@cache
def restless() -> Queue:
    """A job each half hour; most wait minutes, some days, and a bad day is bad for all of them."""
    chance, busy, jobs = random.Random(7), 0.0, []
    for n in range(6000):
        busy = 0.9 * busy + chance.gauss(0, 0.6)
        jobs.append(PastWait(n * HOUR / 2, 0.6 * HOUR * math.exp(busy), 4, LIMIT))
    return Queue(jobs, LIMIT)


def foretold(now: float, *, ahead: bool) -> FinishRange:
    place = RunConditions(
        4, LIMIT, restless().forecast(now), ahead=ahead, node_fails_after_hours=1e12
    )
    return plan_chain(WORK, place).finish


def queued_at_the_end(queue: Queue, begin: float) -> float:
    return queue.wait(begin) + when_it_ends(queue, begin).gap + LIMITS_OF_WORK * LIMIT


def queued_ahead(queue: Queue, begin: float) -> float:
    replay = Replay(queue, lambda _: MANNERS, begin)
    replay.run()
    return replay.now - begin


@pytest.mark.parametrize(("chain", "ahead"), [(queued_at_the_end, False), (queued_ahead, True)])
def test_most_chains_end_within_what_was_foretold(chain: Chain, ahead: bool) -> None:
    begins = [n * 20 * HOUR for n in range(10, 130)]
    ends = [(chain(restless(), begin), foretold(begin, ahead=ahead)) for begin in begins]
    late = sum(end > span.latest for end, span in ends)
    soon = sum(end < span.soonest for end, span in ends)
    assert late <= 0.15 * len(ends)
    assert soon <= 0.25 * len(ends)
