"""SQLite called in the event loop's own thread.

A statement takes SQLite 10 to 100 µs. aiosqlite hands each call to a thread and back, and SQLAlchemy's asyncio layer
switches greenlets around each (measured: 128 µs instead of 60 for a statement, 180 instead of 25 for a transaction), so
neither is used: the store's few calls on a connection are done at once by SQLAlchemy's plain one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

from sqlalchemy import Executable, create_engine, event
from sqlalchemy.engine import Connection, CursorResult
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import QueuePool

from diamond.service.platform.database import json_columns

Result = TypeVar("Result")
PRAGMAS = (
    "journal_mode=WAL",
    # NORMAL may lose answered calls in a power cut; measured, FULL costs 1 to 2 ms a commit.
    "synchronous=FULL",
    "foreign_keys=ON",
    "busy_timeout=5000",
    "cache_size=-8000",
)


class InlineSqlite:
    def __init__(self, path: str) -> None:
        # Never more than are in use: one that waited for another would stop the whole service.
        self._engine = create_engine(
            "sqlite://",
            creator=lambda: _open(path),
            poolclass=QueuePool,
            pool_size=5,
            max_overflow=-1,
            json_serializer=json_columns.dump,
            json_deserializer=json_columns.load,
        )
        event.listen(self._engine, "begin", _begin)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes."""
        with self._engine.connect() as connection:
            writer = connection.execution_options(diamond_write=True)
            with writer.begin():
                yield as_async(writer)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[AsyncConnection]:
        with self._engine.connect() as connection:
            yield as_async(connection)

    async def close(self) -> None:
        self._engine.dispose()


class _Inline:
    """What the store calls on an AsyncConnection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def execute(self, statement: Executable, values: Any = None) -> CursorResult[Any]:
        return self._connection.execute(statement, values)

    async def run_sync(self, work: Callable[..., Result], *values: Any) -> Result:
        return work(self._connection, *values)


def as_async(connection: Connection) -> AsyncConnection:
    return cast("AsyncConnection", _Inline(connection))


def _open(path: str) -> sqlite3.Connection:
    """Transactions are begun by `_begin`, not by the driver."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("diamond_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
