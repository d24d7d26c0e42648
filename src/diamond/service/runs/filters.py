"""Conditions on columns: `param.lr>0.01`, `state=failed`, `name~resnet`, `metric.loss?`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from diamond.core.errors import BadRequest
from diamond.service.runs.columns import Column, Value, column
from diamond.service.runs.rows import RunRow

_FILTER = re.compile(
    r'(?:"(?P<quoted>[^"]+)"|(?P<plain>[^"=<>!~?]+?))\s*(?P<sign>!=|>=|<=|=|>|<|!~|~|\?)\s*(?P<value>.*)',
    re.DOTALL,
)
SIGNS = "= != > >= < <= ~ (contains) !~ (does not contain) ? (has a value)"
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
}


@dataclass(frozen=True)
class Filter:
    column: Column
    sign: str
    value: str

    def holds(self, run: RunRow) -> bool:
        return _holds(self.column.read(run), self.sign, self.value)


def parse_filter(text: str) -> Filter:
    match = _FILTER.fullmatch(text.strip())
    if match is None:
        raise BadRequest(
            f"{text!r} is not a filter",
            f"Such as param.lr>0.01, state=failed or name~resnet. Signs: {SIGNS}. "
            'A column whose name contains a sign stands in double quotes: "param.a=b"=3.',
        )
    found = column((match["quoted"] or match["plain"]).strip())
    sign, value = match["sign"], match["value"].strip()
    if sign in _ORDERS and _number(value) is None:
        raise BadRequest(
            f"{text!r} compares with {value!r}, which is not a number",
            "Use = or ~ for texts.",
        )
    if sign == "?" and value:
        raise BadRequest(f"{text!r} has a value behind the ?", "Such as metric.loss?")
    return Filter(found, sign, value)


def matching(runs: Sequence[RunRow], filters: Sequence[Filter]) -> list[RunRow]:
    kept = list(runs)
    for each in filters:
        values = each.column.values(kept)
        kept = [
            run
            for run, value in zip(kept, values, strict=True)
            if _holds(value, each.sign, each.value)
        ]
    return kept


def _holds(value: Value, sign: str, wanted: str) -> bool:
    if sign == "?":
        return value is not None and value != ""
    if sign in ("=", "!="):
        return _equal(value, wanted) is (sign == "=")
    if sign in ("~", "!~"):
        contains = wanted.casefold() in _text(value).casefold()
        return contains is (sign == "~")
    number, limit = _number(value), _number(wanted)
    return number is not None and limit is not None and _ORDERS[sign](number, limit)


def _equal(value: Value, wanted: str) -> bool:
    """`0.10` equals 0.1, and `TRUE` a truth; other texts must be the same, letter by letter."""
    if isinstance(value, bool):
        return wanted.casefold() == _text(value)
    if isinstance(value, (int, float)):
        return _number(wanted) == value
    return _text(value) == wanted


def _text(value: Value) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: Value) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number == number else None
