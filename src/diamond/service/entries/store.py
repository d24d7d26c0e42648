"""Records: the only SQL that touches them. Nothing here changes or removes an entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Integer, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.provenance.record import Record, assemble
from diamond.service.entries.rows import AnchoredHeadRow, AnchorRow, EntryRow, RecordRow
from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.engine import LostRace, Transaction
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import (
    anchored_heads,
    anchors,
    record_entries,
    record_texts,
    records,
)

# Written with every task that is made or ends: built once.
_HEADS = select(records).where(records.c.task.in_(bindparam("of_tasks", expanding=True)))
_ADD_RECORDS = insert(records)
_ADD_ENTRIES = insert(record_entries)
_MOVE_HEAD = (
    update(records)
    .where(
        records.c.task == bindparam("of_task"), records.c.n == bindparam("before", type_=Integer)
    )
    .values(n=bindparam("new_n"), head=bindparam("new_head"), changed=bindparam("new_changed"))
)
_ENTRIES = (
    select(record_entries)
    .where(record_entries.c.task == bindparam("of_task"))
    .order_by(record_entries.c.n)
)


async def heads_of(connection: AsyncConnection, tasks: Collection[str]) -> dict[str, RecordRow]:
    """Those that have a record."""
    if not tasks:
        return {}
    rows = await connection.execute(_HEADS, {"of_tasks": sorted(tasks)})
    return {row.task: row for row in rows_of(rows, RecordRow)}


async def add_entries(
    tx: Transaction,
    entries: Sequence[EntryRow],
    new: Sequence[RecordRow],
    moved: Sequence[tuple[RecordRow, RecordRow]],
) -> None:
    """Entries with the records they begin, and those that they continue (as they were, and as they become)."""
    if new:
        await tx.connection.execute(_ADD_RECORDS, [values_of(row) for row in new])
    if moved:
        await _move_heads(tx, moved)
    if entries:
        await tx.connection.execute(_ADD_ENTRIES, [values_of(row) for row in entries])


async def _move_heads(tx: Transaction, moved: Sequence[tuple[RecordRow, RecordRow]]) -> None:
    """Not every driver counts the rows of many updates at once: the heads are read again."""
    changes: list[dict[str, Any]] = [
        {
            "of_task": before.task,
            "before": before.n,
            "new_n": after.n,
            "new_head": after.head,
            "new_changed": after.changed,
        }
        for before, after in moved
    ]
    result = await tx.connection.execute(_MOVE_HEAD, changes)
    if len(changes) == 1 and result.rowcount == 1:
        return
    now = await heads_of(tx.connection, {after.task for _, after in moved})
    for _, after in moved:
        if now[after.task].head != after.head:
            raise LostRace(after.task)


async def entries_of(connection: AsyncConnection, task: str) -> list[EntryRow]:
    """In their order."""
    return rows_of(await connection.execute(_ENTRIES, {"of_task": task}), EntryRow)


async def entries_of_many(
    connection: AsyncConnection, tasks: Sequence[str], kinds: Collection[str] = ()
) -> dict[str, list[EntryRow]]:
    """By task, each in order; only some kinds of them, if named."""
    entries: dict[str, list[EntryRow]] = {task: [] for task in tasks}
    for batch in in_batches(tasks):
        query = select(record_entries).where(record_entries.c.task.in_(batch))
        if kinds:
            query = query.where(record_entries.c.kind.in_(sorted(kinds)))
        ordered = query.order_by(record_entries.c.task, record_entries.c.n)
        for row in rows_of(await connection.execute(ordered), EntryRow):
            entries[row.task].append(row)
    return entries


async def find_record(connection: AsyncConnection, task: str) -> RecordRow | None:
    query = select(records).where(records.c.task == task)
    return row_of(await connection.execute(query), RecordRow)


async def record_of(connection: AsyncConnection, task: str) -> Record:
    """The whole record, with its sealed values; empty where there is none. Raises `BadRequest` if it cannot be read."""
    return assemble(row.entry for row in await entries_of(connection, task))


async def put_texts(tx: Transaction, owner: str, texts: Iterable[tuple[str, str]]) -> None:
    """Texts that entries name by digest: locks, lists of packages, scripts. Each is kept once per person."""
    rows = [{"owner": owner, "digest": digest, "text": text} for digest, text in texts]
    await tx.insert_new(record_texts, rows)


async def read_texts(
    connection: AsyncConnection, owner: str, digests: Collection[str]
) -> dict[str, str]:
    query = select(record_texts.c.digest, record_texts.c.text).where(
        record_texts.c.owner == owner, record_texts.c.digest.in_(sorted(digests))
    )
    rows = await connection.execute(query)
    return {str(row.digest): str(row.text) for row in rows}


async def not_anchored(connection: AsyncConnection, limit: int) -> list[RecordRow]:
    """Records with entries that no anchor covers, those that wait longest first."""
    query = select(records).where(records.c.anchored < records.c.n)
    first = query.order_by(records.c.changed).limit(limit)
    return rows_of(await connection.execute(first), RecordRow)


async def last_anchor(connection: AsyncConnection) -> AnchorRow | None:
    query = select(anchors).order_by(anchors.c.n.desc()).limit(1)
    return row_of(await connection.execute(query), AnchorRow)


async def add_anchor(tx: Transaction, anchor: AnchorRow, heads: Sequence[AnchoredHeadRow]) -> None:
    await tx.connection.execute(insert(anchors), values_of(anchor))
    await tx.connection.execute(insert(anchored_heads), [values_of(head) for head in heads])
    covered = update(records).where(records.c.task == bindparam("of_task"))
    await tx.connection.execute(
        covered.values(anchored=bindparam("new_n")),
        [{"of_task": head.task, "new_n": head.n} for head in heads],
    )


async def anchors_after(connection: AsyncConnection, n: int, limit: int = 1000) -> list[AnchorRow]:
    query = select(anchors).where(anchors.c.n > n).order_by(anchors.c.n).limit(limit)
    return rows_of(await connection.execute(query), AnchorRow)


async def anchor_by_number(connection: AsyncConnection, n: int) -> AnchorRow | None:
    return row_of(await connection.execute(select(anchors).where(anchors.c.n == n)), AnchorRow)


async def heads_in(connection: AsyncConnection, anchor: int) -> list[AnchoredHeadRow]:
    query = select(anchored_heads).where(anchored_heads.c.anchor == anchor)
    return rows_of(await connection.execute(query.order_by(anchored_heads.c.task)), AnchoredHeadRow)


async def anchored(connection: AsyncConnection, task: str) -> list[AnchoredHeadRow]:
    """Each time that an anchor covered this record."""
    query = select(anchored_heads).where(anchored_heads.c.task == task)
    ordered = query.order_by(anchored_heads.c.anchor)
    return rows_of(await connection.execute(ordered), AnchoredHeadRow)
