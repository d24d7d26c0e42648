"""Points packed as numbers: a thousand in one row of the database, read at the speed of the disk."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import nan

WIDTH = 8
Triple = tuple[float | None, float | None, float | None]


def _numbers() -> array[float]:
    return array("d")


@dataclass
class Curve:
    """Three columns of equal length; NaN stands for a step, time or value that was not given."""

    steps: array[float] = field(default_factory=_numbers)
    times: array[float] = field(default_factory=_numbers)
    values: array[float] = field(default_factory=_numbers)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def columns(self) -> tuple[array[float], array[float], array[float]]:
        return self.steps, self.times, self.values

    def add(self, points: Iterable[Triple]) -> None:
        for point in points:
            for column, number in zip(self.columns, point, strict=True):
                column.append(nan if number is None else number)

    def join(self, other: Curve) -> None:
        for column, more in zip(self.columns, other.columns, strict=True):
            column.extend(more)

    def part(self, chosen: slice) -> Curve:
        return Curve(*(column[chosen] for column in self.columns))

    def at(self, index: int) -> Triple:
        step, time, value = (column[index] for column in self.columns)
        return _known(step), _known(time), _known(value)

    def last_known(self) -> tuple[float | None, float | None, float] | None:
        """The newest point that has a value."""
        for index in range(len(self) - 1, -1, -1):
            step, time, value = self.at(index)
            if value is not None:
                return step, time, value
        return None

    def rows(self, indexes: Iterable[int]) -> list[tuple[float, float, float]]:
        """(step, time, value), NaN where one was not given."""
        steps, times, values = self.columns
        return [(steps[index], times[index], values[index]) for index in indexes]


def pack(curve: Curve) -> bytes:
    """The columns one after the other, as little-endian doubles."""
    return b"".join(_little(column).tobytes() for column in curve.columns)


def unpack(data: bytes) -> Curve:
    size = len(data) // (3 * WIDTH) * WIDTH
    columns = [_numbers() for _ in range(3)]
    for number, column in enumerate(columns):
        column.frombytes(data[number * size : (number + 1) * size])
    return Curve(*map(_little, columns))


def within(curve: Curve, column: int, first: float | None, last: float | None) -> Curve:
    """The points whose step (column 0) or time (1) is in a range; one that has none is left out."""
    if first is None and last is None:
        return curve
    low = -float("inf") if first is None else first
    high = float("inf") if last is None else last
    numbers = curve.columns[column]
    if (
        len(numbers)
        and low <= min(numbers)
        and max(numbers) <= high
        and sum(numbers) == sum(numbers)
    ):
        return curve
    kept = [index for index, number in enumerate(numbers) if low <= number <= high]
    if kept and kept[-1] - kept[0] == len(kept) - 1:
        return curve.part(slice(kept[0], kept[-1] + 1))
    return Curve(*(array("d", [values[index] for index in kept]) for values in curve.columns))


def _little(column: array[float]) -> array[float]:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column


def _known(number: float) -> float | None:
    return None if number != number else number
