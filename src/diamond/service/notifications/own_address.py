"""Mail goes only to addresses that belong to their person: else a Diamond would mail strangers in its own name."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest
from diamond.service.people.store import find_user
from diamond.service.platform.services import Services


async def require_own_address(
    connection: AsyncConnection, services: Services, user: str, address: str
) -> None:
    if not address or await is_own_address(connection, services, user, address):
        return
    person = await find_user(connection, user)
    own = person.email if person else ""
    raise BadRequest(
        f"{address} is not your verified address",
        f"Use {own}." if own else "Sign in with a provider that has verified an address of yours.",
    )


async def is_own_address(
    connection: AsyncConnection, services: Services, user: str, address: str
) -> bool:
    """The one that the person's provider has verified. Without providers, Diamond is one person's own."""
    if not services.settings.is_shared:
        return True
    person = await find_user(connection, user)
    return person is not None and address.lower() == person.email.lower() != ""
