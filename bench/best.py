"""The least gap that one waiting attempt at a time can leave: what a planner would reach that knew every wait beforehand.

Hand-overs cost it nothing. An attempt can be queued once the one before has its nodes, not sooner, since until then
that one waits. So a start at `given` follows any start up to the moment `queued`, and adds at most one limit to the time
in which a program runs. Of all sequences of starts the one that does the work soonest is found by going through the
starts in order. Moments to queue at lie a fiftieth of a limit apart.
"""

from __future__ import annotations

from bisect import bisect_right

from bench.replay import LIMITS_OF_WORK, Queue

MOMENTS = 50
MOST_LIMITS = 5000


def least_gap(queue: Queue, begin: float) -> float:
    """Seconds in which no program runs, between the first start and the end of the work; at least, where that is thousands of limits."""
    first, limits = begin + queue.wait(begin), 2 * LIMITS_OF_WORK
    while limits < MOST_LIMITS:
        ended = soonest_end(queue, first, limits)
        if ended is not None and ended <= first + limits * queue.limit:
            return max(0.0, ended - first - LIMITS_OF_WORK * queue.limit)
        limits *= 2
    return (limits / 2 - LIMITS_OF_WORK) * queue.limit


def soonest_end(queue: Queue, first: float, limits: int) -> float | None:
    """When the work is done, if attempts are queued within so many limits; None if it is not."""
    limit, work = queue.limit, LIMITS_OF_WORK * queue.limit
    starts = starts_by_time(queue, first, limits)
    times = [given for given, _ in starts]
    covered: list[float] = []
    most: list[float] = []
    ends = []
    for given, queued in starts:
        before = min(limit, given - first)
        last = bisect_right(times, queued, hi=len(covered)) - 1
        while last >= 0 and times[last] > given - limit:
            before = max(before, covered[last] + given - times[last])
            last -= 1
        if last >= 0:
            before = max(before, most[last] + limit)
        covered.append(before)
        most.append(max(before, most[-1]) if most else before)
        if work - limit <= before <= work:
            ends.append(given + work - before)
    return min(ends, default=None)


def starts_by_time(queue: Queue, first: float, limits: int) -> list[tuple[float, float]]:
    """(gets its nodes, was queued) for every moment at which one may be queued."""
    moments = (first + queue.limit * turn / MOMENTS for turn in range(limits * MOMENTS))
    return sorted((moment + queue.wait(moment), moment) for moment in moments)
