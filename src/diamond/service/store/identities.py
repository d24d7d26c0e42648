"""People as their providers know them, and the invitations of those who are not known yet."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.store.engine import Transaction
from diamond.service.store.rows import Row, row_of, rows_of
from diamond.service.store.tables import identities, invitations
from diamond.service.store.users import hashed


async def find_identity(connection: AsyncConnection, issuer: str, subject: str) -> Row | None:
    query = select(identities).where(identities.c.issuer == issuer, identities.c.subject == subject)
    return row_of(await connection.execute(query))


async def add_identity(tx: Transaction, row: dict[str, Any]) -> None:
    now = time.time()
    await tx.connection.execute(insert(identities), {**row, "created": now, "seen": now})


async def renew_identity(tx: Transaction, row: dict[str, Any]) -> None:
    """As the provider tells it now."""
    known = update(identities).where(
        identities.c.issuer == row["issuer"], identities.c.subject == row["subject"]
    )
    values = {"name": row["name"], "email": row["email"], "seen": time.time()}
    await tx.connection.execute(known.values(values))


async def list_identities(connection: AsyncConnection, owner: str) -> list[Row]:
    query = select(identities).where(identities.c.owner == owner)
    return rows_of(await connection.execute(query.order_by(identities.c.created)))


async def drop_identity(tx: Transaction, owner: str, issuer: str, subject: str) -> bool:
    gone = delete(identities).where(
        identities.c.owner == owner,
        identities.c.issuer == issuer,
        identities.c.subject == subject,
    )
    return bool((await tx.connection.execute(gone)).rowcount)


async def add_invitation(tx: Transaction, row: dict[str, Any]) -> None:
    await tx.connection.execute(insert(invitations), row)


async def list_invitations(connection: AsyncConnection, owner: str) -> list[Row]:
    query = select(invitations).where(invitations.c.owner == owner)
    return rows_of(await connection.execute(query.order_by(invitations.c.created.desc())))


async def find_invitation(connection: AsyncConnection, code: str) -> Row | None:
    """One that is still open."""
    query = select(invitations).where(
        invitations.c.hash == hashed(code),
        invitations.c.used.is_(None),
        invitations.c.expires > time.time(),
    )
    return row_of(await connection.execute(query))


async def use_invitation(tx: Transaction, invitation: str, user: str) -> bool:
    """Whether this call is the one that used it."""
    used = update(invitations).where(invitations.c.id == invitation, invitations.c.used.is_(None))
    result = await tx.connection.execute(used.values(used=time.time(), used_by=user))
    return bool(result.rowcount)


async def drop_invitation(tx: Transaction, owner: str, invitation: str) -> bool:
    gone = delete(invitations).where(invitations.c.owner == owner, invitations.c.id == invitation)
    return bool((await tx.connection.execute(gone)).rowcount)
