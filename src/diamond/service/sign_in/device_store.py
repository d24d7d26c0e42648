"""Programs that wait for a person to let them in."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import case, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.people.store import hashed
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of
from diamond.service.platform.database.tables import device_codes
from diamond.service.sign_in.rows import DeviceRow

WAITING, ACCEPTED, REFUSED = "waiting", "accepted", "refused"


async def add_code(tx: Transaction, row: dict[str, Any]) -> None:
    await tx.connection.execute(delete(device_codes).where(device_codes.c.expires < time.time()))
    await tx.connection.execute(insert(device_codes), row)


async def count_codes(connection: AsyncConnection, address: str) -> tuple[int, int]:
    """All that are open, and those of one address."""
    is_its = func.coalesce(func.sum(case((device_codes.c.address == address, 1), else_=0)), 0)
    query = select(func.count(), is_its).where(device_codes.c.expires > time.time())
    of_all, of_one = (await connection.execute(query)).one()
    return int(of_all), int(of_one)


async def find_by_user_code(connection: AsyncConnection, user_code: str) -> DeviceRow | None:
    return await _find(connection, device_codes.c.user_code == user_code)


async def find_by_secret(connection: AsyncConnection, secret: str) -> DeviceRow | None:
    return await _find(connection, device_codes.c.hash == hashed(secret))


async def decide(tx: Transaction, row: DeviceRow, values: dict[str, Any]) -> bool:
    """Whether this was the first word about it."""
    open_one = update(device_codes).where(
        device_codes.c.hash == row["hash"], device_codes.c.state == WAITING
    )
    return bool((await tx.connection.execute(open_one.values(values))).rowcount)


async def drop_code(tx: Transaction, row: DeviceRow) -> bool:
    gone = delete(device_codes).where(device_codes.c.hash == row["hash"])
    return bool((await tx.connection.execute(gone)).rowcount)


async def _find(connection: AsyncConnection, which: Any) -> DeviceRow | None:
    query = select(device_codes).where(which, device_codes.c.expires > time.time())
    return row_of(await connection.execute(query), DeviceRow)
