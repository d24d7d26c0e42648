"""Pages by keyset: a cursor names the last row seen, so page 1000 costs as much as page 1."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

from sqlalchemy import Column, ColumnElement, Select, Subquery, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest
from diamond.service.platform.database.rows import Kind, rows_of

Keys = tuple[Column[Any], Column[Any]]
Key = float | str
"""A value of the first of two keys; the second is the id of a row."""


@dataclass(frozen=True)
class Page(Generic[Kind]):
    rows: list[Kind]
    next: str | None


@dataclass(frozen=True)
class Sieve:
    """A condition that no index answers: it is tried on the next `among` rows and on no others."""

    condition: ColumnElement[bool]
    among: int


async def page_of(
    connection: AsyncConnection,
    kind: type[Kind],
    parts: list[Select[Any]],
    *,
    keys: Keys,
    descending: bool,
    limit: int,
    cursor: str | None,
    sieve: Sieve | None = None,
) -> Page[Kind]:
    """One page of the union of `parts`: each is cut to the page first, so each stays within its index."""
    if not parts:
        return Page([], None)
    after = decode_cursor(cursor, type(keys[0].type.python_type())) if cursor else None
    count = sieve.among if sieve else limit + 1
    cut = [_cut(part, keys, descending=descending, count=count, after=after) for part in parts]
    query = cut[0] if len(cut) == 1 and not sieve else _merged(cut, keys, descending, count)
    if sieve:
        query = query.where(sieve.condition).limit(limit + 1)
    rows = rows_of(await connection.execute(query), kind)
    more = len(rows) > limit
    rows = rows[:limit]
    last = (getattr(rows[-1], keys[0].name), getattr(rows[-1], keys[1].name)) if rows else None
    return Page(rows, encode_cursor(*last) if more and last else None)


@dataclass(frozen=True)
class Reach:
    """The row where a look through a list ends for now."""

    key: Key
    row: str

    @property
    def cursor(self) -> str:
        return encode_cursor(self.key, self.row)

    def holds(self, keys: Keys, *, descending: bool) -> ColumnElement[bool]:
        """Whether a row is not behind it."""
        place = tuple_(*keys)
        return place >= (self.key, self.row) if descending else place <= (self.key, self.row)


async def reach_of(
    connection: AsyncConnection,
    parts: list[Select[Any]],
    *,
    keys: Keys,
    descending: bool,
    count: int,
    cursor: str | None,
) -> Reach | None:
    """Where the next `count` rows end, from the indexes alone; None if there are no more than these."""
    after = decode_cursor(cursor, type(keys[0].type.python_type())) if cursor else None
    cut = [_cut(part, keys, descending=descending, count=count, after=after) for part in parts]
    columns, merged = _merged_keys(cut, keys)
    last = select(*columns).select_from(merged).order_by(*_order(columns, descending))
    row = (await connection.execute(last.offset(count - 1).limit(1))).first()
    return Reach(row[0], row[1]) if row else None


def encode_cursor(key: Key, row: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([key, row]).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, kind: type) -> tuple[Key, str]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        key, row = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError):
        raise _bad_cursor() from None
    number = isinstance(key, (int, float)) and not isinstance(key, bool)
    if not isinstance(row, str) or (not number if kind is float else not isinstance(key, kind)):
        raise _bad_cursor()
    return key, row


def _bad_cursor() -> BadRequest:
    return BadRequest("This cursor is not one of ours", "Use the `next` of the page before it.")


def _cut(
    part: Select[Any], keys: Keys, *, descending: bool, count: int, after: tuple[Key, str] | None
) -> Select[Any]:
    if after is not None:
        place = tuple_(*keys)
        part = part.where(place < after if descending else place > after)
    return part.order_by(*_order(keys, descending)).limit(count)


def _merged(cut: list[Select[Any]], keys: Keys, descending: bool, count: int) -> Select[Any]:
    """The keys of all parts are read from their indexes alone; whole rows only for the page."""
    columns, _ = _merged_keys(cut, keys)
    page = select(columns[1]).order_by(*_order(columns, descending)).limit(count)
    table = keys[1].table
    return select(table).where(keys[1].in_(page)).order_by(*_order(keys, descending))


def _merged_keys(cut: list[Select[Any]], keys: Keys) -> tuple[list[ColumnElement[Any]], Subquery]:
    # SQLite takes no LIMIT inside a bare UNION: each part is wrapped.
    narrow = [select(part.with_only_columns(*keys).subquery()) for part in cut]
    merged = union_all(*narrow).subquery()
    return [merged.c[key.name] for key in keys], merged


def _order(columns: Sequence[ColumnElement[Any]], descending: bool) -> list[ColumnElement[Any]]:
    return [column.desc() if descending else column.asc() for column in columns]
