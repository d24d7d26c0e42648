"""Which parts of a file are there."""

from __future__ import annotations

from typing import Iterable, Iterator, List, Tuple


class Ranges:
    """Half-open ranges, merged as they come."""

    def __init__(self, parts: Iterable[Tuple[int, int]] = ()) -> None:
        self._parts: List[Tuple[int, int]] = []
        for start, end in parts:
            self.add(start, end)

    def add(self, start: int, end: int) -> None:
        """Most often behind the last one."""
        if self._parts and self._parts[-1][1] == start:
            self._parts[-1] = (self._parts[-1][0], end)
            return
        merged, kept = (start, end), []
        for part in self._parts:
            if part[1] < merged[0] or merged[1] < part[0]:
                kept.append(part)
            else:
                merged = (min(part[0], merged[0]), max(part[1], merged[1]))
        self._parts = sorted([*kept, merged])

    def missing(self, size: int) -> Iterator[Tuple[int, int]]:
        """Offset and length of what is not there."""
        at = 0
        for start, end in self._parts:
            if start > at:
                yield at, start - at
            at = max(at, end)
        if at < size:
            yield at, size - at

    def is_whole(self, size: int) -> bool:
        return next(self.missing(size), None) is None

    @property
    def count(self) -> int:
        return sum(end - start for start, end in self._parts)
