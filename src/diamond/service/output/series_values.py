"""The last, lowest and highest value of a curve, kept while its points arrive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from diamond.service.output.curves import Curve
from diamond.service.output.rows import SeriesValues


@dataclass(frozen=True)
class Point:
    name: str
    step: float | None
    time: float | None
    value: float | None
    """None: the program logged NaN or an infinity."""


def series_values(before: SeriesValues, points: Sequence[Point]) -> SeriesValues:
    """What they are after these points too; a point without a value changes nothing."""
    known = [(point.value, point) for point in points if point.value is not None]
    if not known:
        return before
    last = known[-1][1]
    lowest = min(known, key=lambda pair: pair[0])
    highest = max(known, key=lambda pair: pair[0])
    first = known[0][1].step if before.last is None else before.first_step
    fresh = SeriesValues(
        first_step=first,
        last=last.value,
        last_step=last.step,
        last_time=last.time,
        low=lowest[0],
        low_step=lowest[1].step,
        high=highest[0],
        high_step=highest[1].step,
    )
    return joined_values([before, fresh])


def curve_values(curve: Curve) -> SeriesValues:
    """Of a curve that was stored before these values were."""
    return series_values(SeriesValues(), [Point("", *curve.at(n)) for n in range(len(curve))])


def joined_values(parts: Iterable[SeriesValues]) -> SeriesValues:
    """Of the same metric over attempts and runs, oldest first."""
    whole = SeriesValues()
    for part in parts:
        if part.last is None:
            continue
        first = part.first_step if whole.last is None else whole.first_step
        joined = replace(part, first_step=first)
        if whole.low is not None and part.low is not None and whole.low <= part.low:
            joined = replace(joined, low=whole.low, low_step=whole.low_step)
        if whole.high is not None and part.high is not None and whole.high >= part.high:
            joined = replace(joined, high=whole.high, high_step=whole.high_step)
        whole = joined
    return whole
