"""Reading metrics: one curve per name, over all attempts and runs, in few enough points to draw."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import Principal
from diamond.service.output import metric_store as metrics
from diamond.service.output.curves import Curve, within
from diamond.service.output.rows import SeriesRow
from diamond.service.output.thinning import thin
from diamond.service.platform.services import Services
from diamond.service.platform.text import csv_cell
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import find_task

TRAINING = ("metrics", "tensorboard")
USAGE = ("usage",)


@dataclass(frozen=True)
class CurvesWanted:
    sources: tuple[str, ...]
    names: frozenset[str] = frozenset()
    """Empty: all."""
    points: int = 1000
    steps: tuple[float | None, float | None] = (None, None)
    times: tuple[float | None, float | None] = (None, None)

    def takes(self, series: SeriesRow) -> bool:
        return not self.names or series.name in self.names


@dataclass
class Whole:
    """The whole curve of a name and task: its series joined in the order of their first points."""

    task: str
    name: str
    curve: Curve
    is_thinned: bool


@dataclass(frozen=True)
class DrawnCurve:
    """As `schemas.Series`, which would take longer to check than the points take to read."""

    task: str
    name: str
    points: list[tuple[float, float, float]]
    thinned: bool
    count: int
    first_step: float | None
    last_step: float | None


@dataclass(frozen=True)
class NameWithTasks:
    name: str
    tasks: list[str]


Beside = dict[str, list[NameWithTasks] | None]


async def read_metrics(
    services: Services, principal: Principal, task: str, wanted: CurvesWanted
) -> bytes:
    """`{"items": [Series]}` as JSON."""
    return await _answer(services, principal, [task], wanted, lambda _: {"next": None})


async def task_curves(
    connection: AsyncConnection, task: str, sources: tuple[str, ...]
) -> list[Curve]:
    """One curve for each name that a task logged, over all its attempts and runs."""
    series = await metrics.series_of(connection, [task], sources)
    curves = await metrics.curves_of(connection, [row.id for row in series])
    return [whole.curve for whole in _joined([task], series, curves)]


async def small_curves(
    connection: AsyncConnection, task: str, *, most: int, points: int
) -> dict[str, list[list[float]]]:
    """Steps and values of what a task logged, by name, in few points: small enough to be kept with something else."""
    series = await metrics.series_of(connection, [task], TRAINING)
    curves = await metrics.curves_of(connection, [row.id for row in series])
    return {
        whole.name: [
            [n if step != step else step, value]
            for n, (step, _, value) in enumerate(whole.curve.rows(thin(whole.curve.values, points)))
            if isfinite(value)
        ]
        for whole in _joined([task], series, curves)[:most]
    }


async def compare(
    services: Services, principal: Principal, tasks: list[str], wanted: CurvesWanted
) -> bytes:
    """A MetricSet as JSON: curves of several tasks, and the names of all their curves."""
    return await _answer(services, principal, tasks, wanted, lambda names: {"names": names})


async def as_csv(
    services: Services, principal: Principal, task: str, *, usage: bool
) -> tuple[TaskRow, str]:
    """The task, and every kept point of it."""
    wanted = CurvesWanted(USAGE if usage else TRAINING)
    rows, series = await _find(services, principal, [task], wanted)
    wholes = await _load(services, [rows[0].id], series)
    return rows[0], await asyncio.to_thread(_csv, wholes)


async def _answer(
    services: Services,
    principal: Principal,
    tasks: list[str],
    wanted: CurvesWanted,
    beside: Callable[[list[NameWithTasks]], Beside],
) -> bytes:
    """Series only grow or are thinned, so their counts and strides say whether a cached answer is still right."""
    rows, series = await _find(services, principal, tasks, wanted)
    ids = list(dict.fromkeys(row.id for row in rows))
    taken = [metric for metric in series if wanted.takes(metric)]
    rest = beside(_names(ids, series))

    async def make() -> bytes:
        wholes = await _load(services, ids, taken)
        return await asyncio.to_thread(lambda: _json({"items": _drawn(wholes, wanted), **rest}))

    known = tuple((metric.id, metric.count, metric.stride) for metric in series)
    return await services.recent.get((tuple(ids), wanted, known, *rest), make)


async def _find(
    services: Services, principal: Principal, tasks: Sequence[str], wanted: CurvesWanted
) -> tuple[list[TaskRow], Sequence[SeriesRow]]:
    async with services.store.read() as connection:
        rows = [await find_task(connection, principal, task) for task in dict.fromkeys(tasks)]
        ids = list(dict.fromkeys(row.id for row in rows))
        return rows, await metrics.series_of(connection, ids, wanted.sources)


async def _load(services: Services, ids: list[str], series: Sequence[SeriesRow]) -> list[Whole]:
    async with services.store.read() as connection:
        curves = await metrics.curves_of(connection, [metric.id for metric in series])
    return _joined(ids, series, curves)


def _joined(ids: list[str], series: Sequence[SeriesRow], curves: dict[int, Curve]) -> list[Whole]:
    ordered = sorted(series, key=lambda metric: _first_time(curves[metric.id]))
    wholes: dict[tuple[str, str], Whole] = {}
    for metric in ordered:
        key = metric.task, metric.name
        whole = wholes.setdefault(key, Whole(*key, Curve(), False))
        whole.curve.join(curves[metric.id])
        whole.is_thinned = whole.is_thinned or metric.stride > 1
    return sorted(wholes.values(), key=lambda metric: (metric.name, ids.index(metric.task)))


def _first_time(curve: Curve) -> float:
    """A series without times stays behind those that have some."""
    first = curve.at(0)[1] if len(curve) else None
    return inf if first is None else first


def _names(ids: list[str], series: Sequence[SeriesRow]) -> list[NameWithTasks]:
    having: dict[str, set[str]] = {}
    for metric in series:
        having.setdefault(metric.name, set()).add(metric.task)
    return [
        NameWithTasks(name, [task for task in ids if task in having[name]])
        for name in sorted(having)
    ]


def _drawn(wholes: list[Whole], wanted: CurvesWanted) -> list[DrawnCurve]:
    return [_draw(whole, wanted) for whole in wholes]


def _draw(whole: Whole, wanted: CurvesWanted) -> DrawnCurve:
    seen = within(within(whole.curve, 0, *wanted.steps), 1, *wanted.times)
    points = seen.rows(thin(seen.values, wanted.points))
    steps = [step for step, _, _ in points if step == step]
    return DrawnCurve(
        task=whole.task,
        name=whole.name,
        points=points,
        thinned=whole.is_thinned or len(points) < len(seen),
        count=len(seen),
        first_step=min(steps, default=None),
        last_step=max(steps, default=None),
    )


def _json(answer: dict[str, object]) -> bytes:
    """Written at once: checking 40 000 points against their schema takes longer than reading them."""
    return to_json(answer, inf_nan_mode="null")


def _csv(wholes: list[Whole]) -> str:
    target = io.StringIO()
    rows = csv.writer(target, lineterminator="\n")
    rows.writerow(["name", "step", "time", "value"])
    for whole in wholes:
        points = (whole.curve.at(index) for index in range(len(whole.curve)))
        name = csv_cell(whole.name)
        rows.writerows((name, *point) for point in points)
    return target.getvalue()
