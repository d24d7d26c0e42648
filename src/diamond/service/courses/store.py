"""Assignments of courses, and the work that was done on them."""

from __future__ import annotations

import time

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.courses.rows import AssignmentRow, CourseTaskRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import rows_of, values_of
from diamond.service.platform.database.tables import assignments, invitations, jobs, tasks
from diamond.service.sign_in.rows import InvitationRow


async def list_assignments(connection: AsyncConnection, project: str) -> list[AssignmentRow]:
    query = select(assignments).where(assignments.c.project == project)
    return rows_of(await connection.execute(query.order_by(assignments.c.created)), AssignmentRow)


async def find_assignment(
    connection: AsyncConnection, project: str, name: str
) -> AssignmentRow | None:
    """By its name or id."""
    rows = await list_assignments(connection, project)
    return next((row for row in rows if name in (row.name, row.id)), None)


async def add_assignment(tx: Transaction, row: AssignmentRow) -> None:
    await tx.connection.execute(insert(assignments), values_of(row))


async def change_assignment(tx: Transaction, row: AssignmentRow) -> None:
    changed = update(assignments).where(assignments.c.id == row.id).values(values_of(row))
    await tx.connection.execute(changed)


async def drop_assignment(tx: Transaction, assignment: str) -> None:
    await tx.connection.execute(delete(assignments).where(assignments.c.id == assignment))


async def work_in(connection: AsyncConnection, project: str) -> list[CourseTaskRow]:
    """Every run in a course, the oldest first."""
    columns = (
        tasks.c.id,
        tasks.c.owner,
        tasks.c.job,
        tasks.c.state,
        tasks.c.reason,
        tasks.c.message,
        tasks.c.created,
        tasks.c.ended,
        jobs.c.assignment,
    )
    query = (
        select(*columns)
        .join(jobs, jobs.c.id == tasks.c.job)
        .where(tasks.c.project == project, tasks.c.kind == "run")
        .order_by(tasks.c.created, tasks.c.id)
    )
    return rows_of(await connection.execute(query), CourseTaskRow)


async def open_invitations(connection: AsyncConnection, project: str) -> list[InvitationRow]:
    query = select(invitations).where(
        invitations.c.project == project,
        invitations.c.used.is_(None),
        invitations.c.expires > time.time(),
    )
    return rows_of(await connection.execute(query.order_by(invitations.c.email)), InvitationRow)
