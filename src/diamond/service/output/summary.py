"""What people look at first: how far a task is, its main curve, and the values of its metrics."""

from __future__ import annotations

import shlex
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import FINAL_WORDS
from diamond.planning.progress import (
    EPOCH_METRICS,
    Progress,
    Reading,
    Target,
    measure_progress,
    target_of,
)
from diamond.planning.step_times import Point
from diamond.service.access.principal import Principal
from diamond.service.output import metric_store, schemas
from diamond.service.output.curves import Curve
from diamond.service.output.headline import best_end, most_telling
from diamond.service.output.metrics import TRAINING
from diamond.service.output.rows import SeriesRow, SeriesValues
from diamond.service.output.series_values import curve_values, joined_values
from diamond.service.output.thinning import thin
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import tasks_by_id
from diamond.service.tasks.tasks import find_task

SPARK_POINTS = 60
VALUES_AT_MOST = 200
"""Of one task, by name."""
_BY_TASK = Mapping[str, Sequence[SeriesRow]]


async def summaries(
    services: Services, principal: Principal, tasks: Sequence[str], *, sparks: bool
) -> list[schemas.TaskSummary]:
    async with services.store.read() as connection:
        rows = await _readable(connection, principal, list(dict.fromkeys(tasks)))
        return await summarize(connection, rows, sparks=sparks)


async def _readable(
    connection: AsyncConnection, principal: Principal, tasks: Sequence[str]
) -> list[TaskRow]:
    """The caller's own in one query; each of somebody else's is asked about by itself."""
    known = await tasks_by_id(connection, set(tasks))
    own = {task: row for task, row in known.items() if row.owner == principal.user}
    return [own.get(task) or await find_task(connection, principal, task) for task in tasks]


async def summarize(
    connection: AsyncConnection, rows: Sequence[TaskRow], *, sparks: bool
) -> list[schemas.TaskSummary]:
    """Of each in its order. The values of metrics are kept beside their curves, so no points are read for them."""
    series = await metric_store.series_of(connection, [row.id for row in rows], TRAINING)
    by_task: dict[str, list[SeriesRow]] = defaultdict(list)
    for metric in series:
        by_task[metric.task].append(metric)
    values = await _values(connection, by_task)
    progress = await _progress(connection, rows, by_task)
    main = {row.id: most_telling(values[row.id]) for row in rows if values.get(row.id)}
    drawn = await _sparks(connection, by_task, main) if sparks else {}
    return [
        schemas.TaskSummary(
            task=row.id,
            main=main.get(row.id),
            params=_params(row),
            values=[*_shown_values(values.get(row.id, {})), *_kept_values(row)][:VALUES_AT_MOST],
            progress=_shown_progress(progress.get(row.id), row),
            spark=drawn.get(row.id, []),
        )
        for row in rows
    ]


async def final_values(
    connection: AsyncConnection, tasks: Sequence[str]
) -> dict[str, dict[str, SeriesValues]]:
    """Of all metrics of these tasks, by task and name."""
    by_task: dict[str, list[SeriesRow]] = defaultdict(list)
    for metric in await metric_store.series_of(connection, tasks, TRAINING):
        by_task[metric.task].append(metric)
    return await _values(connection, by_task)


async def _values(
    connection: AsyncConnection, by_task: _BY_TASK
) -> dict[str, dict[str, SeriesValues]]:
    older = [
        metric.id
        for rows in by_task.values()
        for metric in rows
        if metric.count and metric.last is None
    ]
    curves = await metric_store.curves_of(connection, older) if older else {}
    values: dict[str, dict[str, SeriesValues]] = {}
    for task, rows in by_task.items():
        parts: dict[str, list[SeriesValues]] = defaultdict(list)
        for metric in rows:
            known = curve_values(curves[metric.id]) if metric.id in curves else metric.values
            parts[metric.name].append(known)
        values[task] = {name: joined_values(known) for name, known in sorted(parts.items())}
    return values


def _shown_values(values: Mapping[str, SeriesValues]) -> list[schemas.MetricValues]:
    return [
        schemas.MetricValues(
            name=name,
            last=known.last,
            step=known.last_step,
            min=known.low,
            min_step=known.low_step,
            max=known.high,
            max_step=known.high_step,
            best=best_end(name),
        )
        for name, known in values.items()
        if known.last is not None and known.low is not None and known.high is not None
    ]


def _kept_values(row: TaskRow) -> list[schemas.MetricValues]:
    """Of an archived task, what is kept of its curves."""
    return [
        schemas.MetricValues.model_validate({**kept, "name": name, "best": best_end(name)})
        for name, kept in (row.final_metrics or {}).items()
        if isinstance(kept, dict)
    ]


async def _progress(
    connection: AsyncConnection, rows: Sequence[TaskRow], by_task: _BY_TASK
) -> dict[str, Progress]:
    """From the newest points of each task's newest run."""
    chosen = {row.id: _counting_series(by_task.get(row.id, ())) for row in rows}
    wanted = [metric.id for series in chosen.values() for metric in series]
    newest = await metric_store.last_points(connection, wanted) if wanted else {}
    measured = {}
    for row in rows:
        reading = _reading(chosen[row.id], newest, by_task.get(row.id, ()))
        now = None if row.state in FINAL_WORDS else time.time()
        progress = measure_progress(_target(row), reading, now=now)
        if progress is not None:
            measured[row.id] = progress
    return measured


def _counting_series(series: Sequence[SeriesRow]) -> list[SeriesRow]:
    """Of the newest run: its curve of most points, and the curve of its epochs."""
    if not series:
        return []
    newest = max(series, key=lambda metric: metric.id)
    same_run = [
        metric for metric in series if (metric.attempt, metric.run) == (newest.attempt, newest.run)
    ]
    others = [metric for metric in same_run if metric.name not in EPOCH_METRICS]
    epochs = [metric for metric in same_run if metric.name in EPOCH_METRICS]
    longest = max(others or same_run, key=lambda metric: metric.count)
    return [longest, *epochs[:1]]


def _reading(
    chosen: Sequence[SeriesRow], newest: Mapping[int, Curve], series: Sequence[SeriesRow]
) -> Reading:
    if not chosen:
        return Reading()
    counted = newest.get(chosen[0].id, Curve())
    epochs = newest.get(chosen[1].id, Curve()) if len(chosen) > 1 else Curve()
    return Reading(
        steps=_known(counted.steps, counted.times),
        epochs=_known(epochs.values, epochs.times),
        counts_from_zero=any(metric.first_step == 0 for metric in series),
    )


def _known(numbers: Sequence[float], times: Sequence[float]) -> list[Point]:
    return [(n, at) for n, at in zip(numbers, times, strict=True) if n == n and at == at]


def _target(row: TaskRow) -> Target | None:
    goal = row.prediction
    if goal is not None:
        return Target("step", float(goal.steps))
    argv, command = row.order_json.get("argv"), row.order_json.get("command")
    arguments = (
        [str(word) for word in argv] if isinstance(argv, list) and argv else _split_command(command)
    )
    return target_of(_params(row), arguments)


def _params(row: TaskRow) -> JsonObject:
    params = row.order_json.get("params")
    return params if isinstance(params, dict) else {}


def _split_command(command: object) -> list[str]:
    try:
        return shlex.split(str(command or "")[:10_000])
    except ValueError:
        return []


def _shown_progress(progress: Progress | None, row: TaskRow) -> schemas.Progress | None:
    if progress is None:
        return None
    left = progress.seconds_left if row.state == "running" else None
    return schemas.Progress(
        unit=progress.unit,
        done=progress.done,
        total=progress.total,
        fraction=progress.fraction,
        seconds_left=left,
    )


async def _sparks(
    connection: AsyncConnection, by_task: _BY_TASK, main: Mapping[str, str | None]
) -> dict[str, list[float]]:
    """The main curve of each in a few points."""
    drawn = {
        task: [metric for metric in rows if metric.name == main.get(task)]
        for task, rows in by_task.items()
    }
    wanted = [metric for rows in drawn.values() for metric in rows]
    curves = await metric_store.sampled_curves(connection, wanted)
    return {task: _spark([curves[metric.id] for metric in rows]) for task, rows in drawn.items()}


def _spark(curves: Sequence[Curve]) -> list[float]:
    whole = Curve()
    for curve in curves:
        whole.join(curve)
    values = [whole.values[index] for index in thin(whole.values, SPARK_POINTS)]
    return [value for value in values if value == value]
