"""What open trials have logged: read again only where something is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.output.metric_store import curves_of
from diamond.service.output.metrics import TRAINING
from diamond.service.output.rows import SeriesRow
from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.rows import rows_of
from diamond.service.platform.database.tables import metric_series
from diamond.service.studies.mirrors import CachedCurve, StudyMirror
from diamond.service.studies.rows import TrialTask
from diamond.service.studies.tuned import measured
from diamond.studies.plan import StudyPlan, Tune
from diamond.studies.pruning import Steps
from diamond.studies.values import LoggedPoint, counted_steps, final_of, resource_steps


@dataclass(frozen=True)
class TaskValues:
    """Of one task of a trial."""

    steps: Steps = ()
    """Of the first objective."""
    finals: tuple[float | None, ...] = ()
    """Of each objective; None where it has no value."""
    has_enough: bool = False
    """Of a tuning study: nothing more is to be measured."""
    refused: str = ""
    """Why it does not count, though it was measured."""

    @property
    def has_value(self) -> bool:
        return bool(self.finals) and all(value is not None for value in self.finals)


async def read_values(
    connection: AsyncConnection,
    plan: StudyPlan,
    mirror: StudyMirror,
    tasks: Sequence[Sequence[TrialTask]],
) -> dict[str, TaskValues]:
    """By task; each item of `tasks` is the tasks of one repeat, and its last one counts. A task that continues another
    one's files continues its curve too."""
    wanted = [task.task for group in tasks for task in group]
    names = [plan.tune.metric] if plan.tune else [o.name for o in plan.objectives]
    counter = plan.pruner.unit if plan.pruner.unit != "step" else ""
    series = await _series(connection, wanted, [*names, *([counter] if counter else [])])
    await _fill(connection, mirror, series)
    by_task: dict[str, list[SeriesRow]] = {}
    for row in series:
        by_task.setdefault(row.task, []).append(row)
    if plan.tune:
        return {
            group[-1].task: _tuned(plan.tune, mirror, group, by_task) for group in tasks if group
        }
    return {
        group[-1].task: _values(plan, counter, mirror, [by_task.get(t.task, []) for t in group])
        for group in tasks
        if group
    }


async def _series(
    connection: AsyncConnection, tasks: Sequence[str], names: Sequence[str]
) -> list[SeriesRow]:
    rows: list[SeriesRow] = []
    for batch in in_batches(list(tasks)):
        query = select(metric_series).where(
            metric_series.c.task.in_(batch),
            metric_series.c.source.in_(TRAINING),
            metric_series.c.name.in_(list(names)),
        )
        rows += rows_of(await connection.execute(query.order_by(metric_series.c.id)), SeriesRow)
    return rows


async def _fill(
    connection: AsyncConnection, mirror: StudyMirror, series: Sequence[SeriesRow]
) -> None:
    cached = mirror.curves
    new = [row for row in series if row.id not in cached or cached[row.id].count != row.count]
    curves = await curves_of(connection, [row.id for row in new])
    for row in new:
        curve = curves[row.id]
        cached[row.id] = CachedCurve(row.count, curve.rows(range(len(curve))))
    present = {row.id for row in series}
    for key in [key for key in cached if key not in present]:
        del cached[key]


def _values(
    plan: StudyPlan, counter: str, mirror: StudyMirror, attempts: Sequence[Sequence[SeriesRow]]
) -> TaskValues:
    points: Mapping[str, list[list[LoggedPoint]]] = _by_name(mirror, attempts)
    first = [point for curve in points.get(plan.objectives[0].name, []) for point in curve]
    counted = [point for curve in points.get(counter, []) for point in curve] if counter else []
    steps = resource_steps(first, counted)
    if counter and not counted:
        steps = counted_steps(first)
    finals = tuple(
        final_of(objective, plan.value, points.get(objective.name, []))
        for objective in plan.objectives
    )
    return TaskValues(steps, finals)


def _tuned(
    tune: Tune,
    mirror: StudyMirror,
    group: Sequence[TrialTask],
    by_task: Mapping[str, Sequence[SeriesRow]],
) -> TaskValues:
    """The first trial is the spec as written; only it is measured without a comparison."""
    task = group[-1]
    points = [point for row in by_task.get(task.task, ()) for point in mirror.curves[row.id].points]
    first = mirror.trials[0]
    written = first.steps if task.trial and first.is_complete else None
    trial = mirror.trials[task.trial]
    seen = measured(tune, trial.params, points, written, has_ended=task.has_ended)
    if seen.throughput is not None and task.trial and not written:
        seen = replace(seen, refused="the spec as written gave no measurement to compare with")
    finals = () if seen.throughput is None or seen.refused else (seen.throughput,)
    return TaskValues(seen.losses, finals, seen.has_enough, seen.refused)


def _by_name(
    mirror: StudyMirror, attempts: Sequence[Sequence[SeriesRow]]
) -> dict[str, list[list[LoggedPoint]]]:
    by_name: dict[str, list[list[LoggedPoint]]] = {}
    for rows in attempts:
        for row in rows:
            by_name.setdefault(row.name, []).append(mirror.curves[row.id].points)
    return by_name
