"""From what a provider says to a person of this Diamond, and a session of hers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.errors import Conflict, Forbidden
from diamond.service.access.principal import Role
from diamond.service.people import store as users
from diamond.service.people.session_store import Proof, add_session, end_session
from diamond.service.people.shares import roles_of
from diamond.service.people.signed_in import account_disabled
from diamond.service.platform.audit import CALL, Call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.identity_providers.identity import Identity, admits, is_admin
from diamond.service.platform.identity_providers.trips import Journey
from diamond.service.platform.people_settings import People
from diamond.service.platform.services import Services
from diamond.service.projects import store as projects
from diamond.service.sign_in import store as identities

LONG_AGO = 1.0


async def sign_in(services: Services, identity: Identity, journey: Journey, proof: Proof) -> str:
    """The secret for the browser's cookie. Raises Forbidden for whom nothing lets in."""
    people, shown = services.settings.people, _proof(identity, proof)

    async def enter(tx: Transaction) -> str:
        user = await _person(tx, people, identity, journey)
        row = await users.find_user(tx.connection, user)
        if row is None or row["disabled"]:
            raise account_disabled()
        about = {"provider": identity.provider, "subject": identity.subject}
        CALL.set(Call(user, str(row["name"]), "sign-in", about, proof.address))
        await _renew(tx, people, identity, user)
        await _accept(tx, identity, journey.invitation, user)
        await end_session(tx, journey.replaces)
        return await add_session(tx, user, shown, seconds=services.settings.session_seconds)

    return await services.store.run(enter)


async def _person(tx: Transaction, people: People, identity: Identity, journey: Journey) -> str:
    """Known; or added to her who is signed in; or new, if something lets her in."""
    known = await identities.find_identity(tx.connection, identity.issuer, identity.subject)
    if known is not None:
        if journey.link_to and journey.link_to != known["owner"]:
            raise Conflict(
                "This identity belongs to another account here",
                "Sign in with it, and remove it there first.",
            )
        return str(known["owner"])
    if journey.link_to:
        await _add_identity(tx, identity, journey.link_to)
        return journey.link_to
    invited = await _invitations(tx.connection, identity, journey.invitation)
    if not invited and not admits(people, identity):
        raise Forbidden(
            "You have no account on this Diamond",
            "Ask those who run it, or a project's manager, for an invitation.",
            code="no-account",
        )
    user = ids.new_id(ids.USER)
    await users.add_user(tx, user, await _free_name(tx.connection, identity), email=identity.email)
    await _add_identity(tx, identity, user)
    return user


async def _invitations(connection: AsyncConnection, identity: Identity, code: str) -> Sequence[Row]:
    """Open ones for this person: by the link that she came with, or to an address that her provider has verified."""
    found = await identities.invitations_for(connection, identity.email)
    by_link = await identities.find_invitation(connection, code) if code else None
    return [*found, by_link] if by_link is not None and not by_link["email"] else found


async def _accept(tx: Transaction, identity: Identity, code: str, user: str) -> None:
    for found in await _invitations(tx.connection, identity, code):
        await accept_invitation(tx, found, user)


async def accept_invitation(tx: Transaction, invitation: Row, user: str) -> None:
    """Once; into the project that it names, and never to less than she is there."""
    if not await identities.use_invitation(tx, invitation["id"], user):
        raise Conflict("This invitation was used already", "Ask for another.")
    if not invitation["project"]:
        return
    role = Role(invitation["role"])
    now = (await roles_of(tx.connection, user)).get(invitation["project"])
    if now is None or now.rank < role.rank:
        await projects.put_member(tx, invitation["project"], user, role)


async def _renew(tx: Transaction, people: People, identity: Identity, user: str) -> None:
    await identities.renew_identity(tx, _row(identity, user))
    values: dict[str, Any] = {"seen": time.time()}
    if identity.email:
        values["email"] = identity.email
    if is_admin(people, identity):
        values["is_admin"] = True
    await users.change_user(tx, user, values)


async def _add_identity(tx: Transaction, identity: Identity, user: str) -> None:
    await identities.add_identity(tx, _row(identity, user))


def _row(identity: Identity, user: str) -> dict[str, Any]:
    names = ("issuer", "subject", "provider", "name", "email")
    return {"owner": user, **{name: getattr(identity, name) for name in names}}


async def _free_name(connection: AsyncConnection, identity: Identity) -> str:
    """As the provider writes it; two people of one name are told apart."""
    first = identity.name or identity.email or identity.subject
    tail = identity.email or identity.subject
    for name in (first, f"{first} ({tail})", f"{first} ({tail}, {ids.new_id('x')[1:6]})"):
        if not await users.is_name_taken(connection, name):
            return name
    return f"{first} ({ids.new_id('x')})"


def _proof(identity: Identity, proof: Proof) -> Proof:
    """How new a sign-in is, is the provider's word alone: one that says nothing (GitHub) may not have asked her for anything."""
    told = identity.signed_in or LONG_AGO
    return replace(
        proof,
        provider=identity.provider,
        signed_in=min(told, time.time()),
        mfa=identity.mfa,
        id_token=identity.id_token,
    )
