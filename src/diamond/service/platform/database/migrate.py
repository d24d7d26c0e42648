"""Bring a database to the newest tables, at each start."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text
from sqlalchemy.engine import Connection

from diamond.service.platform.database.engine import Store

FOLDER = Path(__file__).parent / "migrations"
# Any number: two services that start at once upgrade one after the other.
LOCK = 8642001


async def upgrade(store: Store, revision: str = "head") -> None:
    async with store.write() as tx:
        if not store.is_sqlite:
            await tx.connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        await tx.connection.run_sync(_upgrade, revision)


def _upgrade(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
