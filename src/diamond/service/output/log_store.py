"""Log bytes by offset: the head and the tail of each stream are stored, the middle stays on the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.kept import HEAD_BYTES, TAIL_BYTES
from diamond.service.output.rows import LogChunkRow, LogStreamRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Columns, row_of, rows_of, values_of
from diamond.service.platform.database.tables import log_chunks, log_streams

CHUNK_BYTES = 64 << 10
# A live log comes in small pieces: they are joined up to this size, so that a long log has few rows.
CRUMB_BYTES = 16 << 10
Range = tuple[int, int]


@dataclass(frozen=True)
class StreamKey:
    task: str
    attempt: str
    run: int
    rank: int
    stream: str


# Made once: building a query costs more than running it.
LOCKED_STREAMS = (
    select(log_streams)
    .where(
        log_streams.c.task.in_(bindparam("of_tasks", expanding=True)),
        log_streams.c.attempt.in_(bindparam("of_attempts", expanding=True)),
    )
    .order_by(log_streams.c.id)
    .with_for_update()
)
ADD_STREAMS = insert(log_streams).returning(log_streams.c.id, sort_by_parameter_order=True)
SAVED = ("size", "partial", "bad_lines")
SAVE_STREAMS = (
    update(log_streams)
    .where(log_streams.c.id == bindparam("of_stream"))
    .values({name: bindparam(name) for name in SAVED})
)


class OpenStreams:
    """The streams that one call writes to, locked: found and saved together, as a burst of short jobs writes to hundreds."""

    def __init__(self, owners: Mapping[StreamKey, str]) -> None:
        self._owners = owners
        self._rows: dict[StreamKey, LogStreamRow] = {}
        self._changed: set[StreamKey] = set()

    async def open(self, tx: Transaction) -> None:
        """Each is created at its first bytes."""
        if not self._owners:
            return
        wanted = {
            "of_tasks": sorted({key.task for key in self._owners}),
            "of_attempts": sorted({key.attempt for key in self._owners}),
        }
        found = rows_of(await tx.connection.execute(LOCKED_STREAMS, wanted), LogStreamRow)
        self._rows = {key: row for row in found if (key := _key_of(row)) in self._owners}
        new: list[Columns] = [
            {"owner": owner, "size": 0, "partial": b"", "bad_lines": 0, **vars(key)}
            for key, owner in self._owners.items()
            if key not in self._rows
        ]
        if new:
            made = await tx.connection.execute(ADD_STREAMS, new)
            for stream, row in zip(made.scalars(), new, strict=True):
                opened = LogStreamRow(id=stream, **row)
                self._rows[_key_of(opened)] = opened

    def row(self, key: StreamKey) -> LogStreamRow:
        return self._rows[key]

    def change(self, key: StreamKey, **values: Any) -> None:
        self._rows[key] = replace(self._rows[key], **values)
        self._changed.add(key)

    async def save(self, tx: Transaction) -> None:
        values = [
            {"of_stream": row.id} | {name: getattr(row, name) for name in SAVED}
            for row in sorted((self._rows[key] for key in self._changed), key=lambda row: row.id)
        ]
        if values:
            await tx.connection.execute(SAVE_STREAMS, values)


def _key_of(row: LogStreamRow) -> StreamKey:
    return StreamKey(row.task, row.attempt, row.run, row.rank, row.stream)


async def append(tx: Transaction, stream: LogStreamRow, start: int, data: bytes) -> int:
    """Bytes at `start`, the end of the stream or, after a gap, beyond it; returns the new size."""
    fresh, end = memoryview(data), start + len(data)
    if data and start == stream.size:
        fresh = await _fill_crumb(tx, stream, start, fresh)
    at = end - len(fresh)
    rows = [
        _chunk(stream, at + offset, bytes(fresh[offset : offset + CHUNK_BYTES]))
        for offset in range(0, len(fresh), CHUNK_BYTES)
    ]
    if rows:
        await tx.connection.execute(insert(log_chunks), rows)
    if end > HEAD_BYTES + TAIL_BYTES:
        await _evict(tx, stream.id, end)
    return end


async def streams_of(connection: AsyncConnection, task: str) -> list[LogStreamRow]:
    query = select(log_streams).where(log_streams.c.task == task)
    return rows_of(await connection.execute(query.order_by(log_streams.c.id)), LogStreamRow)


async def kept_ranges(connection: AsyncConnection, stream: int) -> list[Range]:
    """The ranges that are stored here, joined: [(from, to), …]."""
    query = select(log_chunks.c.start, log_chunks.c.length).where(log_chunks.c.stream == stream)
    joined: list[Range] = []
    for start, length in await connection.execute(query.order_by(log_chunks.c.start)):
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], start + length)
        else:
            joined.append((start, start + length))
    return joined


async def read_kept(
    connection: AsyncConnection, stream: int, start: int, limit: int
) -> tuple[int, bytes]:
    """The first stored bytes at or after `start`, without a gap: (their offset, the bytes)."""
    columns = (log_chunks.c.start, log_chunks.c.data)
    query = select(*columns).where(
        log_chunks.c.stream == stream,
        log_chunks.c.start + log_chunks.c.length > start,
        log_chunks.c.start > start - CHUNK_BYTES,
        log_chunks.c.start < start + limit,
    )
    parts: list[bytes] = []
    at, size = start, 0
    for chunk_start, data in await connection.execute(query.order_by(log_chunks.c.start)):
        piece = bytes(data)[max(start - chunk_start, 0) :]
        begins = max(chunk_start, start)
        if not parts:
            at = begins
        elif begins != at + size:
            break
        parts.append(piece)
        size += len(piece)
    return at, b"".join(parts)[: max(start + limit - at, 0)]


async def next_kept(connection: AsyncConnection, stream: int, start: int) -> int | None:
    """Where stored bytes continue, at or after `start`."""
    query = select(log_chunks.c.start).where(
        log_chunks.c.stream == stream, log_chunks.c.start >= start
    )
    first = await connection.execute(query.order_by(log_chunks.c.start).limit(1))
    return first.scalar_one_or_none()


async def _fill_crumb(
    tx: Transaction, stream: LogStreamRow, start: int, data: memoryview
) -> memoryview:
    """Put the first bytes into the last chunk while that is small; returns the rest."""
    of_stream = log_chunks.c.stream == stream.id
    query = select(log_chunks).where(of_stream).order_by(log_chunks.c.start.desc()).limit(1)
    last = row_of(await tx.connection.execute(query), LogChunkRow)
    if last is None or last.length >= CRUMB_BYTES or last.start + last.length != start:
        return data
    taken = data[: CHUNK_BYTES - last.length]
    values = {"data": bytes(last.data) + bytes(taken), "length": last.length + len(taken)}
    changed = update(log_chunks).where(of_stream, log_chunks.c.start == last.start)
    await tx.connection.execute(changed.values(values))
    return data[len(taken) :]


async def _evict(tx: Transaction, stream: int, size: int) -> None:
    middle = delete(log_chunks).where(
        log_chunks.c.stream == stream,
        log_chunks.c.start >= HEAD_BYTES,
        log_chunks.c.start + log_chunks.c.length <= size - TAIL_BYTES,
    )
    await tx.connection.execute(middle)


def _chunk(stream: LogStreamRow, start: int, data: bytes) -> Columns:
    return values_of(LogChunkRow(stream.id, start, stream.owner, len(data), data))
