"""Endpoints under a Unix account that its site has declared a community account: others may run through them.

The machine says so (`/etc/diamond/site.toml`), never the service; whom its owner shares the profile with may then use it.
Each job names the real person, and counts as hers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.endpoints import store as rows
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.people.shares import PROFILE, things_shared_with
from diamond.service.people.store import find_user
from diamond.service.platform.database.rows import Row


async def usable_endpoints(connection: AsyncConnection, user: str) -> Sequence[EndpointRow]:
    """A person's own, then community accounts that are shared with her; of equal names her own is meant."""
    own = await rows.list_endpoints(connection, user)
    shared = await things_shared_with(connection, PROFILE, user)
    found = await rows.endpoints_by_id(connection, shared) if shared else {}
    names = {row["name"] for row in own}
    others = [
        as_guest(row)
        for row in found.values()
        if is_community(row) and row["owner"] != user and row["name"] not in names
    ]
    return [*own, *others]


async def usable_endpoint(connection: AsyncConnection, user: str, name: str) -> EndpointRow:
    """One that a spec of the user was composed for."""
    return next(row for row in await usable_endpoints(connection, user) if row.name == name)


async def require_usable(connection: AsyncConnection, user: str, endpoint: Row) -> None:
    """Before something is run there once more."""
    if endpoint["owner"] == user:
        return
    if not any(row["id"] == endpoint["id"] for row in await usable_endpoints(connection, user)):
        raise Conflict(
            f"{endpoint['name']} is no longer shared with you", "Run the spec on one of your own."
        )


def is_community(row: Mapping[str, Any]) -> bool:
    return bool((row["policy"] or {}).get("community"))


def as_guest(row: EndpointRow) -> EndpointRow:
    """Without what is the owner's alone: secrets, and whether it is the default."""
    return replace(row, secrets=[], is_default=False)


async def name_person(
    connection: AsyncConnection, endpoint: Mapping[str, Any], owner: str
) -> dict[str, str] | None:
    """Whom a job on a community account is for, as its comment will say."""
    if not is_community(endpoint):
        return None
    row = await find_user(connection, owner)
    return {"id": owner, "name": str(row["name"]) if row else owner}
