"""Projects, who is in them, and what is shared with whom."""

from __future__ import annotations

import time
from collections.abc import Collection

from sqlalchemy import and_, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import Role
from diamond.service.people.shares import EVERYONE, JOB, PERSON, PIPELINE, PROJECT, holders_of
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject, row_of, rows_of, values_of
from diamond.service.platform.database.tables import (
    assignments,
    jobs,
    limits,
    members,
    pipelines,
    projects,
    shares,
    tasks,
    users,
)
from diamond.service.projects.rows import (
    MemberRow,
    NamedShareRow,
    ProjectRow,
    SharedJobRow,
    ShareRow,
)


async def add_project(tx: Transaction, project: ProjectRow) -> None:
    await tx.connection.execute(insert(projects), values_of(project))


async def change_project(tx: Transaction, project: str, values: JsonObject) -> None:
    await tx.connection.execute(update(projects).where(projects.c.id == project).values(values))


async def projects_by_id(connection: AsyncConnection, wanted: Collection[str]) -> list[ProjectRow]:
    query = select(projects).where(projects.c.id.in_(sorted(wanted)))
    return rows_of(await connection.execute(query.order_by(projects.c.created.desc())), ProjectRow)


async def find_project(connection: AsyncConnection, project: str) -> ProjectRow | None:
    query = select(projects).where(projects.c.id == project)
    return row_of(await connection.execute(query), ProjectRow)


async def drop_project(tx: Transaction, project: str) -> None:
    await tx.connection.execute(delete(members).where(members.c.project == project))
    shared = delete(shares).where(shares.c.with_kind == PROJECT, shares.c.with_id == project)
    await tx.connection.execute(shared)
    await tx.connection.execute(delete(assignments).where(assignments.c.project == project))
    await tx.connection.execute(delete(limits).where(limits.c.subject == project))
    await tx.connection.execute(delete(projects).where(projects.c.id == project))


async def count_tasks(connection: AsyncConnection, project: str) -> int:
    query = select(func.count()).select_from(tasks).where(tasks.c.project == project)
    return int((await connection.execute(query)).scalar_one())


async def move_job(tx: Transaction, job: str, project: str) -> None:
    """With its tasks."""
    for table, key in ((jobs, jobs.c.id), (tasks, tasks.c.job)):
        await tx.connection.execute(update(table).where(key == job).values(project=project))


async def drop_shares_of_students(tx: Transaction, course: str) -> None:
    """Of work in a course, where only its managers see the work of others; what these share themselves stays shared."""
    managers = select(members.c.owner).where(
        members.c.project == course, members.c.role == Role.MANAGER.value
    )
    for kind, table in ((JOB, jobs), (PIPELINE, pipelines)):
        work = select(table.c.id).where(table.c.project == course, table.c.owner.not_in(managers))
        gone = delete(shares).where(shares.c.kind == kind, shares.c.thing.in_(work))
        await tx.connection.execute(gone)


async def list_members(connection: AsyncConnection, project: str) -> list[MemberRow]:
    query = (
        select(members, users.c.name, users.c.email)
        .join(users, users.c.id == members.c.owner)
        .where(members.c.project == project)
    )
    return rows_of(await connection.execute(query.order_by(users.c.name)), MemberRow)


async def put_member(tx: Transaction, project: str, user: str, role: Role) -> None:
    changed = update(members).where(members.c.project == project, members.c.owner == user)
    if (await tx.connection.execute(changed.values(role=role.value))).rowcount:
        return
    row = {"project": project, "owner": user, "role": role.value, "created": time.time()}
    await tx.connection.execute(insert(members), row)


async def drop_member(tx: Transaction, project: str, user: str) -> bool:
    gone = delete(members).where(members.c.project == project, members.c.owner == user)
    return bool((await tx.connection.execute(gone)).rowcount)


async def add_share(tx: Transaction, share: ShareRow) -> bool:
    """Whether it is new."""
    holders = await holders_of(tx.connection, share.kind, share.thing)
    is_new = (share.with_kind, share.with_id) not in holders
    if is_new:
        await tx.connection.execute(insert(shares), values_of(share))
    return is_new


async def drop_share(tx: Transaction, kind: str, thing: str, with_kind: str, with_id: str) -> bool:
    gone = delete(shares).where(
        shares.c.kind == kind,
        shares.c.thing == thing,
        shares.c.with_kind == with_kind,
        shares.c.with_id == with_id,
    )
    return bool((await tx.connection.execute(gone)).rowcount)


async def list_shares(connection: AsyncConnection, kind: str, thing: str) -> list[NamedShareRow]:
    """The oldest first."""
    query = (
        select(shares, func.coalesce(users.c.name, projects.c.name, "").label("name"))
        .join(
            users, (shares.c.with_kind == PERSON) & (users.c.id == shares.c.with_id), isouter=True
        )
        .join(
            projects,
            (shares.c.with_kind == PROJECT) & (projects.c.id == shares.c.with_id),
            isouter=True,
        )
        .where(shares.c.kind == kind, shares.c.thing == thing)
    )
    return rows_of(await connection.execute(query.order_by(shares.c.created)), NamedShareRow)


async def jobs_shared_with(
    connection: AsyncConnection, user: str, own_projects: Collection[str], limit: int
) -> list[SharedJobRow]:
    """Single jobs that others share with a person, the newest share first."""
    holds = or_(
        and_(shares.c.with_kind == PERSON, shares.c.with_id == user),
        and_(shares.c.with_kind == PROJECT, shares.c.with_id.in_(sorted(own_projects))),
        shares.c.with_kind == EVERYONE,
    )
    tasks_of = select(tasks.c.id).where(tasks.c.job == shares.c.thing)
    first = tasks_of.order_by(tasks.c.created).limit(1).correlate(shares).scalar_subquery()
    query = (
        select(
            shares.c.kind,
            shares.c.thing,
            jobs.c.name,
            users.c.name.label("by"),
            func.max(shares.c.created).label("created"),
            first.label("task"),
        )
        .join(jobs, jobs.c.id == shares.c.thing)
        .join(users, users.c.id == shares.c.owner)
        .where(shares.c.kind == "job", shares.c.owner != user, holds)
        .group_by(shares.c.kind, shares.c.thing, jobs.c.name, users.c.name)
        .order_by(func.max(shares.c.created).desc())
    )
    return rows_of(await connection.execute(query.limit(limit)), SharedJobRow)
