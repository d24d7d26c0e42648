"""The secrets that people's webhooks are signed with: in the database sealed, since whoever reads that must not sign for us."""

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
    """Sealed by another key: its person has to set it anew."""


async def keep_secret(tx: Transaction, seal: Seal, owner: str, secret: str) -> None:
    """'' for none."""
    sealed = seal.close(secret.encode(), _purpose(owner)) if secret else b""
    await write_setting(tx, owner, WEBHOOK_SECRET, base64.b64encode(sealed).decode())


async def has_secret(connection: AsyncConnection, owner: str) -> bool:
    return bool(await read_setting(connection, owner, WEBHOOK_SECRET))


async def read_secret(connection: AsyncConnection, seal: Seal, owner: str) -> str:
    """'' for none; raises UnreadableSecret."""
    sealed = await read_setting(connection, owner, WEBHOOK_SECRET)
    try:
        return seal.open(base64.b64decode(sealed), _purpose(owner)).decode() if sealed else ""
    except (WrongSeal, ValueError):
        raise UnreadableSecret from None


async def seal_old_ones(tx: Transaction, seal: Callable[[], Seal]) -> None:
    """They lay among the other settings, for all to read."""
    for owner, value in await settings_named(tx.connection, NOTIFICATIONS):
        hook = value.get("webhook") or {}
        if hook.get("secret"):
            await keep_secret(tx, seal(), owner, str(hook["secret"]))
            told = {**value, "webhook": {**hook, "secret": None}}
            await write_setting(tx, owner, NOTIFICATIONS, told)


def _purpose(owner: str) -> str:
    return f"webhook of {owner}"
