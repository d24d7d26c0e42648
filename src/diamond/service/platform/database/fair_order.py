"""Turns in a queue: each person's oldest first, then each one's second; nobody waits behind another's thousand."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, func, select


def in_turns(
    key: ColumnElement[Any],
    owner: ColumnElement[Any],
    oldest: ColumnElement[Any],
    which: ColumnElement[bool],
    limit: int | ColumnElement[int],
) -> Select[Any]:
    """Keys of the rows whose turn it is. Without a lock: PostgreSQL locks no rows that were ranked."""
    turn = func.row_number().over(partition_by=owner, order_by=(oldest, key))
    ranked = select(key.label("key"), turn.label("turn"), oldest.label("oldest")).where(which)
    ranked_rows = ranked.subquery()
    return (
        select(ranked_rows.c.key)
        .order_by(ranked_rows.c.turn, ranked_rows.c.oldest, ranked_rows.c.key)
        .limit(limit)
    )
