"""A long curve in few points that keeps its peaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

P = TypeVar("P")


def thin(points: Sequence[P], values: Sequence[float | None], limit: int) -> list[P]:
    """At most `limit` points: of each bucket the lowest, the highest and the first without a value; and both ends."""
    count = len(points)
    if count <= limit:
        return list(points)
    if limit <= 4:
        return [points[index * (count - 1) // max(limit - 1, 1)] for index in range(limit)]
    buckets = (limit - 2) // (3 if None in values else 2)
    kept = {0, count - 1}
    for bucket in range(buckets):
        span = range(bucket * count // buckets, (bucket + 1) * count // buckets)
        kept.update(_telling(span, values))
    return [points[index] for index in sorted(kept)]


def _telling(span: range, values: Sequence[float | None]) -> list[int]:
    """What a person must not miss: where there is no value (NaN), and the extremes of the others."""
    gaps = [index for index in span if values[index] is None][:1]
    known = {index: value for index in span if (value := values[index]) is not None}
    extremes = [min(known, key=known.__getitem__), max(known, key=known.__getitem__)]
    return gaps + extremes if known else gaps
