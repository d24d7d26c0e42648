"""The smallest gap possible with one waiting attempt at a time: what a planner could reach if it knew every wait in advance.

Hand-overs are free. An attempt can be queued once the previous one has its nodes, not earlier, because until then the
previous one is the one that waits. So a start at `given` can follow any start up to the moment `queued`, and adds at most
one limit to the time in which a program runs. Going through the starts in order finds the sequence that finishes first.
Queueing moments are a fiftieth of a limit apart.
"""

from __future__ import annotations

from bisect import bisect_right

from bench.replay import LIMITS_OF_WORK, Queue

MOMENTS = 50
MOST_LIMITS = 5000


def least_gap(queue: Queue, begin: float) -> float:
    """Seconds without a running program between the first start and the end of the work; a lower bound if that is thousands of limits."""
    first, limits = begin + queue.wait(begin), 2 * LIMITS_OF_WORK
    while limits < MOST_LIMITS:
        ended = soonest_end(queue, first, limits)
        if ended is not None and ended <= first + limits * queue.limit:
            return max(0.0, ended - first - LIMITS_OF_WORK * queue.limit)
        limits *= 2
    return (limits / 2 - LIMITS_OF_WORK) * queue.limit


def soonest_end(queue: Queue, first: float, limits: int) -> float | None:
    """When the work is done if attempts are queued within this many limits, or None."""
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
    """(gets its nodes, was queued) for every possible queueing moment."""
    moments = (first + queue.limit * turn / MOMENTS for turn in range(limits * MOMENTS))
    return sorted((moment + queue.wait(moment), moment) for moment in moments)
