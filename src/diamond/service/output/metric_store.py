"""Metrics: one series per name, attempt and run, in chunks of packed points; a long one is thinned by halving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.output.curves import Curve, pack, unpack
from diamond.service.output.metric_summary import note_values
from diamond.service.output.rows import LogStreamRow, MetricChunkRow, SeriesRow, SeriesValues
from diamond.service.output.series_values import Point, curve_values, series_values
from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Columns, rows_of, values_of
from diamond.service.platform.database.tables import metric_chunks, metric_series

MAX_POINTS = 50_000
CHUNK_POINTS = 1024
MOST_NAMES = 2000
"""Of one task, for each source: more cannot be looked at, and each costs every reader of the task."""
SUMMARISED = frozenset({"metrics", "tensorboard"})
"""Streams of the program itself: what a machine was busy with belongs in no table of results."""
VALUE_COLUMNS = tuple(field.name for field in fields(SeriesValues))
_COUNTERS = (
    update(metric_series)
    .where(metric_series.c.id == bindparam("of_id"))
    .values(
        {name: bindparam(f"new_{name}") for name in ("count", "stride", *VALUE_COLUMNS)},
    )
)
SAMPLED_CHUNKS = 4
_REMOVED = delete(metric_chunks).where(
    metric_chunks.c.series == bindparam("of_series"),
    metric_chunks.c.start == bindparam("of_start"),
)


@dataclass(frozen=True)
class Added:
    thinned: list[str]
    """Series that are thinned from now on."""
    left_out: list[str]
    """Names beyond the task's limit."""


async def add_points(
    tx: Transaction,
    stream: LogStreamRow,
    points: list[Point],
    limit: int = MAX_POINTS,
    most_names: int = MOST_NAMES,
) -> Added:
    """Append points of one log stream's row.

    The stream's row lock is held, so the counters of its series are ours.
    """
    by_name: dict[str, list[Point]] = {}
    for point in points:
        by_name.setdefault(point.name, []).append(point)
    series = await _series(tx, stream, list(by_name), most_names)
    ordered = [series[name] for name in sorted(series)]
    thinned: list[str] = []
    for batch in in_batches(ordered):
        thinned += await _append(tx, {row: by_name[row.name] for row in batch}, limit)
    if stream.stream in SUMMARISED:
        points_of = {
            name: [(point.step, point.value) for point in by_name[name]] for name in series
        }
        await note_values(tx, stream.task, points_of)
    return Added(thinned, [name for name in by_name if name not in series])


async def series_of(
    connection: AsyncConnection,
    tasks: Sequence[str],
    sources: Sequence[str],
    attempts: Sequence[str] | None = None,
) -> list[SeriesRow]:
    query = select(metric_series).where(
        metric_series.c.task.in_(tasks), metric_series.c.source.in_(sources)
    )
    if attempts is not None:
        query = query.where(metric_series.c.attempt.in_(attempts))
    return rows_of(await connection.execute(query.order_by(metric_series.c.id)), SeriesRow)


async def curves_of(connection: AsyncConnection, series: Sequence[int]) -> dict[int, Curve]:
    """All points of these series."""
    curves = {key: Curve() for key in series}
    for batch in in_batches(series):
        query = select(metric_chunks.c.series, metric_chunks.c.data).where(
            metric_chunks.c.series.in_(batch)
        )
        ordered = query.order_by(metric_chunks.c.series, metric_chunks.c.start)
        for key, data in await connection.execute(ordered):
            curves[key].join(unpack(data))
    return curves


async def sampled_curves(
    connection: AsyncConnection, series: Sequence[SeriesRow]
) -> dict[int, Curve]:
    """Enough of each series to draw it small: of a long one some chunks only."""
    curves: dict[int, Curve] = {}
    for row in series:
        apart = 1 + row.count // (row.stride * CHUNK_POINTS * SAMPLED_CHUNKS)
        nth = metric_chunks.c.start // (row.stride * CHUNK_POINTS)
        query = select(metric_chunks.c.data).where(
            metric_chunks.c.series == row.id, nth % apart == 0
        )
        curve = curves.setdefault(row.id, Curve())
        for data in (await connection.execute(query.order_by(metric_chunks.c.start))).scalars():
            curve.join(unpack(data))
    return curves


async def last_points(connection: AsyncConnection, series: Sequence[int]) -> dict[int, Curve]:
    """The newest chunk of each series."""
    curves = {key: Curve() for key in series}
    for batch in in_batches(series):
        chunks = await _last_chunks(connection, batch)
        curves.update((key, unpack(chunk.data)) for key, chunk in chunks.items())
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


async def _series(
    tx: Transaction, stream: LogStreamRow, names: list[str], most_names: int
) -> dict[str, SeriesRow]:
    """By name; new ones are created as far as the task's limit allows."""
    known = await _known_series(tx, stream, names)
    missing = [name for name in names if name not in known]
    if not missing:
        return known
    of_task = await _names_of(tx.connection, stream)
    again = [name for name in missing if name in of_task]
    fresh = [name for name in missing if name not in of_task]
    allowed = [*again, *fresh[: max(0, most_names - len(of_task))]]
    if allowed:
        rows = [_new_series(stream, name) for name in allowed]
        await tx.connection.execute(insert(metric_series), rows)
        known |= await _known_series(tx, stream, allowed)
    return known


async def _known_series(
    tx: Transaction, stream: LogStreamRow, names: list[str]
) -> dict[str, SeriesRow]:
    of_stream = select(metric_series).where(
        metric_series.c.task == stream.task,
        metric_series.c.attempt == stream.attempt,
        metric_series.c.run == stream.run,
        metric_series.c.source == stream.stream,
    )
    known: dict[str, SeriesRow] = {}
    for batch in in_batches(names):
        query = of_stream.where(metric_series.c.name.in_(batch))
        rows = rows_of(await tx.connection.execute(query), SeriesRow)
        known |= {row.name: row for row in rows}
    return known


async def _names_of(connection: AsyncConnection, stream: LogStreamRow) -> set[str]:
    """Of all attempts and runs of its task."""
    query = select(metric_series.c.name).where(
        metric_series.c.task == stream.task, metric_series.c.source == stream.stream
    )
    return set((await connection.execute(query.distinct())).scalars())


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


async def _append(tx: Transaction, points: dict[SeriesRow, list[Point]], limit: int) -> list[str]:
    """Some series at once, in few statements; the names of those thinned for the first time."""
    thinned, counters, kept = [], [], {}
    for series, fresh in points.items():
        count, stride = series.count + len(fresh), series.stride
        while count // stride > limit:
            stride *= 2
        if stride > series.stride:
            await _thin(tx, series, stride // series.stride)
            thinned += [series.name] if series.stride == 1 else []
        values = series_values(await _values_before(tx, series), fresh)
        counters.append(
            {
                "of_id": series.id,
                "new_count": count,
                "new_stride": stride,
                **{f"new_{name}": value for name, value in vars(values).items()},
            }
        )
        kept[series] = _kept(fresh, series.count, stride)
    await _add(
        tx, {series: series_kept for series, series_kept in kept.items() if len(series_kept.curve)}
    )
    await tx.connection.execute(_COUNTERS, counters)
    return thinned


async def _values_before(tx: Transaction, series: SeriesRow) -> SeriesValues:
    """Of a series that began before its values were kept, they are read from its points, once."""
    if not series.count or series.last is not None:
        return series.values
    return curve_values((await curves_of(tx.connection, [series.id]))[series.id])


@dataclass(frozen=True)
class _Kept:
    """Points that are numbered from `first` in steps of `stride`."""

    first: int
    stride: int
    curve: Curve


def _kept(points: list[Point], count: int, stride: int) -> _Kept:
    first = -(-count // stride) * stride
    curve = Curve()
    curve.add((point.step, point.time, point.value) for point in points[first - count :: stride])
    return _Kept(first, stride, curve)


async def _add(tx: Transaction, kept: dict[SeriesRow, _Kept]) -> None:
    """Fill the last chunks, then begin new ones."""
    if not kept:
        return
    last = await _last_chunks(tx.connection, [series.id for series in kept])
    gone: list[Columns] = []
    rows: list[Columns] = []
    for series, fresh in kept.items():
        chunk = last.get(series.id)
        first, curve = fresh.first, fresh.curve
        if chunk is not None and chunk.length < CHUNK_POINTS:
            gone.append({"of_series": series.id, "of_start": chunk.start})
            first, curve = chunk.start, unpack(chunk.data)
            curve.join(fresh.curve)
        rows += _chunks(series, first, curve, fresh.stride)
    if gone:
        await tx.connection.execute(_REMOVED, gone)
    await tx.connection.execute(insert(metric_chunks), rows)


async def _thin(tx: Transaction, series: SeriesRow, step: int) -> None:
    """Keep every `step`th of the points that are there."""
    whole = (await curves_of(tx.connection, [series.id]))[series.id]
    await tx.connection.execute(delete(metric_chunks).where(metric_chunks.c.series == series.id))
    rows = _chunks(series, 0, whole.part(slice(None, None, step)), series.stride * step)
    if rows:
        await tx.connection.execute(insert(metric_chunks), rows)


async def _last_chunks(
    connection: AsyncConnection, series: Sequence[int]
) -> dict[int, MetricChunkRow]:
    of = metric_chunks.c
    newest = (
        select(of.series, func.max(of.start).label("start"))
        .where(of.series.in_(series))
        .group_by(of.series)
        .subquery()
    )
    query = select(metric_chunks).join(
        newest, (of.series == newest.c.series) & (of.start == newest.c.start)
    )
    rows = rows_of(await connection.execute(query), MetricChunkRow)
    return {row.series: row for row in rows}


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
