"""Who calls: the person behind a token or a browser's cookie."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Forbidden, NotSignedIn
from diamond.service.access.principal import EVERYTHING, Kind, Principal, Scope
from diamond.service.people import session_store as sessions
from diamond.service.people import store as people_store
from diamond.service.people.rows import CallerCredentialRow, CallerSessionRow
from diamond.service.people.shares import roles_and_courses
from diamond.service.platform.services import Services

SEEN_SECONDS = 60.0
"""The last use of a token or session is known to this precision, so that not every call writes."""
HINT = "Run `diamond open` for a link, or send `Authorization: Bearer <token>`."
HINT_SHARED = "Sign in on the page, or send `Authorization: Bearer <token>`."
Caller = CallerCredentialRow | CallerSessionRow


@dataclass(frozen=True)
class SentCredentials:
    """What a request brings to prove who calls."""

    token: str = ""
    session: str = ""
    address: str = ""


async def authenticate(services: Services, sent: SentCredentials) -> Principal:
    """Raises NotSignedIn, or Forbidden for an account that was disabled."""
    hint = HINT_SHARED if services.settings.is_shared else HINT
    if not sent.token and not sent.session:
        raise NotSignedIn("You are not signed in", hint)
    async with services.store.read() as connection:
        caller = await _find(connection, sent)
        roles, courses = await roles_and_courses(connection, caller.owner if caller else "")
    if caller is None:
        raise NotSignedIn("This sign-in is not valid, or no longer", hint)
    if caller.disabled:
        raise account_disabled()
    await _mark_used(services, caller)
    principal = Principal(
        Kind.PERSON,
        caller.owner,
        caller.user_name,
        credential=caller.id,
        is_admin=caller.is_admin,
        projects=roles,
        courses=courses,
        address=sent.address,
    )
    if isinstance(caller, CallerCredentialRow):
        return replace(principal, scopes=read_scopes(caller.scopes))
    return replace(principal, by_cookie=True, signed_in=caller.signed_in, mfa=caller.mfa)


async def is_still_valid(connection: AsyncConnection, principal: Principal) -> bool:
    """Whether a long call may continue: the token or session is valid, and the roles in projects are the same."""
    is_good = sessions.is_session_good if principal.by_cookie else people_store.is_credential_good
    if not await is_good(connection, principal.credential):
        return False
    roles, courses = await roles_and_courses(connection, principal.user)
    return roles == dict(principal.projects) and courses == principal.courses


def read_scopes(text: str) -> frozenset[Scope]:
    """Separated by spaces; none: everything, for tokens from before there were scopes."""
    return frozenset(Scope(word) for word in text.split()) or EVERYTHING


def account_disabled() -> Forbidden:
    return Forbidden(
        "This account is disabled", "Ask an administrator of this Diamond.", code="account-disabled"
    )


async def _find(connection: AsyncConnection, sent: SentCredentials) -> Caller | None:
    if sent.token:
        return await people_store.find_credential(connection, people_store.TOKEN, sent.token)
    return await sessions.find_session(connection, sent.session)


async def _mark_used(services: Services, caller: Caller) -> None:
    now, key = time.time(), caller.id
    last = caller.used if isinstance(caller, CallerCredentialRow) else caller.seen
    if now - (last or 0.0) < SEEN_SECONDS:
        return
    if isinstance(caller, CallerCredentialRow):
        await services.store.run(lambda tx: people_store.mark_used(tx, key, now))
    else:
        await services.store.run(lambda tx: sessions.mark_seen(tx, key, now))
