"""A long curve in few points that keeps its peaks."""

from __future__ import annotations

from array import array


def thin(values: array[float], limit: int) -> list[int]:
    """The indexes of at most `limit` points: of each bucket the lowest, the highest and the first that is NaN; and both ends."""
    count = len(values)
    if count <= limit:
        return list(range(count))
    if limit <= 4:
        return [index * (count - 1) // max(limit - 1, 1) for index in range(limit)]
    telling, most = (_with_gaps, 3) if _has_gaps(values) else (_extremes, 2)
    buckets = (limit - 2) // most
    kept = {0, count - 1}
    for bucket in range(buckets):
        first = bucket * count // buckets
        part = values[first : (bucket + 1) * count // buckets]
        kept.update([first + index for index in telling(part)])
    return sorted(kept)


def _extremes(part: array[float]) -> list[int]:
    """The array's own methods run in C: a million points take a tenth of a second."""
    return [part.index(min(part)), part.index(max(part))]


def _with_gaps(part: array[float]) -> list[int]:
    """What a person must not miss: the extremes, and where there is no value."""
    if not _has_gaps(part):
        return _extremes(part)
    known = [index for index, value in enumerate(part) if value == value]
    gap = next(index for index, value in enumerate(part) if value != value)
    if not known:
        return [gap]
    return [gap, min(known, key=part.__getitem__), max(known, key=part.__getitem__)]


def _has_gaps(values: array[float]) -> bool:
    """Values are finite or NaN, and NaN survives a sum; so does inf - inf, which then only costs time."""
    total = sum(values)
    return total != total and any(value != value for value in values)
