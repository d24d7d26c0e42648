"""Metrics: one series per name, attempt and run, in chunks of packed points; a flood is thinned by halving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.output.curves import Curve, pack, unpack
from diamond.service.output.rows import LogStreamRow, MetricChunkRow, SeriesRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of, rows_of
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
    """Append points of one log stream's row; gives the names of series that were thinned for the first time.

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
    found = {one: Curve() for one in series}
    ordered = query.order_by(metric_chunks.c.series, metric_chunks.c.start)
    for one, data in await connection.execute(ordered):
        found[one].join(unpack(data))
    return found


async def last_points(connection: AsyncConnection, series: Sequence[int]) -> dict[int, Curve]:
    """The newest chunk of each series."""
    found = {}
    for one in series:
        chunk = await _last_chunk(connection, one)
        found[one] = unpack(chunk["data"]) if chunk else Curve()
    return found


async def points_after(
    connection: AsyncConnection, series: SeriesRow, n: int, limit: int
) -> list[tuple[int, Curve, int]]:
    """At most `limit` points with a number of `n` or more: (number, curve, index in it)."""
    stride = series["stride"]
    query = select(metric_chunks).where(
        metric_chunks.c.series == series["id"],
        metric_chunks.c.start > n - CHUNK_POINTS * stride,
    )
    found: list[tuple[int, Curve, int]] = []
    chunks = limit // CHUNK_POINTS + 2
    for row in rows_of(
        await connection.execute(query.order_by(metric_chunks.c.start).limit(chunks)),
        MetricChunkRow,
    ):
        curve = unpack(row["data"])
        numbers = range(row["start"], row["start"] + len(curve) * stride, stride)
        found += [(number, curve, index) for index, number in enumerate(numbers) if number >= n]
    return found[:limit]


async def _series(tx: Transaction, stream: LogStreamRow, names: list[str]) -> dict[str, SeriesRow]:
    key = {name: stream[name] for name in ("task", "attempt", "run")} | {"source": stream["stream"]}
    query = select(metric_series).where(
        *(metric_series.c[name] == value for name, value in key.items()),
        metric_series.c.name.in_(names),
    )
    found = {row["name"]: row for row in rows_of(await tx.connection.execute(query), SeriesRow)}
    fresh = [name for name in names if name not in found]
    if fresh:
        start = {"owner": stream["owner"], "count": 0, "stride": 1, **key}
        await tx.connection.execute(
            insert(metric_series), [{**start, "name": name} for name in fresh]
        )
        found = {row["name"]: row for row in rows_of(await tx.connection.execute(query), SeriesRow)}
    return found


async def _append(tx: Transaction, series: SeriesRow, points: list[Point], limit: int) -> bool:
    count, stride = series["count"], series["stride"]
    numbered = list(enumerate(points, count))
    count += len(points)
    while count // stride > limit:
        stride *= 2
    if stride > series["stride"]:
        await _thin(tx, series, stride // series["stride"])
    kept = [(n, point) for n, point in numbered if n % stride == 0]
    if kept:
        fresh = Curve()
        fresh.add((point.step, point.time, point.value) for _, point in kept)
        await _add(tx, series, kept[0][0], fresh, stride)
    changed = update(metric_series).where(metric_series.c.id == series["id"])
    await tx.connection.execute(changed.values(count=count, stride=stride))
    return bool(series["stride"] == 1 and stride > 1)


async def _add(tx: Transaction, series: SeriesRow, first: int, fresh: Curve, stride: int) -> None:
    """Fill the last chunk, then begin new ones."""
    last = await _last_chunk(tx.connection, series["id"])
    if last is not None and last["length"] < CHUNK_POINTS:
        joined = unpack(last["data"])
        joined.join(fresh)
        first, fresh = last["start"], joined
        gone = delete(metric_chunks).where(
            metric_chunks.c.series == series["id"], metric_chunks.c.start == last["start"]
        )
        await tx.connection.execute(gone)
    await tx.connection.execute(insert(metric_chunks), _chunks(series, first, fresh, stride))


async def _thin(tx: Transaction, series: SeriesRow, step: int) -> None:
    """Keep every `step`th of the points that are there."""
    whole = (await curves_of(tx.connection, [series["id"]]))[series["id"]]
    await tx.connection.execute(delete(metric_chunks).where(metric_chunks.c.series == series["id"]))
    rows = _chunks(series, 0, whole.part(slice(None, None, step)), series["stride"] * step)
    if rows:
        await tx.connection.execute(insert(metric_chunks), rows)


async def _last_chunk(connection: AsyncConnection, series: int) -> MetricChunkRow | None:
    query = select(metric_chunks).where(metric_chunks.c.series == series)
    found = await connection.execute(query.order_by(metric_chunks.c.start.desc()).limit(1))
    return row_of(found, MetricChunkRow)


def _chunks(series: SeriesRow, first: int, curve: Curve, stride: int) -> list[dict[str, Any]]:
    """Rows for points that are numbered from `first` in steps of `stride`."""
    return [
        {
            "series": series["id"],
            "start": first + at * stride,
            "owner": series["owner"],
            "length": len(part),
            "data": pack(part),
        }
        for at in range(0, len(curve), CHUNK_POINTS)
        if (part := curve.part(slice(at, at + CHUNK_POINTS)))
    ]
