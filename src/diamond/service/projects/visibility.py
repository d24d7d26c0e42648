"""What a person is to a thing that she did not make: by its project, or because it is shared with her."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.service.access.authorize import role_of
from diamond.service.access.principal import Principal, Role
from diamond.service.people import store as users
from diamond.service.people.shares import EVERYONE, PERSON, PROJECT, shared_with

Row = Mapping[str, Any]
Owned = TypeVar("Owned", bound=Row)


async def visible(
    connection: AsyncConnection, principal: Principal, kind: str, thing: str, row: Owned | None
) -> tuple[Owned | None, Role | None]:
    """The row and what the caller is to it; (None, None) alike for what is absent and for what is hidden.

    The database is asked the same whether or not there is a row: time must not tell a stranger either.
    """
    shared = await shared_role(connection, principal, kind, thing)
    if row is None:
        return None, None
    role = role_of(principal, owner=row["owner"], project=row.get("project") or "", shared=shared)
    return (row, role) if role is not None else (None, None)


async def shared_role(
    connection: AsyncConnection, principal: Principal, kind: str, thing: str
) -> Role | None:
    """A thing shared one by one is for reading."""
    holders = await shared_with(connection, kind, thing)
    known = {(PERSON, principal.user), (EVERYONE, ""), *((PROJECT, p) for p in principal.projects)}
    return Role.VIEWER if holders & known else None


async def find_person(connection: AsyncConnection, text: str) -> Row:
    """By id, or by her whole address or name: nobody goes through the list of people by its beginnings."""
    found = await users.find_people(connection, text)
    if len(found) != 1:
        raise NotFound(
            f"There is no person {text!r}", "Give her id or whole address, or invite her."
        )
    return found[0]
