"""Metrics: one series per name, attempt and run, in chunks of packed points; a long one is thinned by halving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.output.curves import Curve, pack, unpack
from diamond.service.output.rows import LogStreamRow, MetricChunkRow, SeriesRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Columns, row_of, rows_of, values_of
from diamond.service.platform.database.tables import metric_chunks, metric_series

MAX_POINTS = 50_000
CHUNK_POINTS = 1024


@dataclass(frozen=True)
class Point:
    name: str
    step: float | None
    time: float | None
    value: float | None
    """None: the program logged NaN or an infinity."""


async def add_points(
    tx: Transaction, stream: LogStreamRow, points: list[Point], limit: int = MAX_POINTS
) -> list[str]:
    """Append points of one log stream's row; returns the names of series that were thinned for the first time.

    The stream's row lock is held, so the counters of its series are ours.
    """
    by_name: dict[str, list[Point]] = {}
    for point in points:
        by_name.setdefault(point.name, []).append(point)
    series = await _series(tx, stream, sorted(by_name))
    thinned = []
    for name in sorted(by_name):
        if await _append(tx, series[name], by_name[name], limit):
            thinned.append(name)
    return thinned


async def series_of(
    connection: AsyncConnection, tasks: Sequence[str], sources: Sequence[str]
) -> list[SeriesRow]:
    query = select(metric_series).where(
        metric_series.c.task.in_(tasks), metric_series.c.source.in_(sources)
    )
    return rows_of(await connection.execute(query.order_by(metric_series.c.id)), SeriesRow)


async def curves_of(connection: AsyncConnection, series: Sequence[int]) -> dict[int, Curve]:
    """All points of these series."""
    query = select(metric_chunks.c.series, metric_chunks.c.data).where(
        metric_chunks.c.series.in_(series)
    )
    curves = {key: Curve() for key in series}
    ordered = query.order_by(metric_chunks.c.series, metric_chunks.c.start)
    for key, data in await connection.execute(ordered):
        curves[key].join(unpack(data))
    return curves


async def last_points(connection: AsyncConnection, series: Sequence[int]) -> dict[int, Curve]:
    """The newest chunk of each series."""
    curves = {}
    for key in series:
        chunk = await _last_chunk(connection, key)
        curves[key] = unpack(chunk.data) if chunk else Curve()
    return curves


async def points_after(
    connection: AsyncConnection, series: SeriesRow, n: int, limit: int
) -> list[tuple[int, Curve, int]]:
    """At most `limit` points with a number of `n` or more: (number, curve, index in it)."""
    stride = series.stride
    query = select(metric_chunks).where(
        metric_chunks.c.series == series.id,
        metric_chunks.c.start > n - CHUNK_POINTS * stride,
    )
    points: list[tuple[int, Curve, int]] = []
    chunks = limit // CHUNK_POINTS + 2
    for row in rows_of(
        await connection.execute(query.order_by(metric_chunks.c.start).limit(chunks)),
        MetricChunkRow,
    ):
        curve = unpack(row.data)
        numbers = range(row.start, row.start + len(curve) * stride, stride)
        points += [(number, curve, index) for index, number in enumerate(numbers) if number >= n]
    return points[:limit]


async def _series(tx: Transaction, stream: LogStreamRow, names: list[str]) -> dict[str, SeriesRow]:
    query = select(metric_series).where(
        metric_series.c.task == stream.task,
        metric_series.c.attempt == stream.attempt,
        metric_series.c.run == stream.run,
        metric_series.c.source == stream.stream,
        metric_series.c.name.in_(names),
    )
    known = {row.name: row for row in rows_of(await tx.connection.execute(query), SeriesRow)}
    fresh = [_new_series(stream, name) for name in names if name not in known]
    if fresh:
        await tx.connection.execute(insert(metric_series), fresh)
        known = {row.name: row for row in rows_of(await tx.connection.execute(query), SeriesRow)}
    return known


def _new_series(stream: LogStreamRow, name: str) -> Columns:
    return {
        "owner": stream.owner,
        "task": stream.task,
        "attempt": stream.attempt,
        "run": stream.run,
        "source": stream.stream,
        "name": name,
        "count": 0,
        "stride": 1,
    }


async def _append(tx: Transaction, series: SeriesRow, points: list[Point], limit: int) -> bool:
    count, stride = series.count, series.stride
    numbered = list(enumerate(points, count))
    count += len(points)
    while count // stride > limit:
        stride *= 2
    if stride > series.stride:
        await _thin(tx, series, stride // series.stride)
    kept = [(n, point) for n, point in numbered if n % stride == 0]
    if kept:
        fresh = Curve()
        fresh.add((point.step, point.time, point.value) for _, point in kept)
        await _add(tx, series, kept[0][0], fresh, stride)
    changed = update(metric_series).where(metric_series.c.id == series.id)
    await tx.connection.execute(changed.values(count=count, stride=stride))
    return series.stride == 1 and stride > 1


async def _add(tx: Transaction, series: SeriesRow, first: int, fresh: Curve, stride: int) -> None:
    """Fill the last chunk, then begin new ones."""
    last = await _last_chunk(tx.connection, series.id)
    if last is not None and last.length < CHUNK_POINTS:
        joined = unpack(last.data)
        joined.join(fresh)
        first, fresh = last.start, joined
        gone = delete(metric_chunks).where(
            metric_chunks.c.series == series.id, metric_chunks.c.start == last.start
        )
        await tx.connection.execute(gone)
    await tx.connection.execute(insert(metric_chunks), _chunks(series, first, fresh, stride))


async def _thin(tx: Transaction, series: SeriesRow, step: int) -> None:
    """Keep every `step`th of the points that are there."""
    whole = (await curves_of(tx.connection, [series.id]))[series.id]
    await tx.connection.execute(delete(metric_chunks).where(metric_chunks.c.series == series.id))
    rows = _chunks(series, 0, whole.part(slice(None, None, step)), series.stride * step)
    if rows:
        await tx.connection.execute(insert(metric_chunks), rows)


async def _last_chunk(connection: AsyncConnection, series: int) -> MetricChunkRow | None:
    query = select(metric_chunks).where(metric_chunks.c.series == series)
    newest = query.order_by(metric_chunks.c.start.desc()).limit(1)
    return row_of(await connection.execute(newest), MetricChunkRow)


def _chunks(series: SeriesRow, first: int, curve: Curve, stride: int) -> list[Columns]:
    """Rows for points that are numbered from `first` in steps of `stride`."""
    starts = range(0, len(curve), CHUNK_POINTS)
    parts = [(at, curve.part(slice(at, at + CHUNK_POINTS))) for at in starts]
    return [
        values_of(
            MetricChunkRow(series.id, first + at * stride, series.owner, len(part), pack(part))
        )
        for at, part in parts
    ]
