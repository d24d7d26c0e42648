"""Ids by their first letters, as a range of the index."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, and_

# Above every letter that an id may have.
LAST = "~"


def starts_with(column: Column[Any], prefix: str) -> ColumnElement[bool]:
    return and_(column >= prefix, column < prefix + LAST)
