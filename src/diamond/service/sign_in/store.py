"""People as their providers know them, and invitations."""

from __future__ import annotations

import time

from sqlalchemy import Select, and_, delete, exists, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import Role
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import identities, invitations, members, users
from diamond.service.sign_in.rows import IdentityRow, InvitationRow


async def find_identity(
    connection: AsyncConnection, issuer: str, subject: str
) -> IdentityRow | None:
    query = select(identities).where(identities.c.issuer == issuer, identities.c.subject == subject)
    return row_of(await connection.execute(query), IdentityRow)


async def add_identity(tx: Transaction, identity: IdentityRow) -> None:
    await tx.connection.execute(insert(identities), values_of(identity))


async def renew_identity(tx: Transaction, identity: IdentityRow) -> None:
    """With the name and address that the provider reports now."""
    known = update(identities).where(
        identities.c.issuer == identity.issuer, identities.c.subject == identity.subject
    )
    renewed = known.values(name=identity.name, email=identity.email, seen=identity.seen)
    await tx.connection.execute(renewed)


async def list_identities(connection: AsyncConnection, owner: str) -> list[IdentityRow]:
    query = select(identities).where(identities.c.owner == owner)
    return rows_of(await connection.execute(query.order_by(identities.c.created)), IdentityRow)


async def drop_identity(tx: Transaction, owner: str, issuer: str, subject: str) -> bool:
    gone = delete(identities).where(
        identities.c.owner == owner,
        identities.c.issuer == issuer,
        identities.c.subject == subject,
    )
    return bool((await tx.connection.execute(gone)).rowcount)


async def add_invitation(tx: Transaction, invitation: InvitationRow) -> None:
    await tx.connection.execute(insert(invitations), values_of(invitation))


async def list_invitations(connection: AsyncConnection, owner: str) -> list[InvitationRow]:
    query = select(invitations).where(invitations.c.owner == owner)
    return rows_of(
        await connection.execute(query.order_by(invitations.c.created.desc())), InvitationRow
    )


async def find_invitation(connection: AsyncConnection, code: str) -> InvitationRow | None:
    """Only one that is still open."""
    return row_of(
        await connection.execute(_open().where(invitations.c.hash == hash_secret(code))),
        InvitationRow,
    )


async def invitations_for(connection: AsyncConnection, email: str) -> list[InvitationRow]:
    """Those open to an address, the oldest first."""
    query = _open().where(invitations.c.email == email).order_by(invitations.c.created)
    return rows_of(await connection.execute(query), InvitationRow) if email else []


def _open() -> Select[tuple[object, ...]]:
    """Neither used nor expired, and its sender still manages the project or administers this Diamond."""
    is_manager = exists().where(
        members.c.project == invitations.c.project,
        members.c.owner == invitations.c.owner,
        members.c.role == Role.MANAGER.value,
    )
    sender = exists().where(users.c.id == invitations.c.owner, users.c.disabled.is_(None))
    may_invite = or_(is_manager, and_(invitations.c.project == "", sender.where(users.c.is_admin)))
    is_open = invitations.c.used.is_(None), invitations.c.expires > time.time()
    return select(invitations).where(*is_open, sender, may_invite)


async def use_invitation(tx: Transaction, invitation: str, user: str) -> bool:
    """Whether this call was the first to use it."""
    used = update(invitations).where(invitations.c.id == invitation, invitations.c.used.is_(None))
    result = await tx.connection.execute(used.values(used=time.time(), used_by=user))
    return bool(result.rowcount)


async def drop_invitation(tx: Transaction, owner: str, invitation: str) -> bool:
    gone = delete(invitations).where(invitations.c.owner == owner, invitations.c.id == invitation)
    return bool((await tx.connection.execute(gone)).rowcount)
