"""The settings of a person: a JSON value for each name."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import settings

PREFERENCES, NOTIFICATIONS, SEEN = "preferences", "notifications", "seen"
WEBHOOK_SECRET = "webhook-secret"
"""Sealed."""


async def read_setting(connection: AsyncConnection, owner: str, name: str) -> Any:
    """None when it was never set."""
    query = select(settings.c.value).where(settings.c.owner == owner, settings.c.name == name)
    return (await connection.execute(query)).scalar_one_or_none()


async def settings_named(connection: AsyncConnection, name: str) -> list[tuple[str, Any]]:
    """Those of all people, each with its owner."""
    query = select(settings.c.owner, settings.c.value).where(settings.c.name == name)
    return [(row.owner, row.value) for row in await connection.execute(query)]


async def write_setting(tx: Transaction, owner: str, name: str, value: JsonValue) -> None:
    of_name = settings.c.owner == owner, settings.c.name == name
    await tx.connection.execute(delete(settings).where(*of_name))
    await tx.connection.execute(insert(settings), {"owner": owner, "name": name, "value": value})
