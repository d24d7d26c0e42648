"""Tasks and jobs as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import FINAL_WORDS
from diamond.service.chains.grants import spending
from diamond.service.chains.view import show_attempts, show_chain
from diamond.service.tasks.dependency_store import WAITING, dependencies_of
from diamond.service.tasks.goal_schemas import Happened
from diamond.service.tasks.rows import DependencyProgressRow, HistoryRow, JobRow, TaskRow
from diamond.service.tasks.schemas import Dependency, HistoryLine, Job, Task


async def show_tasks(
    connection: AsyncConnection, rows: Sequence[TaskRow], heard: Mapping[str, float] = {}
) -> list[Task]:
    """`heard`: until when an agent has vouched for a task, beyond what its row says."""
    depending = [row.id for row in rows if row.depends]
    waits_for = await dependencies_of(connection, depending) if depending else {}
    return [show_task(row, waits_for.get(row.id, ()), heard.get(row.id, 0.0)) for row in rows]


async def show_new_task(connection: AsyncConnection, row: TaskRow) -> Task:
    """One that was just made: it depends on something only if it waits."""
    return show_task(row) if not row.phase else (await show_tasks(connection, [row]))[0]


def show_task(
    row: TaskRow, waits_for: Sequence[DependencyProgressRow] = (), heard: float = 0.0
) -> Task:
    attempts, as_of = show_attempts(row.attempts), max(row.as_of, heard)
    return Task.model_validate(
        {
            **vars(row),
            "endpoint": row.endpoint_name,
            "as_of": as_of,
            "order": row.order_json,
            "attempts": attempts,
            "native_id": next(
                (attempt.native_id for attempt in attempts if attempt.id == row.attempt), ""
            ),
            "chain": show_chain(row),
            "happened": show_happened(row, as_of),
            "dependencies": [_dependency(dependency) for dependency in waits_for],
            "awaits": next(
                (dependency.target for dependency in waits_for if dependency.state == WAITING), None
            ),
        }
    )


def _dependency(row: DependencyProgressRow) -> Dependency:
    left = {"id": row.target, "seconds_left": row.seconds_left}
    return Dependency.model_validate({**vars(row), **left})


def show_happened(row: TaskRow, as_of: float) -> Happened | None:
    """What happened beside what was planned: attempts that started, time, and node-hours of all that had nodes; or so far."""
    if row.prediction is None:
        return None
    until = row.ended if row.ended is not None else as_of
    so_far = [
        replace(attempt, ended=until) if attempt.ended is None else attempt
        for attempt in row.attempts
    ]
    return Happened(
        attempts=sum(attempt.started is not None for attempt in row.attempts),
        seconds=max(0.0, until - row.created),
        node_hours=spending(row.chain, row.resources, so_far).node_hours,
        has_ended=row.state in FINAL_WORDS,
    )


def show_job(row: JobRow, tasks: list[str]) -> Job:
    return Job.model_validate({**vars(row), "tasks": tasks})


def show_line(row: HistoryRow) -> HistoryLine:
    return HistoryLine.model_validate(vars(row))
