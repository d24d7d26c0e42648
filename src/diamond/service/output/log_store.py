"""Log bytes by offset: the head and the tail of each stream are stored, the middle stays on the cluster."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from sqlalchemy import Update, bindparam, delete, insert, select, update
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


# Made once: each part of each log asks for its stream, and building the query costs more than running it.
ONE_STREAM = select(log_streams).where(
    *(log_streams.c[each.name] == bindparam(each.name) for each in fields(StreamKey))
)
LOCKED_STREAM = ONE_STREAM.with_for_update()
ADD_STREAM = insert(log_streams).returning(log_streams.c.id)


async def open_stream(tx: Transaction, owner: str, key: StreamKey) -> LogStreamRow:
    """The stream's row, locked; created at its first bytes."""
    stream = await _find(tx.connection, key, lock=True)
    if stream is None:
        row: Columns = {"owner": owner, "size": 0, "partial": b"", "bad_lines": 0, **vars(key)}
        made = await tx.connection.execute(ADD_STREAM, row)
        stream = LogStreamRow(id=made.scalar_one(), **row)
    return stream


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


async def save_stream(tx: Transaction, stream: int, values: Columns) -> None:
    await tx.connection.execute(_saving(*sorted(values)), {"of_stream": stream, **values})


@cache
def _saving(*names: str) -> Update:
    changed = update(log_streams).where(log_streams.c.id == bindparam("of_stream"))
    return changed.values({name: bindparam(name) for name in names})


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


async def _find(connection: AsyncConnection, key: StreamKey, *, lock: bool) -> LogStreamRow | None:
    result = await connection.execute(LOCKED_STREAM if lock else ONE_STREAM, vars(key))
    return row_of(result, LogStreamRow)


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
