"""The caller as the pages show them, and the cookie of their browser."""

from __future__ import annotations

import time

from diamond.service.access.principal import Principal
from diamond.service.people import session_store as sessions
from diamond.service.people import store as people_store
from diamond.service.people.schemas import Me
from diamond.service.platform.services import Services

RENEW_SECONDS = 3600.0


async def show_me(services: Services, principal: Principal) -> Me:
    async with services.store.read() as connection:
        user = await people_store.find_user(connection, principal.user)
    return Me(
        id=principal.user,
        name=principal.name,
        email=user.email if user else "",
        is_admin=principal.is_admin,
        scopes=sorted(principal.scopes),
        mode=services.settings.mode,
    )


async def renew_cookie(services: Services, session: str) -> str | None:
    """A new secret for a browser whose cookie is an hour old, so that a stolen one does not stay valid."""
    async with services.store.read() as connection:
        row = await sessions.find_session(connection, session)
    if row is None or time.time() - row.renewed < RENEW_SECONDS:
        return None
    return await services.store.run(lambda tx: sessions.renew_session(tx, row))
