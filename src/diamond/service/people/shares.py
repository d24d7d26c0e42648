"""What is shared with whom, and the roles of a person in their projects."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import Role
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import (
    jobs,
    members,
    pipeline_steps,
    pipelines,
    projects,
    shares,
    tasks,
)

PERSON, PROJECT, EVERYONE = "person", "project", "everyone"
JOB, IMAGE, PROFILE, MODEL, DATASET = "job", "image", "profile", "model", "dataset"
PIPELINE = "pipeline"


# Asked at every call: built once.
_ROLES = (
    select(members.c.project, members.c.role, projects.c.course.is_not(None).label("is_course"))
    .join(projects, projects.c.id == members.c.project)
    .where(members.c.owner == bindparam("of_owner"))
)
_SHARED = select(shares.c.with_kind, shares.c.with_id).where(
    shares.c.kind == bindparam("of_kind"), shares.c.thing == bindparam("of_thing")
)
# Who sees a pipeline sees the jobs of its steps, but none that was done before in another project, such as a course, where it must stay.
_SHARED_BY_PIPELINE = select(shares.c.with_kind, shares.c.with_id).where(
    shares.c.kind == PIPELINE,
    shares.c.thing.in_(
        select(pipeline_steps.c.pipeline)
        .join(tasks, tasks.c.id == pipeline_steps.c.task)
        .join(jobs, jobs.c.id == tasks.c.job)
        .join(pipelines, pipelines.c.id == pipeline_steps.c.pipeline)
        .where(jobs.c.id == bindparam("of_thing"), jobs.c.project == pipelines.c.project)
    ),
)
_SHARED_WITH = select(shares.c.thing).where(
    shares.c.kind == bindparam("of_kind"),
    or_(
        and_(shares.c.with_kind == PERSON, shares.c.with_id == bindparam("of_user")),
        and_(
            shares.c.with_kind == PROJECT,
            shares.c.with_id.in_(
                select(members.c.project).where(members.c.owner == bindparam("of_user"))
            ),
        ),
        shares.c.with_kind == EVERYONE,
    ),
)


async def roles_of(connection: AsyncConnection, user: str) -> dict[str, Role]:
    """The role of a person in each of their projects, by id."""
    roles, _ = await roles_and_courses(connection, user)
    return roles


async def roles_and_courses(
    connection: AsyncConnection, user: str
) -> tuple[dict[str, Role], frozenset[str]]:
    """The role of a person in each of their projects, and which of these are courses."""
    memberships = (await connection.execute(_ROLES, {"of_owner": user})).all()
    courses = frozenset(row.project for row in memberships if row.is_course)
    return {row.project: Role(row.role) for row in memberships}, courses


async def shared_with(connection: AsyncConnection, kind: str, thing: str) -> set[tuple[str, str]]:
    """Who sees one thing through a share, as (person|project|everyone, id); a job also through the share of its pipeline."""
    holders = await holders_of(connection, kind, thing)
    if kind == JOB:
        rows = await connection.execute(_SHARED_BY_PIPELINE, {"of_thing": thing})
        holders |= {(row.with_kind, row.with_id) for row in rows}
    return holders


async def holders_of(connection: AsyncConnection, kind: str, thing: str) -> set[tuple[str, str]]:
    """Whom its owner shared exactly this thing with."""
    rows = await connection.execute(_SHARED, {"of_kind": kind, "of_thing": thing})
    return {(row.with_kind, row.with_id) for row in rows}


async def things_shared_with(connection: AsyncConnection, kind: str, user: str) -> set[str]:
    """Ids of what is shared with a person, one of their projects, or everyone."""
    things = await connection.execute(_SHARED_WITH, {"of_kind": kind, "of_user": user})
    return set(things.scalars())


async def drop_shares(tx: Transaction, kind: str, thing: str) -> None:
    gone = delete(shares).where(shares.c.kind == kind, shares.c.thing == thing)
    await tx.connection.execute(gone)
