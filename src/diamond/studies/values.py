"""The objective's values of a trial, from the curves that its tasks have logged. No I/O."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from diamond.studies.plan import LAST, Objective
from diamond.studies.pruning import Steps

LoggedPoint = tuple[float, float, float]
"""Step, time and value; NaN where one was not given, or is not finite."""


def resource_steps(points: Sequence[LoggedPoint], counter: Sequence[LoggedPoint]) -> Steps:
    """(resource, value) by rising resource; of one resource the last value counts.

    The resource is the step; with a `counter`, another metric such as the epoch, what that counted at the step.
    Without steps it is the number of the value.
    """
    known = sorted((step, value) for step, _, value in counter if step == step and value == value)
    places = [step for step, _ in known]
    table: dict[float, float] = {}
    for number, (step, _, value) in enumerate(points, start=1):
        at = float(number) if math.isnan(step) else step
        if known and not math.isnan(step):
            index = bisect_right(places, step) - 1
            at = known[max(index, 0)][1]
        table[at] = value
    return tuple(sorted(table.items()))


def counted_steps(points: Sequence[LoggedPoint]) -> Steps:
    """The resource is how many different steps have a value: for programs that log once an epoch, and no epoch."""
    table: dict[float, float] = {}
    for number, (step, _, value) in enumerate(points, start=1):
        table[float(number) if math.isnan(step) else step] = value
    return tuple((float(n), table[step]) for n, step in enumerate(sorted(table), start=1))


def final_of(
    objective: Objective, which: str, curves: Iterable[Sequence[LoggedPoint]]
) -> float | None:
    """Of all attempts, oldest first. None without a value, or where the last one is not finite."""
    points = [point for curve in curves for point in curve]
    if not points or math.isnan(points[-1][2]):
        return None
    if which == LAST:
        return points[-1][2]
    return objective.best([value for _, _, value in points if not math.isnan(value)])
