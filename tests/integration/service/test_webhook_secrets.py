"""Who reads the database, or a copy of it, cannot sign for us."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from diamond.service.access.principal import LOCAL_USER
from diamond.service.notifications.webhook_secrets import (
    UnreadableSecret,
    keep_secret,
    read_secret,
    seal_old_ones,
)
from diamond.service.people.first_start import first_start
from diamond.service.people.settings_store import NOTIFICATIONS, read_setting, write_setting
from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.sealing import Seal
from support.database import with_store

SEAL, OTHER = Seal(b"k" * 32), Seal(b"o" * 32)
SECRET = "a very plain secret"


async def all_settings(store: Store) -> str:
    async with store.read() as connection:
        return str((await connection.execute(text("SELECT * FROM settings"))).all())


async def secret_of(store: Store, seal: Seal, owner: str = LOCAL_USER) -> str:
    async with store.read() as connection:
        return await read_secret(connection, seal, owner)


def test_a_secret_is_sealed_and_read_with_the_key_alone(tmp_path: Path, database_url: str) -> None:
    async def work(store: Store) -> None:
        await first_start(store)
        assert await secret_of(store, SEAL) == ""
        await store.run(lambda tx: keep_secret(tx, SEAL, LOCAL_USER, SECRET))
        assert await secret_of(store, SEAL) == SECRET
        assert SECRET not in await all_settings(store)
        with pytest.raises(UnreadableSecret):
            await secret_of(store, OTHER)
        await store.run(lambda tx: keep_secret(tx, SEAL, LOCAL_USER, ""))
        assert await secret_of(store, SEAL) == ""

    with_store(tmp_path, database_url, work)


def test_one_that_lay_open_is_sealed_at_the_next_start(tmp_path: Path, database_url: str) -> None:
    async def work(store: Store) -> None:
        await first_start(store)
        old: JsonObject = {"webhook": {"url": "https://example.org/", "secret": SECRET}}
        await store.run(lambda tx: write_setting(tx, LOCAL_USER, NOTIFICATIONS, old))
        for _ in range(2):
            await store.run(lambda tx: seal_old_ones(tx, lambda: SEAL))
        assert await secret_of(store, SEAL) == SECRET
        assert SECRET not in await all_settings(store)
        async with store.read() as connection:
            kept = await read_setting(connection, LOCAL_USER, NOTIFICATIONS)
        assert kept["webhook"]["url"] == "https://example.org/"

    with_store(tmp_path, database_url, work)
