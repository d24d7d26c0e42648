"""Sorting, grouping and writing of the table. No I/O."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import mul

from diamond.core.errors import BadRequest
from diamond.service.platform.text import csv_cell
from diamond.service.runs.columns import Column, Value, column
from diamond.service.runs.filters import Filter, matching, parse_filter
from diamond.service.runs.rows import RunRow

DEFAULT = ("name", "state", "endpoint", "created", "duration")
MOST_COLUMNS, MOST_FILTERS, MOST_GROUPS = 100, 20, 4


@dataclass(frozen=True)
class Asked:
    """What a person asked of the table, read and checked."""

    columns: tuple[Column, ...]
    filters: tuple[Filter, ...] = ()
    sort: tuple[tuple[Column, bool], ...] = ()
    """Each with whether it descends."""
    group: tuple[Column, ...] = ()


@dataclass(frozen=True)
class Spread:
    """Of one column over the runs of a group that have a number there."""

    count: int
    mean: float
    spread: float | None
    """Standard deviation of a sample; None of one run alone."""
    min: float
    max: float


@dataclass(frozen=True)
class Group:
    by: list[Value]
    count: int
    runs: list[str]
    """Ids of the first of them."""
    columns: list[Spread | None]
    """None where no run has a number."""


RUNS_OF_A_GROUP = 50
MOST_GROUPS_SHOWN = 1000
"""Grouping by something that differs in every run would give as many groups as runs."""


def read_request(
    columns: Sequence[str], filters: Sequence[str], sort: Sequence[str], group: Sequence[str]
) -> Asked:
    """Raises `BadRequest`."""
    for what, given, most in (
        ("columns", columns, MOST_COLUMNS),
        ("filters", filters, MOST_FILTERS),
        ("groups", group, MOST_GROUPS),
        ("columns to sort by", sort, MOST_GROUPS),
    ):
        if len(given) > most:
            raise BadRequest(f"{len(given)} {what}: at most {most} in one table")
    return Asked(
        columns=tuple(column(name) for name in dict.fromkeys(columns or DEFAULT)),
        filters=tuple(parse_filter(text) for text in filters),
        sort=tuple((column(name.removeprefix("-")), name.startswith("-")) for name in sort),
        group=tuple(column(name) for name in dict.fromkeys(group)),
    )


def chosen(runs: Sequence[RunRow], asked: Asked) -> list[RunRow]:
    """Those that match, in the order that was asked for. `runs` come newest first."""
    kept = matching(runs, asked.filters) if asked.filters else list(runs)
    for each, descends in reversed(asked.sort):
        kept = _sorted(kept, each, descends)
    return kept


def cells(runs: Sequence[RunRow], columns: Sequence[Column]) -> list[tuple[Value, ...]]:
    return list(zip(*(each.values(runs) for each in columns), strict=True))


def groups(runs: Sequence[RunRow], asked: Asked) -> tuple[list[Group], int]:
    """The first of them in the order of their first runs, and how many there are. Each column is read once for all groups."""
    grouped: dict[tuple[Value, ...], list[int]] = {}
    for number, key in enumerate(cells(runs, asked.group)):
        grouped.setdefault(key, []).append(number)
    columns = [_numbers(each.values(runs)) for each in asked.columns]
    shown = [
        Group(
            by=list(key),
            count=len(members),
            runs=[runs[number].id for number in members[:RUNS_OF_A_GROUP]],
            columns=[
                _spread([values[n] for n in members]) if values else None for values in columns
            ],
        )
        for key, members in islice(grouped.items(), MOST_GROUPS_SHOWN)
    ]
    return shown, len(grouped)


def as_csv(runs: Sequence[RunRow], columns: Sequence[Column]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([csv_cell(each.name) for each in columns])
    writer.writerows([_cell(value) for value in row] for row in cells(runs, columns))
    return target.getvalue()


def _cell(value: Value) -> Value:
    return csv_cell(value) if isinstance(value, str) else value


def _sorted(runs: list[RunRow], by: Column, descends: bool) -> list[RunRow]:
    """Numbers before texts; runs without a value come last, whichever way it is sorted."""
    known: list[tuple[tuple[int, float, str], RunRow]] = []
    empty: list[RunRow] = []
    for run, value in zip(runs, by.values(runs), strict=True):
        key = _key(value)
        if key is None:
            empty.append(run)
        else:
            known.append((key, run))
    known.sort(key=lambda pair: pair[0], reverse=descends)
    return [run for _, run in known] + empty


def _key(value: Value) -> tuple[int, float, str] | None:
    if value is None or value == "":
        return None
    if isinstance(value, (int, float)):
        return (0, float(value), "") if math.isfinite(value) else None
    return 1, 0.0, value.casefold()


def spread_of(values: Iterable[Value]) -> Spread | None:
    return _spread(_numbers(list(values)))


def _numbers(values: Sequence[Value]) -> list[float | None]:
    """None where a value is not a finite number; empty if there is no number at all."""
    if not {int, float} & set(map(type, values)):
        return []
    return [
        value if (type(value) is float or type(value) is int) and math.isfinite(value) else None
        for value in values
    ]


def _spread(values: Sequence[float | None]) -> Spread | None:
    numbers = [value for value in values if value is not None]
    if not numbers:
        return None
    count, mean = len(numbers), math.fsum(numbers) / len(numbers)
    if min(numbers) == max(numbers):  # rounding of the mean must not look like a spread
        return Spread(count, numbers[0], 0.0 if count > 1 else None, numbers[0], numbers[0])
    away = [number - mean for number in numbers]
    spread = math.sqrt(math.fsum(map(mul, away, away)) / (count - 1)) if count > 1 else None
    return Spread(count, mean, spread, min(numbers), max(numbers))
