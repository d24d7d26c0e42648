"""The role of a caller towards a thing of another person: through its project, or because it is shared with them."""

from __future__ import annotations

from typing import Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.service.access.authorize import role_of
from diamond.service.access.principal import Principal, Role
from diamond.service.people import store as people_store
from diamond.service.people.rows import UserRow
from diamond.service.people.shares import EVERYONE, PERSON, PROJECT, shared_with


class InProject(Protocol):
    """What belongs to a person, and perhaps to a project."""

    @property
    def owner(self) -> str: ...

    @property
    def project(self) -> str: ...


Owned = TypeVar("Owned", bound=InProject)


async def visible(
    connection: AsyncConnection, principal: Principal, kind: str, thing: str, row: Owned | None
) -> tuple[Owned | None, Role | None]:
    """The row and the caller's role; (None, None) both for what is absent and for what is hidden.

    The queries are the same whether or not there is a row, so that timing gives nothing away either.
    """
    shared = await shared_role(connection, principal, kind, thing)
    if row is None:
        return None, None
    role = role_of(principal, owner=row.owner, project=row.project, shared=shared)
    return (row, role) if role is not None else (None, None)


async def shared_role(
    connection: AsyncConnection, principal: Principal, kind: str, thing: str
) -> Role | None:
    """What is shared can be read, not changed."""
    holders = await shared_with(connection, kind, thing)
    own = {(PERSON, principal.user), (EVERYONE, ""), *((PROJECT, p) for p in principal.projects)}
    return Role.VIEWER if holders & own else None


async def find_person(connection: AsyncConnection, text: str) -> UserRow:
    """By id, full address or full name. Not by a part of it: nobody can list all people that way."""
    matches = await people_store.find_people(connection, text)
    if len(matches) != 1:
        raise NotFound(
            f"There is no person {text!r}", "Give their id or full e-mail address, or invite them."
        )
    return matches[0]
