"""People, their tokens and one-time links, and facts about this service."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection

from sqlalchemy import BindParameter, ColumnElement, bindparam, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.service.people.rows import (
    CallerCredentialRow,
    CredentialRow,
    TakenCredentialRow,
    UserRow,
)
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject, row_of, rows_of, values_of
from diamond.service.platform.database.tables import TIME, credentials, facts, streams, users

TOKEN, LINK = "token", "link"
RESTORED = "restored"
"""The fact that changes whenever a backup is restored."""


def hash_secret(secret: str) -> str:
    """Secrets are 256 random bits: one round of SHA-256 leaves nothing to guess."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


async def find_user(connection: AsyncConnection, user: str) -> UserRow | None:
    query = select(users).where(users.c.id == user)
    return row_of(await connection.execute(query), UserRow)


async def add_user(
    tx: Transaction, user: str, name: str, *, email: str = "", is_admin: bool = False
) -> None:
    """With their own stream of events."""
    row = {
        "id": user,
        "name": name,
        "email": email,
        "is_admin": is_admin,
        "created": time.time(),
    }
    await tx.connection.execute(insert(users), row)
    await tx.connection.execute(insert(streams), {"owner": user, "last": 0})


async def change_user(tx: Transaction, user: str, values: JsonObject) -> None:
    await tx.connection.execute(update(users).where(users.c.id == user).values(values))


async def list_users(connection: AsyncConnection, search: str, limit: int) -> list[UserRow]:
    """By a part of the name or address, in the order of names."""
    query = select(users)
    if search:
        parts = (users.c.name, users.c.email, users.c.id)
        query = query.where(or_(*(part.icontains(search, autoescape=True) for part in parts)))
    return rows_of(await connection.execute(query.order_by(users.c.name).limit(limit)), UserRow)


async def people_by_id(connection: AsyncConnection, wanted: Collection[str]) -> list[UserRow]:
    query = select(users).where(users.c.id.in_(sorted(wanted)))
    return rows_of(await connection.execute(query.order_by(users.c.name)), UserRow)


async def find_people(connection: AsyncConnection, text: str) -> list[UserRow]:
    """Whose id it is; else whose address or name. An address is never a name: people choose their own names."""
    by_id = await find_user(connection, text)
    if by_id is not None or not text:
        return [by_id] if by_id else []
    same = users.c.email == text.lower() if "@" in text else users.c.name == text
    return rows_of(await connection.execute(select(users).where(same).limit(2)), UserRow)


async def is_name_taken(connection: AsyncConnection, name: str) -> bool:
    same = await connection.execute(select(users.c.id).where(users.c.name == name))
    return same.first() is not None


async def read_fact(connection: AsyncConnection, name: str) -> str | None:
    fact = await connection.execute(select(facts.c.value).where(facts.c.name == name))
    return fact.scalar_one_or_none()


async def write_fact(tx: Transaction, owner: str, name: str, value: str) -> None:
    await tx.connection.execute(insert(facts), {"owner": owner, "name": name, "value": value})


async def replace_fact(tx: Transaction, owner: str, name: str, value: str) -> None:
    await tx.connection.execute(delete(facts).where(facts.c.name == name))
    await write_fact(tx, owner, name, value)


async def add_credential(
    tx: Transaction,
    owner: str,
    kind: str,
    name: str,
    *,
    expires: float | None = None,
    scopes: str = "",
    maker: str = "",
) -> tuple[CredentialRow, str]:
    """A new credential and its secret. Only the secret's hash is stored.

    An empty name becomes its id. `maker` is the token or session that asked for it.
    """
    secret, key = ids.new_secret(), ids.new_id(ids.TOKEN)
    credential = CredentialRow(
        id=key,
        owner=owner,
        kind=kind,
        name=name or key,
        hash=hash_secret(secret),
        created=time.time(),
        expires=expires,
        scopes=scopes,
        used=None,
        maker=maker,
    )
    await tx.connection.execute(insert(credentials), values_of(credential))
    return credential, secret


async def find_credential(
    connection: AsyncConnection, kind: str, secret: str
) -> CallerCredentialRow | None:
    """With the name and state of its person; None once it has expired."""
    asked = {"of_hash": hash_secret(secret), "of_kind": kind, "now": time.time()}
    return row_of(await connection.execute(_VALID, asked), CallerCredentialRow)


async def is_credential_good(connection: AsyncConnection, key: str) -> bool:
    """It has not expired and its owner is not disabled."""
    query = select(users.c.disabled).join(credentials, users.c.id == credentials.c.owner)
    good = query.where(credentials.c.id == key, _is_valid(time.time()))
    person = (await connection.execute(good)).first()
    return person is not None and not person.disabled


async def take_credential(tx: Transaction, kind: str, secret: str) -> TakenCredentialRow | None:
    """Use up a one-time credential; only the first call gets its owner and maker."""
    gone = delete(credentials).where(
        credentials.c.hash == hash_secret(secret),
        credentials.c.kind == kind,
        _is_valid(time.time()),
    )
    taken = gone.returning(credentials.c.owner, credentials.c.maker)
    return row_of(await tx.connection.execute(taken), TakenCredentialRow)


async def list_credentials(
    connection: AsyncConnection, owner: str, kind: str
) -> list[CredentialRow]:
    query = select(credentials).where(credentials.c.owner == owner, credentials.c.kind == kind)
    newest_first = query.order_by(credentials.c.created.desc())
    return rows_of(await connection.execute(newest_first), CredentialRow)


async def drop_credential(tx: Transaction, owner: str, key: str) -> bool:
    gone = delete(credentials).where(credentials.c.owner == owner, credentials.c.id == key)
    return bool((await tx.connection.execute(gone)).rowcount)


async def drop_named(tx: Transaction, owner: str, kind: str, name: str) -> None:
    gone = delete(credentials).where(credentials.c.owner == owner, credentials.c.kind == kind)
    await tx.connection.execute(gone.where(credentials.c.name == name))


async def drop_all(tx: Transaction, owner: str) -> None:
    await tx.connection.execute(delete(credentials).where(credentials.c.owner == owner))


async def mark_used(tx: Transaction, key: str, at: float) -> None:
    used = update(credentials).where(credentials.c.id == key).values(used=at)
    await tx.connection.execute(used)


async def drop_expired(tx: Transaction) -> None:
    await tx.connection.execute(delete(credentials).where(credentials.c.expires < time.time()))


def _is_valid(now: float | BindParameter[float]) -> ColumnElement[bool]:
    return or_(credentials.c.expires.is_(None), credentials.c.expires > now)


# Asked at every call: built once.
_VALID = (
    select(credentials, users.c.name.label("user_name"), users.c.is_admin, users.c.disabled)
    .join(users, users.c.id == credentials.c.owner)
    .where(credentials.c.hash == bindparam("of_hash"), credentials.c.kind == bindparam("of_kind"))
    .where(_is_valid(bindparam("now", type_=TIME)))
)
