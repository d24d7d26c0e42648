"""From a provider's answer to an account on this Diamond, and a session for it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.errors import Conflict, Forbidden
from diamond.service.access.principal import Role
from diamond.service.people import store as people_store
from diamond.service.people.session_store import Proof, add_session, end_session
from diamond.service.people.shares import roles_of
from diamond.service.people.signed_in import account_disabled
from diamond.service.platform.audit import CALL, Call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.identity_providers.identity import Identity, admits, is_admin
from diamond.service.platform.identity_providers.trips import Journey
from diamond.service.platform.people_settings import People
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_store
from diamond.service.sign_in import store as sign_in_store
from diamond.service.sign_in.rows import IdentityRow, InvitationRow

LONG_AGO = 1.0


async def sign_in(services: Services, identity: Identity, journey: Journey, proof: Proof) -> str:
    """The secret for the browser's cookie. Raises Forbidden for people who may not have an account."""
    people, proven = services.settings.people, _proof(identity, proof)

    async def enter(tx: Transaction) -> str:
        user = await _person(tx, people, identity, journey)
        account = await people_store.find_user(tx.connection, user)
        if account is None or account.disabled:
            raise account_disabled()
        about = {"provider": identity.provider, "subject": identity.subject}
        CALL.set(Call(user, account.name, "sign-in", about, proof.address))
        await _renew(tx, people, identity, user)
        await _accept(tx, identity, journey.invitation, user)
        await end_session(tx, journey.replaces)
        return await add_session(tx, user, proven, seconds=services.settings.session_seconds)

    return await services.store.run(enter)


async def _person(tx: Transaction, people: People, identity: Identity, journey: Journey) -> str:
    """The account of this identity: an existing one, the signed-in one, or a new one if that is allowed."""
    known = await sign_in_store.find_identity(tx.connection, identity.issuer, identity.subject)
    if known is not None:
        if journey.link_to and journey.link_to != known.owner:
            raise Conflict(
                "This identity belongs to another account here",
                "Sign in with it, and remove it there first.",
            )
        return known.owner
    if journey.link_to:
        await _add_identity(tx, identity, journey.link_to)
        return journey.link_to
    invited = await _invitations(tx.connection, identity, journey.invitation)
    if not invited and not admits(people, identity):
        raise Forbidden(
            "You have no account on this Diamond",
            "Ask an administrator, or the manager of a project, for an invitation.",
            code="no-account",
        )
    user = ids.new_id(ids.USER)
    await people_store.add_user(
        tx, user, await _free_name(tx.connection, identity), email=identity.email
    )
    await _add_identity(tx, identity, user)
    return user


async def _invitations(
    connection: AsyncConnection, identity: Identity, code: str
) -> Sequence[InvitationRow]:
    """Open ones for this person: by the link that they followed, or to an address that their provider has verified."""
    by_address = await sign_in_store.invitations_for(connection, identity.email)
    by_link = await sign_in_store.find_invitation(connection, code) if code else None
    return [*by_address, by_link] if by_link is not None and not by_link.email else by_address


async def _accept(tx: Transaction, identity: Identity, code: str, user: str) -> None:
    for invitation in await _invitations(tx.connection, identity, code):
        await accept_invitation(tx, invitation, user)


async def accept_invitation(tx: Transaction, invitation: InvitationRow, user: str) -> None:
    """Once; into the project that it names, and never to a lower role than before."""
    if not await sign_in_store.use_invitation(tx, invitation.id, user):
        raise Conflict("This invitation was used already", "Ask for another.")
    if not invitation.project:
        return
    role = Role(invitation.role)
    now = (await roles_of(tx.connection, user)).get(invitation.project)
    if now is None or now.rank < role.rank:
        await project_store.put_member(tx, invitation.project, user, role)


async def _renew(tx: Transaction, people: People, identity: Identity, user: str) -> None:
    await sign_in_store.renew_identity(tx, _row(identity, user))
    values: JsonObject = {"seen": time.time()}
    if identity.email:
        values["email"] = identity.email
    if is_admin(people, identity):
        values["is_admin"] = True
    await people_store.change_user(tx, user, values)


async def _add_identity(tx: Transaction, identity: Identity, user: str) -> None:
    await sign_in_store.add_identity(tx, _row(identity, user))


def _row(identity: Identity, user: str) -> IdentityRow:
    now = time.time()
    return IdentityRow(
        issuer=identity.issuer,
        subject=identity.subject,
        owner=user,
        provider=identity.provider,
        name=identity.name,
        email=identity.email,
        created=now,
        seen=now,
    )


async def _free_name(connection: AsyncConnection, identity: Identity) -> str:
    """As the provider writes it; a second person with that name gets an addition."""
    first = identity.name or identity.email or identity.subject
    tail = identity.email or identity.subject
    for name in (first, f"{first} ({tail})", f"{first} ({tail}, {ids.new_id('x')[1:6]})"):
        if not await people_store.is_name_taken(connection, name):
            return name
    return f"{first} ({ids.new_id('x')})"


def _proof(identity: Identity, proof: Proof) -> Proof:
    """Only the provider knows how recent a sign-in is. One that does not say (GitHub) may not have asked for anything."""
    signed_in = identity.signed_in or LONG_AGO
    return replace(
        proof,
        provider=identity.provider,
        signed_in=min(signed_in, time.time()),
        mfa=identity.mfa,
        id_token=identity.id_token,
    )
