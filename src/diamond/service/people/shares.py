"""What is shared with whom, and what a person is in each project."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import Role
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import members, projects, shares

PERSON = "person"


PROJECT = "project"


EVERYONE = "everyone"


JOB = "job"


IMAGE = "image"


PROFILE = "profile"


# Asked at every call: built once.
_ROLES = (
    select(members.c.project, members.c.role, projects.c.course.is_not(None).label("is_course"))
    .join(projects, projects.c.id == members.c.project)
    .where(members.c.owner == bindparam("of_owner"))
)


_SHARED = select(shares.c.with_kind, shares.c.with_id).where(
    shares.c.kind == bindparam("of_kind"), shares.c.thing == bindparam("of_thing")
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
    """What a person is in each of her projects."""
    return (await places_of(connection, user))[0]


async def places_of(
    connection: AsyncConnection, user: str
) -> tuple[dict[str, Role], frozenset[str]]:
    """What a person is in each of her projects, and which of them are courses."""
    found = (await connection.execute(_ROLES, {"of_owner": user})).all()
    courses = frozenset(row.project for row in found if row.is_course)
    return {row.project: Role(row.role) for row in found}, courses


async def shared_with(connection: AsyncConnection, kind: str, thing: str) -> set[tuple[str, str]]:
    """(person|project|everyone, id) that one thing is shared with."""
    found = await connection.execute(_SHARED, {"of_kind": kind, "of_thing": thing})
    return {(row.with_kind, row.with_id) for row in found}


async def things_shared_with(connection: AsyncConnection, kind: str, user: str) -> set[str]:
    """Ids of what others show a person, herself or by a project of hers."""
    found = await connection.execute(_SHARED_WITH, {"of_kind": kind, "of_user": user})
    return set(found.scalars())


async def drop_shares(tx: Transaction, kind: str, thing: str) -> None:
    gone = delete(shares).where(shares.c.kind == kind, shares.c.thing == thing)
    await tx.connection.execute(gone)
