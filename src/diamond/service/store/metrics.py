"""Metrics: one series per name, attempt and run; a flood is thinned by halving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.store.engine import Transaction
from diamond.service.store.rows import Row, rows_of
from diamond.service.store.tables import metric_points, metric_series

MAX_POINTS = 50_000


@dataclass(frozen=True)
class Point:
    name: str
    step: float | None
    time: float | None
    value: float | None
    """None: the program logged NaN or an infinity."""


async def add_points(
    tx: Transaction, stream: Row, points: list[Point], limit: int = MAX_POINTS
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


async def series_of(connection: AsyncConnection, task: str, sources: list[str]) -> list[Row]:
    query = select(metric_series).where(
        metric_series.c.task == task, metric_series.c.source.in_(sources)
    )
    return rows_of(await connection.execute(query.order_by(metric_series.c.id)))


async def points_after(
    connection: AsyncConnection, series: int, n: int, limit: int | None = None
) -> list[Row]:
    """Points with a number of `n` or more."""
    query = select(metric_points).where(metric_points.c.series == series, metric_points.c.n >= n)
    query = query.order_by(metric_points.c.n)
    return rows_of(await connection.execute(query.limit(limit) if limit else query))


async def _series(tx: Transaction, stream: Row, names: list[str]) -> dict[str, Row]:
    key = {name: stream[name] for name in ("task", "attempt", "run")} | {"source": stream["stream"]}
    query = select(metric_series).where(
        *(metric_series.c[name] == value for name, value in key.items()),
        metric_series.c.name.in_(names),
    )
    found = {row["name"]: row for row in rows_of(await tx.connection.execute(query))}
    fresh = [name for name in names if name not in found]
    if fresh:
        start = {"owner": stream["owner"], "count": 0, "stride": 1, **key}
        await tx.connection.execute(
            insert(metric_series), [{**start, "name": name} for name in fresh]
        )
        found = {row["name"]: row for row in rows_of(await tx.connection.execute(query))}
    return found


async def _append(tx: Transaction, series: Row, points: list[Point], limit: int) -> bool:
    count, stride = series["count"], series["stride"]
    numbered = list(enumerate(points, count))
    count += len(points)
    while count // stride > limit:
        stride *= 2
    if stride > series["stride"]:
        await _thin(tx, series["id"], stride)
    rows = [_row(series, n, point) for n, point in numbered if n % stride == 0]
    if rows:
        await tx.connection.execute(insert(metric_points), rows)
    changed = update(metric_series).where(metric_series.c.id == series["id"])
    await tx.connection.execute(changed.values(count=count, stride=stride))
    return bool(series["stride"] == 1 and stride > 1)


async def _thin(tx: Transaction, series: int, stride: int) -> None:
    gone = delete(metric_points).where(
        metric_points.c.series == series, metric_points.c.n % stride != 0
    )
    await tx.connection.execute(gone)


def _row(series: Row, n: int, point: Point) -> dict[str, Any]:
    return {
        "series": series["id"], "n": n, "owner": series["owner"],
        "step": point.step, "time": point.time, "value": point.value,
    }  # fmt: skip
