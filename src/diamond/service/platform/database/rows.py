"""Rows as plain mappings from column names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from sqlalchemy import Result

Row = Mapping[str, Any]


def row_of(result: Result[Any]) -> Row | None:
    """The one row, if there is one."""
    return cast("Row | None", result.mappings().one_or_none())


def rows_of(result: Result[Any]) -> list[Row]:
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result]
