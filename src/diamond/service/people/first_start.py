"""The first start: the local user, the instance's name, and the token that the CLI reads."""

from __future__ import annotations

import getpass
import json
import os
import socket
from pathlib import Path
from typing import Any

from diamond.core.ids import new_id
from diamond.service.access.principal import LOCAL_USER
from diamond.service.people import store as users
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.settings import Settings


async def first_start(store: Store) -> str:
    """Make what is missing; gives the instance's id, which no restart changes."""

    async def prepare(tx: Transaction) -> str:
        if await users.find_user(tx.connection, LOCAL_USER) is None:
            await users.add_user(tx, LOCAL_USER, _person(), is_admin=True)
        instance = await users.read_fact(tx.connection, "instance")
        if instance is None:
            instance = new_id("d")
            await users.write_fact(tx, LOCAL_USER, "instance", instance)
        return instance

    return await store.run(prepare)


async def write_token_file(store: Store, settings: Settings) -> None:
    """`token.json` {"url","token"}, readable by its owner alone; a token that still works is kept."""
    known = _read(settings.token_file)
    token = str(known.get("token", ""))
    async with store.read() as connection:
        works = token and await users.find_credential(connection, users.TOKEN, token)
    if not works:
        token = await store.run(lambda tx: _new_token(tx, settings.home))
    if not works or known.get("url") != settings.url:
        _write(settings.token_file, {"url": settings.url, "token": token})


async def _new_token(tx: Transaction, home: Path) -> str:
    """In place of one that this home had before and lost."""
    name = f"command line of {socket.gethostname()}:{home}"
    await users.drop_named(tx, LOCAL_USER, users.TOKEN, name)
    _, secret = await users.add_credential(tx, LOCAL_USER, users.TOKEN, name)
    return secret


def _person() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return LOCAL_USER


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, content: dict[str, Any]) -> None:
    aside = path.with_name(f".{path.name}.{new_id('x')}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        json.dump(content, out)
    aside.rename(path)
