"""Runs for the table, newest first: only what a row shows, none of the large columns of a task."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Select, Text, cast, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.tables import (
    imported_runs,
    projects,
    run_summaries,
    tasks,
    users,
)
from diamond.service.platform.packed_metrics import Unpacker
from diamond.service.runs.rows import TASK, RunRow

MOST_RUNS = 20_000
"""Of the newest: a call reads no more, and says so."""
AT_ONCE = 1000


async def read_runs(
    connection: AsyncConnection, *, owner: str = "", project: str = "", most: int = MOST_RUNS
) -> list[RunRow]:
    """Of one person, of one project, or of a person in a project; newest first."""
    made = await _rows(connection, _tasks(owner, project).limit(most))
    brought = await _rows(connection, _imported(owner, project).limit(most))
    if not brought:
        return made
    both = sorted([*made, *brought], key=lambda run: (run.created, run.id), reverse=True)
    return both[:most]


async def metrics_of(connection: AsyncConnection, task: str) -> bytes | None:
    query = select(run_summaries.c.metrics).where(run_summaries.c.task == task)
    return (await connection.execute(query)).scalar_one_or_none()


async def _rows(connection: AsyncConnection, query: Select[Any]) -> list[RunRow]:
    """In parts, since SQLite is read in the thread that answers everybody else."""
    result = await connection.execute(query)
    rows: list[RunRow] = []
    while part := result.fetchmany(AT_ONCE):
        rows += _decoded(part)
        await asyncio.sleep(0)
    return rows


def _decoded(part: Sequence[Any]) -> Iterator[RunRow]:
    packed = Unpacker()
    for row in part:
        run = RunRow(*row)
        tags, facts, metrics = row[-3:]
        run.tags = from_json(tags) if tags != "[]" else []
        run.facts = from_json(facts) if facts else {}
        run.metrics = packed.read(metrics)
        yield run


def _tasks(owner: str, project: str) -> Select[Any]:
    of = tasks.c
    query = (
        select(
            of.id,
            literal(TASK),
            of.name,
            of.state,
            of.reason,
            of.exit_code,
            of.endpoint_name,
            users.c.name,
            projects.c.name,
            of.created,
            of.started,
            of.ended,
            of.node_seconds,
            of.retry_of,
            cast(of.tags, Text),
            cast(run_summaries.c.facts, Text),
            run_summaries.c.metrics,
        )
        .select_from(tasks)
        .join(users, users.c.id == of.owner)
        .outerjoin(projects, projects.c.id == of.project)
        .outerjoin(run_summaries, run_summaries.c.task == of.id)
        .where(of.kind == "run")
    )
    whose = [of.project == project] if project else []
    whose += [of.owner == owner] if owner else []
    return query.where(*whose).order_by(of.created.desc(), of.id.desc())


def _imported(owner: str, project: str) -> Select[Any]:
    of = imported_runs.c
    query = (
        select(
            of.id,
            of.source,
            of.name,
            of.state,
            literal(""),
            literal(None),
            of.experiment,
            users.c.name,
            projects.c.name,
            of.created,
            of.started,
            of.ended,
            literal(0.0),
            literal(""),
            cast(of.tags, Text),
            cast(of.facts, Text),
            of.metrics,
        )
        .select_from(imported_runs)
        .join(users, users.c.id == of.owner)
        .outerjoin(projects, projects.c.id == of.project)
    )
    whose = [of.project == project] if project else []
    whose += [of.owner == owner] if owner else []
    return query.where(*whose).order_by(of.created.desc(), of.id.desc())
