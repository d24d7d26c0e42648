"""Columns from rows: a type, what is missing, and a histogram or the most frequent values."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Iterable, List, Optional, Sequence

from diamond.core.previews import (
    MOST_BARS,
    MOST_COLUMNS,
    MOST_ROWS,
    MOST_VALUES,
    PreviewColumn,
    PreviewHistogram,
    PreviewValue,
)
from diamond.data.previews.cells import cell

BARS = 16
FEW_VALUES = 50
_MISSING = ("", "na", "nan", "null", "none", "n/a")


def histogram(numbers: Sequence[float]) -> Optional[PreviewHistogram]:
    """None where there are no two numbers."""
    finite = [number for number in numbers if math.isfinite(number) and abs(number) < 1e300]
    if len(finite) < 2:
        return None
    low, high = min(finite), max(finite)
    if low == high:
        return PreviewHistogram(low, high, [len(finite)])
    bars = min(BARS, MOST_BARS)
    counts = [0] * bars
    for number in finite:
        counts[min(int((number - low) / (high - low) * bars), bars - 1)] += 1
    return PreviewHistogram(low, high, counts)


def columns_of_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> List[PreviewColumn]:
    """Types are guessed from what stands in the rows."""
    return [
        _from_text(name, [row[index] if index < len(row) else "" for row in rows])
        for index, name in enumerate(names[:MOST_COLUMNS])
    ]


def column_of_values(name: str, kind: str, values: Sequence[Any]) -> PreviewColumn:
    """Of values that have types already; None is missing."""
    known = [value for value in values if value is not None]
    missing = len(values) - len(known)
    numbers = [
        float(value)
        for value in known
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
    ]
    if known and len(numbers) == len(known):
        return PreviewColumn(cell(name), cell(kind), missing, histogram(numbers))
    return PreviewColumn(
        cell(name), cell(kind), missing, None, frequent(cell(value) for value in known)
    )


def frequent(values: Iterable[str]) -> List[PreviewValue]:
    """Where there are few different ones."""
    counts = Counter(values)
    if not counts or len(counts) > FEW_VALUES:
        return []
    return [PreviewValue(value, count) for value, count in counts.most_common(MOST_VALUES)]


def first_rows(rows: Sequence[Sequence[Any]]) -> List[List[str]]:
    return [[cell(value) for value in row[:MOST_COLUMNS]] for row in rows[:MOST_ROWS]]


def _from_text(name: str, values: Sequence[str]) -> PreviewColumn:
    known = [value.strip() for value in values if value.strip().lower() not in _MISSING]
    missing = len(values) - len(known)
    numbers = [number for number in map(_number, known) if number is not None]
    if known and len(numbers) == len(known):
        whole = all(number.is_integer() and "." not in text for number, text in zip(numbers, known))
        return PreviewColumn(
            cell(name), "integer" if whole else "number", missing, histogram(numbers)
        )
    kind = "text" if known else "empty"
    return PreviewColumn(cell(name), kind, missing, None, frequent(cell(value) for value in known))


def _number(text: str) -> Optional[float]:
    if len(text) > 40 or (not text[-1:].isdigit() and text[-1:] != "."):
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
