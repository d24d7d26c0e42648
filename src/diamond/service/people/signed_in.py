"""Who calls: the person behind a token or a browser's cookie."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Forbidden, NotSignedIn
from diamond.service.access.principal import EVERYTHING, Kind, Principal, Scope
from diamond.service.people import session_store as sessions
from diamond.service.people import store as users
from diamond.service.people.shares import places_of
from diamond.service.platform.database.rows import Row
from diamond.service.platform.services import Services

SEEN_SECONDS = 60.0
"""How exactly the last use of a token or session is known: not every call is a write."""
HINT = "Run `diamond open` for a link, or send `Authorization: Bearer <token>`."
HINT_SHARED = "Sign in on the page, or send `Authorization: Bearer <token>`."


@dataclass(frozen=True)
class Shown:
    """What a caller shows of herself."""

    token: str = ""
    session: str = ""
    address: str = ""


async def person_of(services: Services, shown: Shown) -> Principal:
    """Raises NotSignedIn, or Forbidden for an account that was disabled."""
    hint = HINT_SHARED if services.settings.is_shared else HINT
    if not shown.token and not shown.session:
        raise NotSignedIn("You are not signed in", hint)
    async with services.store.read() as connection:
        row = await _row(connection, shown)
        roles, courses = await places_of(connection, row["owner"] if row else "")
    if row is None:
        raise NotSignedIn("This sign-in is not valid, or no longer", hint)
    if row["disabled"]:
        raise account_disabled()
    await _mark_seen(services, row, by_token=bool(shown.token))
    return Principal(
        Kind.PERSON,
        row["owner"],
        row["user_name"],
        by_cookie=not shown.token,
        credential=row["id"],
        scopes=read_scopes(row["scopes"]) if shown.token else EVERYTHING,
        is_admin=row["is_admin"],
        signed_in=0.0 if shown.token else row["signed_in"],
        mfa=not shown.token and row["mfa"],
        projects=roles,
        courses=courses,
        address=shown.address,
    )


async def is_still(connection: AsyncConnection, principal: Principal) -> bool:
    """Whether a long call goes on as it began: her token or session is good, and she is what she was in her projects."""
    good = sessions.is_session_good if principal.by_cookie else users.is_credential_good
    if not await good(connection, principal.credential):
        return False
    roles, courses = await places_of(connection, principal.user)
    return roles == dict(principal.projects) and courses == principal.courses


def read_scopes(text: str) -> frozenset[Scope]:
    """Words with spaces between; none: everything, as tokens had before there were scopes."""
    return frozenset(Scope(word) for word in text.split()) or EVERYTHING


def account_disabled() -> Forbidden:
    return Forbidden(
        "This account is disabled", "Ask those who run this Diamond.", code="account-disabled"
    )


async def _row(connection: AsyncConnection, shown: Shown) -> Row | None:
    if shown.token:
        return await users.find_credential(connection, users.TOKEN, shown.token)
    return await sessions.find_session(connection, shown.session)


async def _mark_seen(services: Services, row: Row, *, by_token: bool) -> None:
    now, key = time.time(), row["id"]
    if now - (row["used" if by_token else "seen"] or 0.0) < SEEN_SECONDS:
        return
    if by_token:
        await services.store.run(lambda tx: users.mark_used(tx, key, now))
    else:
        await services.store.run(lambda tx: sessions.change_session(tx, key, {"seen": now}))
