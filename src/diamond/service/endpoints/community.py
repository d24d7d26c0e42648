"""Endpoints under a Unix account that its site has declared a community account: others may run through them.

The machine says so (`/etc/diamond/site.toml`), never the service; whoever its owner shares the profile with may then use it.
Each job names the real person, and counts as theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.endpoints import store
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.people.shares import PROFILE, things_shared_with
from diamond.service.people.store import find_user, people_by_id
from diamond.service.platform.database.rows import JsonObject


async def usable_endpoints(connection: AsyncConnection, user: str) -> Sequence[EndpointRow]:
    """A user's own, then community accounts that are shared with them; of equal names their own counts, then the oldest."""
    own = await store.list_endpoints(connection, user)
    shared = await things_shared_with(connection, PROFILE, user)
    others = await store.endpoints_by_id(connection, shared) if shared else {}
    by_name = {endpoint.name: endpoint for endpoint in own}
    for endpoint in sorted(others.values(), key=lambda endpoint: endpoint.created):
        if is_community(endpoint) and endpoint.owner != user:
            by_name.setdefault(endpoint.name, as_guest(endpoint))
    return list(by_name.values())


async def owners_of_accounts(
    connection: AsyncConnection, user: str, endpoints: Sequence[EndpointRow]
) -> dict[str, str]:
    """The names of those under whose accounts a user would run there, by endpoint; not their own."""
    others = {endpoint.id: endpoint.owner for endpoint in endpoints if endpoint.owner != user}
    people = await people_by_id(connection, set(others.values())) if others else []
    names = {person.id: person.name for person in people}
    return {endpoint: names.get(owner, owner) for endpoint, owner in others.items()}


async def usable_endpoint(connection: AsyncConnection, user: str, name: str) -> EndpointRow:
    """One that a spec of the user was composed for."""
    usable = await usable_endpoints(connection, user)
    return next(endpoint for endpoint in usable if endpoint.name == name)


async def require_usable(connection: AsyncConnection, user: str, endpoint: EndpointRow) -> None:
    """Before something runs there again."""
    if endpoint.owner == user:
        return
    if not any(usable.id == endpoint.id for usable in await usable_endpoints(connection, user)):
        raise Conflict(
            f"{endpoint.name} is no longer shared with you", "Run the spec on one of your own."
        )


def is_community(endpoint: EndpointRow) -> bool:
    return endpoint.policy.community


def as_guest(endpoint: EndpointRow) -> EndpointRow:
    """Without what is the owner's alone: secrets, and whether it is the default."""
    return replace(endpoint, secrets=[], is_default=False)


async def name_person(
    connection: AsyncConnection, endpoint: EndpointRow, owner: str
) -> JsonObject | None:
    """Whom a job on a community account is for, as its comment will say."""
    if not is_community(endpoint):
        return None
    user = await find_user(connection, owner)
    return {"id": owner, "name": user.name if user else owner}
