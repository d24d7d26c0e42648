"""A long curve in few points that keeps its peaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

P = TypeVar("P")


def thin(points: Sequence[P], values: Sequence[float], limit: int) -> list[P]:
    """At most `limit` points: the lowest and the highest of each bucket, and both ends."""
    count = len(points)
    if count <= limit:
        return list(points)
    if limit <= 4:
        return [points[index * (count - 1) // max(limit - 1, 1)] for index in range(limit)]
    buckets = (limit - 2) // 2
    kept = {0, count - 1}
    for bucket in range(buckets):
        span = range(bucket * count // buckets, (bucket + 1) * count // buckets)
        kept.add(min(span, key=values.__getitem__))
        kept.add(max(span, key=values.__getitem__))
    return [points[index] for index in sorted(kept)]
