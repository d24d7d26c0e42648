"""Browsers that are signed in."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import and_, bindparam, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.service.people.rows import CallerSessionRow, SessionRow
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import TIME, sessions, users

OVERLAP_SECONDS = 60.0
"""How long the previous cookie stays valid after a renewal: calls that were under way carry it."""


@dataclass(frozen=True)
class Proof:
    """How the person in a browser proved who they are."""

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
    session = SessionRow(
        id=ids.new_id("s"),
        owner=owner,
        hash=hash_secret(secret),
        before_hash=None,
        before_until=0.0,
        created=now,
        renewed=now,
        seen=now,
        expires=now + seconds,
        signed_in=proof.signed_in or now,
        mfa=proof.mfa,
        provider=proof.provider,
        id_token=proof.id_token,
        address=proof.address,
        browser=proof.browser,
        maker=proof.maker,
    )
    await tx.connection.execute(insert(sessions), values_of(session))
    return secret


async def find_session(connection: AsyncConnection, secret: str) -> CallerSessionRow | None:
    """With the name and state of its person; None once it has expired."""
    asked = {"of_hash": hash_secret(secret), "now": time.time()}
    return row_of(await connection.execute(_VALID, asked), CallerSessionRow)


async def is_session_good(connection: AsyncConnection, session: str) -> bool:
    """It has not expired and its person is not disabled; its cookie may have been renewed."""
    query = select(users.c.disabled).join(sessions, users.c.id == sessions.c.owner)
    good = query.where(sessions.c.id == session, sessions.c.expires > time.time())
    person = (await connection.execute(good)).first()
    return person is not None and not person.disabled


async def renew_session(tx: Transaction, session: CallerSessionRow) -> str | None:
    """A new secret for the cookie; None when another call has just renewed it."""
    secret, now = ids.new_secret(), time.time()
    renewed = update(sessions).where(sessions.c.id == session.id, sessions.c.hash == session.hash)
    values = {
        "hash": hash_secret(secret),
        "before_hash": session.hash,
        "renewed": now,
        "before_until": now + OVERLAP_SECONDS,
    }
    return secret if (await tx.connection.execute(renewed.values(values))).rowcount else None


async def mark_seen(tx: Transaction, session: str, at: float) -> None:
    await tx.connection.execute(update(sessions).where(sessions.c.id == session).values(seen=at))


async def list_sessions(connection: AsyncConnection, owner: str) -> list[SessionRow]:
    query = select(sessions).where(sessions.c.owner == owner, sessions.c.expires > time.time())
    return rows_of(await connection.execute(query.order_by(sessions.c.created.desc())), SessionRow)


async def drop_session(tx: Transaction, owner: str, session: str) -> bool:
    gone = delete(sessions).where(sessions.c.owner == owner, sessions.c.id == session)
    return bool((await tx.connection.execute(gone)).rowcount)


async def end_session(tx: Transaction, session: str) -> None:
    """Of any owner; an empty id is ignored."""
    if session:
        await tx.connection.execute(delete(sessions).where(sessions.c.id == session))


async def drop_sessions(tx: Transaction, owner: str, *, but: str = "") -> None:
    gone = delete(sessions).where(sessions.c.owner == owner, sessions.c.id != but)
    await tx.connection.execute(gone)


async def drop_expired_sessions(tx: Transaction) -> None:
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
