"""A person's browsers and identities, and the invitations that they send."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from diamond.core import ids
from diamond.core.errors import Conflict, NotFound
from diamond.service.access.principal import Principal, Role
from diamond.service.people import session_store
from diamond.service.people import store as people_store
from diamond.service.people.rows import SessionRow
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_store
from diamond.service.projects.projects import find_project
from diamond.service.sign_in import store as sign_in_store
from diamond.service.sign_in.rows import InvitationRow
from diamond.service.sign_in.schemas import (
    IdentityShown,
    Invitation,
    InvitationShown,
    NewInvitation,
    Session,
)
from diamond.service.sign_in.sign_in import accept_invitation


async def list_sessions(services: Services, principal: Principal, user: str = "") -> list[Session]:
    async with services.store.read() as connection:
        sessions = await session_store.list_sessions(connection, user or principal.user)
    return [_show_session(session, principal) for session in sessions]


def _show_session(session: SessionRow, principal: Principal) -> Session:
    return Session(
        id=session.id,
        created=session.created,
        seen=session.seen,
        expires=session.expires,
        signed_in=session.signed_in,
        mfa=session.mfa,
        provider=session.provider,
        address=session.address,
        browser=session.browser,
        is_this=session.id == principal.credential,
    )


async def end_session(services: Services, principal: Principal, session: str) -> None:
    if not await services.store.run(
        lambda tx: session_store.drop_session(tx, principal.user, session)
    ):
        raise NotFound(f"There is no session {session!r}")


async def sign_out(services: Services, principal: Principal, secret: str) -> str | None:
    """End the session of this browser; returns where the provider ends its own."""
    async with services.store.read() as connection:
        session = await session_store.find_session(connection, secret) if secret else None
    if session is None or session.owner != principal.user:
        return None
    key = session.id
    await services.store.run(lambda tx: session_store.drop_session(tx, principal.user, key))
    if not session.id_token:
        return None
    try:
        provider = services.providers.get(session.provider)
    except NotFound:
        return None
    return await provider.logout_url(session.id_token, f"{services.settings.url}/")


async def list_identities(services: Services, principal: Principal) -> list[IdentityShown]:
    async with services.store.read() as connection:
        identities = await sign_in_store.list_identities(connection, principal.user)
    return [IdentityShown.model_validate(row, from_attributes=True) for row in identities]


async def drop_identity(
    services: Services, principal: Principal, issuer: str, subject: str
) -> None:
    """Not the last one, so that nobody locks themselves out."""

    async def drop(tx: Transaction) -> None:
        known = await sign_in_store.list_identities(tx.connection, principal.user)
        if (issuer, subject) not in {(row.issuer, row.subject) for row in known}:
            raise NotFound("You have no such identity")
        if len(known) == 1:
            raise Conflict("This is your only identity here", "Add another one first.")
        await sign_in_store.drop_identity(tx, principal.user, issuer, subject)

    await services.store.run(drop)


@dataclass(frozen=True)
class InvitationWanted:
    email: str = ""
    days: float = 14.0


@dataclass(frozen=True)
class Membership:
    """The project and the role that an invitation gives."""

    project: str = ""
    role: str = ""


async def invite(
    services: Services, principal: Principal, wanted: InvitationWanted
) -> NewInvitation:
    """To this Diamond. The code is shown only once."""

    async def no_project(tx: Transaction) -> Membership:
        return Membership()

    return await _invite(services, principal, wanted, no_project)


async def invite_into(
    services: Services, principal: Principal, wanted: InvitationWanted, project: str, role: Role
) -> NewInvitation:
    """Into a project, by one of its managers, and so to this Diamond."""

    async def membership(tx: Transaction) -> Membership:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        return Membership(row.id, role.value)

    return await _invite(services, principal, wanted, membership)


async def _invite(
    services: Services,
    principal: Principal,
    wanted: InvitationWanted,
    membership: Callable[[Transaction], Awaitable[Membership]],
) -> NewInvitation:
    secret, now = ids.new_secret(), time.time()

    async def add(tx: Transaction) -> Invitation:
        given = await membership(tx)
        invitation = InvitationRow(
            id=ids.new_id("i"),
            owner=principal.user,
            hash=hash_secret(secret),
            email=wanted.email.lower(),
            project=given.project,
            role=given.role,
            created=now,
            expires=now + wanted.days * 86400,
            used=None,
            used_by="",
        )
        await sign_in_store.add_invitation(tx, invitation)
        return _show(invitation)

    shown = await services.store.run(add)
    url = f"{services.settings.url}/?invitation={secret}"
    return NewInvitation(**dict(shown), url=url, code=secret)


async def list_invitations(services: Services, principal: Principal) -> list[Invitation]:
    async with services.store.read() as connection:
        invitations = await sign_in_store.list_invitations(connection, principal.user)
    return [_show(invitation) for invitation in invitations]


async def withdraw(services: Services, principal: Principal, invitation: str) -> None:
    if not await services.store.run(
        lambda tx: sign_in_store.drop_invitation(tx, principal.user, invitation)
    ):
        raise NotFound(f"There is no invitation {invitation!r}")


async def look_at_invitation(services: Services, code: str) -> InvitationShown:
    async with services.store.read() as connection:
        invitation = await sign_in_store.find_invitation(connection, code)
        if invitation is None:
            raise NotFound("This invitation was used or has expired", "Ask for another.")
        sender = await people_store.find_user(connection, invitation.owner)
        project = await project_store.find_project(connection, invitation.project)
    return InvitationShown(
        by=sender.name if sender else "",
        project=project.name if project else "",
        role=invitation.role,
        expires=invitation.expires,
    )


async def accept(services: Services, principal: Principal, code: str) -> None:
    """By somebody who has an account already."""

    async def take(tx: Transaction) -> None:
        invitation = await sign_in_store.find_invitation(tx.connection, code)
        person = await people_store.find_user(tx.connection, principal.user)
        email = person.email if person else ""
        if invitation is None or (invitation.email and invitation.email != email):
            raise NotFound(
                "This invitation was used, has expired, or is for somebody else",
                "Ask for another.",
            )
        await accept_invitation(tx, invitation, principal.user)

    await services.store.run(take)


def _show(invitation: InvitationRow) -> Invitation:
    return Invitation.model_validate(invitation, from_attributes=True)
