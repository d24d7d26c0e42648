"""Programs that wait for a person to let them in."""

from __future__ import annotations

import time

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of, values_of
from diamond.service.platform.database.tables import device_codes
from diamond.service.sign_in.rows import DeviceRow


async def add_code(tx: Transaction, device: DeviceRow) -> None:
    await tx.connection.execute(delete(device_codes).where(device_codes.c.expires < time.time()))
    await tx.connection.execute(insert(device_codes), values_of(device))


async def open_codes(connection: AsyncConnection) -> list[tuple[str, str]]:
    """Hash and address of each, the oldest first."""
    query = select(device_codes.c.hash, device_codes.c.address)
    query = query.where(device_codes.c.expires > time.time()).order_by(device_codes.c.created)
    return [(row.hash, row.address) for row in await connection.execute(query)]


async def find_by_user_code(connection: AsyncConnection, user_code: str) -> DeviceRow | None:
    return await _find(connection, device_codes.c.user_code == user_code)


async def find_by_secret(connection: AsyncConnection, secret: str) -> DeviceRow | None:
    return await _find(connection, device_codes.c.hash == hash_secret(secret))


async def save_decision(tx: Transaction, device: DeviceRow) -> bool:
    """Whether this was the first decision about it."""
    waiting = update(device_codes).where(
        device_codes.c.hash == device.hash, device_codes.c.state == "waiting"
    )
    decided = waiting.values(
        owner=device.owner, state=device.state, maker=device.maker, word_hash=device.word_hash
    )
    return bool((await tx.connection.execute(decided)).rowcount)


async def drop_code(tx: Transaction, digest: str) -> bool:
    gone = delete(device_codes).where(device_codes.c.hash == digest)
    return bool((await tx.connection.execute(gone)).rowcount)


async def _find(connection: AsyncConnection, which: ColumnElement[bool]) -> DeviceRow | None:
    query = select(device_codes).where(which, device_codes.c.expires > time.time())
    return row_of(await connection.execute(query), DeviceRow)
