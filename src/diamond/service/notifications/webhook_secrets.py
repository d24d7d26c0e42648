"""The secrets that sign people's webhooks, sealed: whoever reads the database must not be able to sign for us."""

from __future__ import annotations

import base64
from collections.abc import Callable

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.people.settings_store import (
    NOTIFICATIONS,
    WEBHOOK_SECRET,
    read_setting,
    settings_named,
    write_setting,
)
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.sealing import Seal, WrongSeal


class UnreadableSecret(Exception):
    """Sealed with another key: its owner has to set it again."""


async def keep_secret(tx: Transaction, seal: Seal, owner: str, secret: str) -> None:
    """An empty one removes it."""
    sealed = seal.close(secret.encode(), _purpose(owner)) if secret else b""
    await write_setting(tx, owner, WEBHOOK_SECRET, base64.b64encode(sealed).decode())


async def has_secret(connection: AsyncConnection, owner: str) -> bool:
    return bool(await read_setting(connection, owner, WEBHOOK_SECRET))


async def read_secret(connection: AsyncConnection, seal: Seal, owner: str) -> str:
    """Empty for none; raises UnreadableSecret."""
    sealed = await read_setting(connection, owner, WEBHOOK_SECRET)
    try:
        return seal.open(base64.b64decode(sealed), _purpose(owner)).decode() if sealed else ""
    except (WrongSeal, ValueError):
        raise UnreadableSecret from None


async def seal_old_ones(tx: Transaction, seal: Callable[[], Seal]) -> None:
    """Older versions stored them in clear text among the other settings."""
    for owner, stored in await settings_named(tx.connection, NOTIFICATIONS):
        hook = stored.get("webhook") or {}
        secret = hook.get("secret")
        if secret:
            await keep_secret(tx, seal(), owner, str(secret))
            sealed = {**stored, "webhook": {**hook, "secret": None}}
            await write_setting(tx, owner, NOTIFICATIONS, sealed)


def _purpose(owner: str) -> str:
    return f"webhook of {owner}"
