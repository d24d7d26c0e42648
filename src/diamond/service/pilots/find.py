"""Pilots of the caller, found and listed."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.service.access.principal import Principal
from diamond.service.pilots import store
from diamond.service.pilots.rows import Held
from diamond.service.pilots.schemas import Pilot
from diamond.service.pilots.views import show_pilot, show_pilots
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services


async def find_pilot(connection: AsyncConnection, principal: Principal, pilot: str) -> Held:
    """One of the caller's own, by its id or a unique beginning of it."""
    matches = await store.pilots_with_prefix(connection, principal.user, pilot) if pilot else []
    if len(matches) > 1 and pilot not in matches:
        raise Conflict(f"Several pilots begin with {pilot}", f"Which one: {', '.join(matches)}?")
    wanted = pilot if pilot in matches else next(iter(matches), "")
    held = (await store.pilots_by_id(connection, [wanted])).get(wanted) if wanted else None
    if held is None:
        raise NotFound(f"There is no pilot {pilot!r}", "`diamond pilot list` lists yours.")
    return held


async def get_pilot(services: Services, principal: Principal, pilot: str) -> Pilot:
    async with services.store.read() as connection:
        held = await find_pilot(connection, principal, pilot)
        return await show_pilot(connection, held.task.id)


async def list_pilots(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> Page[Pilot]:
    async with services.store.read() as connection:
        helds, following = await store.list_pilots(
            connection, principal.user, limit=limit, cursor=cursor
        )
        return Page[Pilot](items=await show_pilots(connection, helds), next=following)
