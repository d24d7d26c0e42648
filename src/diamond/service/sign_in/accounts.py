"""A person's own browsers and identities, and invitations that she sends."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core import ids
from diamond.core.errors import Conflict, NotFound
from diamond.service.access.principal import Principal, Role
from diamond.service.people import session_store as sessions
from diamond.service.people import store as users
from diamond.service.people.store import hashed
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project
from diamond.service.sign_in import store as rows
from diamond.service.sign_in.sign_in import accept_invitation

Shown = dict[str, Any]
Row = Mapping[str, Any]


async def list_sessions(services: Services, principal: Principal, user: str = "") -> list[Shown]:
    async with services.store.read() as connection:
        found = await sessions.list_sessions(connection, user or principal.user)
    names = (
        "id",
        "created",
        "seen",
        "expires",
        "signed_in",
        "mfa",
        "provider",
        "address",
        "browser",
    )
    return [
        {**{name: row[name] for name in names}, "is_this": row["id"] == principal.credential}
        for row in found
    ]


async def end_session(services: Services, principal: Principal, session: str) -> None:
    if not await services.store.run(lambda tx: sessions.drop_session(tx, principal.user, session)):
        raise NotFound(f"There is no session {session!r}")


async def sign_out(services: Services, principal: Principal, session: str) -> str | None:
    """Ends this browser's session; gives where its provider ends its own."""
    async with services.store.read() as connection:
        row = await sessions.find_session(connection, session) if session else None
    if row is None or row["owner"] != principal.user:
        return None
    key = row["id"]
    await services.store.run(lambda tx: sessions.drop_session(tx, principal.user, key))
    if not row["id_token"]:
        return None
    try:
        way = services.providers.get(row["provider"])
    except NotFound:
        return None
    return await way.logout_url(row["id_token"], f"{services.settings.url}/")


async def list_identities(services: Services, principal: Principal) -> list[Shown]:
    async with services.store.read() as connection:
        found = await rows.list_identities(connection, principal.user)
    names = ("issuer", "subject", "provider", "name", "email", "created", "seen")
    return [{name: row[name] for name in names} for row in found]


async def drop_identity(
    services: Services, principal: Principal, issuer: str, subject: str
) -> None:
    """Not the last one: nobody shuts herself out."""

    async def drop(tx: Transaction) -> None:
        known = await rows.list_identities(tx.connection, principal.user)
        if (issuer, subject) not in {(row["issuer"], row["subject"]) for row in known}:
            raise NotFound("You have no such identity")
        if len(known) == 1:
            raise Conflict("This is your only identity here", "Add another one first.")
        await rows.drop_identity(tx, principal.user, issuer, subject)

    await services.store.run(drop)


@dataclass(frozen=True)
class InvitationWanted:
    email: str = ""
    days: float = 14.0


async def invite(services: Services, principal: Principal, wanted: InvitationWanted) -> Shown:
    """To this Diamond. The code is shown once."""
    return await _invite(services, principal, wanted, lambda tx: _nowhere())


async def invite_into(
    services: Services, principal: Principal, wanted: InvitationWanted, project: str, role: Role
) -> Shown:
    """Into a project, by one of its managers; and so to this Diamond."""

    async def place(tx: Transaction) -> Place:
        found = await find_project(tx.connection, principal, project, Role.MANAGER)
        return str(found["id"]), role.value

    return await _invite(services, principal, wanted, place)


Place = tuple[str, str]
"""A project and what one becomes in it."""


async def _nowhere() -> Place:
    return "", ""


async def _invite(
    services: Services,
    principal: Principal,
    wanted: InvitationWanted,
    place: Callable[[Transaction], Awaitable[Place]],
) -> Shown:
    secret, now = ids.new_secret(), time.time()

    async def add(tx: Transaction) -> Shown:
        project, role = await place(tx)
        row = {
            "id": ids.new_id("i"),
            "owner": principal.user,
            "hash": hashed(secret),
            "email": wanted.email.lower(),
            "project": project,
            "role": role,
            "created": now,
            "expires": now + wanted.days * 86400,
        }
        await rows.add_invitation(tx, row)
        return _show({**row, "used": None, "used_by": ""})

    shown = await services.store.run(add)
    return {**shown, "url": f"{services.settings.url}/?invitation={secret}", "code": secret}


async def list_invitations(services: Services, principal: Principal) -> list[Shown]:
    async with services.store.read() as connection:
        found = await rows.list_invitations(connection, principal.user)
    return [_show(row) for row in found]


async def withdraw(services: Services, principal: Principal, invitation: str) -> None:
    if not await services.store.run(
        lambda tx: rows.drop_invitation(tx, principal.user, invitation)
    ):
        raise NotFound(f"There is no invitation {invitation!r}")


async def accept(services: Services, principal: Principal, code: str) -> None:
    """By somebody who has an account already."""

    async def take(tx: Transaction) -> None:
        found = await rows.find_invitation(tx.connection, code)
        person = await users.find_user(tx.connection, principal.user)
        email = person["email"] if person else ""
        if found is None or (found["email"] and found["email"] != email):
            raise NotFound(
                "This invitation is used up, too old, or for somebody else", "Ask for another."
            )
        await accept_invitation(tx, found, principal.user)

    await services.store.run(take)


def _show(row: Row) -> Shown:
    names = ("id", "email", "project", "role", "created", "expires", "used", "used_by")
    return {name: row[name] for name in names}
