"""Which digests any row mentions: whatever they name must stay."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import JSON, Column, String, Table, Text, cast, select, tuple_

from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.tables import metadata

# Large tables that never hold the digest of a blob, and those that say whose it is.
WITHOUT = frozenset(
    {"artifact_places", "artifacts", "events", "history", "name_endings", "removed_code", "users"}
)
ROWS_AT_ONCE = 200
DIGEST = re.compile(r"[0-9a-f]{64}")


async def mentioned_digests(store: Store) -> set[str]:
    """Plain hex. Every text of every other table is read, so that a new one cannot be forgotten."""
    digests: set[str] = set()
    for table in metadata.sorted_tables:
        texts = [column for column in table.columns if isinstance(column.type, (String, JSON))]
        if table.name not in WITHOUT and texts:
            async for text in _texts(store, table, texts):
                digests.update(DIGEST.findall(text))
    return digests


async def _texts(store: Store, table: Table, texts: list[Column[Any]]) -> AsyncIterator[str]:
    """Row by row, a few at a time: the service stays responsive."""
    keys = list(table.primary_key.columns)
    shown = [*keys, *(cast(column, Text).label(f"text_{column.name}") for column in texts)]
    query = select(*shown).order_by(*keys).limit(ROWS_AT_ONCE)
    last: tuple[Any, ...] | None = None
    while True:
        page = query if last is None else query.where(tuple_(*keys) > last)
        async with store.read() as connection:
            rows = (await connection.execute(page)).all()
        for row in rows:
            yield " ".join(str(text) for text in row[len(keys) :] if text)
        if len(rows) < ROWS_AT_ONCE:
            return
        last = tuple(rows[-1][: len(keys)])
        await asyncio.sleep(0)
