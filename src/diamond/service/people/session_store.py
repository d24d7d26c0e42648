"""Browsers that are signed in."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.service.people.rows import CallerSessionRow, SessionRow
from diamond.service.people.store import hashed
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of, rows_of
from diamond.service.platform.database.tables import TIME, sessions, users

OVERLAP_SECONDS = 60.0
"""A renewed cookie's forerunner is good for so long: calls that were under way carry it."""


@dataclass(frozen=True)
class Proof:
    """How a browser's person proved who she is."""

    provider: str = "link"
    signed_in: float = 0.0
    mfa: bool = False
    id_token: str = ""
    address: str = ""
    browser: str = ""
    maker: str = ""
    """The token that signed this browser in, where one did."""


async def add_session(tx: Transaction, owner: str, proof: Proof, *, seconds: float) -> str:
    """A new session; gives the secret for the cookie."""
    secret, now = ids.new_secret(), time.time()
    row = {
        "id": ids.new_id("s"),
        "owner": owner,
        "hash": hashed(secret),
        "created": now,
        "renewed": now,
        "seen": now,
        "expires": now + seconds,
        **vars(proof),
        "signed_in": proof.signed_in or now,
    }
    await tx.connection.execute(insert(sessions), row)
    return secret


async def find_session(connection: AsyncConnection, secret: str) -> CallerSessionRow | None:
    """With its person's name and state, unless it is over."""
    asked = {"of_hash": hashed(secret), "now": time.time()}
    return row_of(await connection.execute(_VALID, asked), CallerSessionRow)


async def is_session_good(connection: AsyncConnection, session: str) -> bool:
    """Not over, and its person not disabled; whatever its cookie is by now."""
    query = select(users.c.disabled).join(sessions, users.c.id == sessions.c.owner)
    good = query.where(sessions.c.id == session, sessions.c.expires > time.time())
    found = (await connection.execute(good)).first()
    return found is not None and not found.disabled


async def renew_session(tx: Transaction, session: CallerSessionRow) -> str | None:
    """A new secret for the cookie; None when another call has just renewed it."""
    secret, now = ids.new_secret(), time.time()
    renewed = update(sessions).where(
        sessions.c.id == session["id"], sessions.c.hash == session["hash"]
    )
    values = {
        "hash": hashed(secret),
        "before_hash": session["hash"],
        "renewed": now,
        "before_until": now + OVERLAP_SECONDS,
    }
    return secret if (await tx.connection.execute(renewed.values(values))).rowcount else None


async def change_session(tx: Transaction, session: str, values: dict[str, Any]) -> None:
    await tx.connection.execute(update(sessions).where(sessions.c.id == session).values(values))


async def list_sessions(connection: AsyncConnection, owner: str) -> list[SessionRow]:
    query = select(sessions).where(sessions.c.owner == owner, sessions.c.expires > time.time())
    return rows_of(await connection.execute(query.order_by(sessions.c.created.desc())), SessionRow)


async def drop_session(tx: Transaction, owner: str, session: str) -> bool:
    gone = delete(sessions).where(sessions.c.owner == owner, sessions.c.id == session)
    return bool((await tx.connection.execute(gone)).rowcount)


async def end_session(tx: Transaction, session: str) -> None:
    """Whoever's it is; '' for none."""
    if session:
        await tx.connection.execute(delete(sessions).where(sessions.c.id == session))


async def drop_sessions(tx: Transaction, owner: str, *, but: str = "") -> None:
    gone = delete(sessions).where(sessions.c.owner == owner, sessions.c.id != but)
    await tx.connection.execute(gone)


async def drop_over(tx: Transaction) -> None:
    await tx.connection.execute(delete(sessions).where(sessions.c.expires < time.time()))


# Asked at every call of a browser: built once.
_NOW = bindparam("now", type_=TIME)
_VALID = (
    select(sessions, users.c.name.label("user_name"), users.c.is_admin, users.c.disabled)
    .join(users, users.c.id == sessions.c.owner)
    .where(
        or_(
            sessions.c.hash == bindparam("of_hash"),
            and_(sessions.c.before_hash == bindparam("of_hash"), sessions.c.before_until > _NOW),
        )
    )
    .where(sessions.c.expires > _NOW)
)
