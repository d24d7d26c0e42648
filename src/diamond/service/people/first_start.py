"""The first start: the local user, the instance's name, and the token that the CLI reads."""

from __future__ import annotations

import getpass
import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from diamond.core.ids import new_id
from diamond.service.access.principal import LOCAL_USER
from diamond.service.people import store as people_store
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.settings import Settings


async def first_start(store: Store) -> str:
    """Create what is missing, and return the id of this instance, which no restart changes."""

    async def prepare(tx: Transaction) -> str:
        if await people_store.find_user(tx.connection, LOCAL_USER) is None:
            await people_store.add_user(tx, LOCAL_USER, _person(), is_admin=True)
        instance = await people_store.read_fact(tx.connection, "instance")
        if instance is None:
            instance = new_id("d")
            await people_store.write_fact(tx, LOCAL_USER, "instance", instance)
        return instance

    return await store.run(prepare)


@dataclass(frozen=True)
class TokenFile:
    """`token.json`, by which the command line finds this service."""

    url: str = ""
    token: str = ""


async def write_token_file(store: Store, settings: Settings) -> None:
    """Readable by its owner alone; a token that still works is kept."""
    old = _read(settings.token_file)
    async with store.read() as connection:
        works = old.token and await people_store.find_credential(
            connection, people_store.TOKEN, old.token
        )
    token = old.token if works else await store.run(lambda tx: _new_token(tx, settings.home))
    new = TokenFile(settings.url, token)
    if new != old:
        _write(settings.token_file, new)


async def _new_token(tx: Transaction, home: Path) -> str:
    """Replaces one that this folder had before and lost."""
    name = f"command line of {socket.gethostname()}:{home}"
    await people_store.drop_named(tx, LOCAL_USER, people_store.TOKEN, name)
    _, secret = await people_store.add_credential(tx, LOCAL_USER, people_store.TOKEN, name)
    return secret


def _person() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return LOCAL_USER


def _read(path: Path) -> TokenFile:
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError):
        return TokenFile()
    if not isinstance(content, dict):
        return TokenFile()
    return TokenFile(str(content.get("url", "")), str(content.get("token", "")))


def _write(path: Path, content: TokenFile) -> None:
    aside = path.with_name(f".{path.name}.{new_id('x')}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        json.dump(asdict(content), out)
    aside.rename(path)
