"""SQLite called in the event loop's own thread.

aiosqlite, whose place this takes below SQLAlchemy, hands each call to a thread and back: about thirty times for one
POST /jobs, which costs ten times what SQLite itself does (a statement takes 10 to 100 µs, and a commit in WAL mode
waits for no disk).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any


async def connect(database: str, **options: Any) -> InlineConnection:
    """Transactions are begun and ended by whoever uses it."""
    options.pop("isolation_level", None)
    return InlineConnection(sqlite3.connect(database, isolation_level=None, **options))


class InlineConnection:
    """What SQLAlchemy calls on a connection of aiosqlite."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def isolation_level(self) -> str | None:
        return self._connection.isolation_level

    def cursor(self) -> InlineCursor:
        return InlineCursor(self._connection.cursor())

    async def commit(self) -> None:
        self._connection.commit()

    async def rollback(self) -> None:
        self._connection.rollback()

    async def close(self) -> None:
        self._connection.close()

    async def create_function(
        self, name: str, count: int, function: Callable[..., Any], deterministic: bool = False
    ) -> None:
        self._connection.create_function(name, count, function, deterministic=deterministic)

    def stop(self) -> None:
        self._connection.close()


class InlineCursor:
    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor
        self.arraysize = cursor.arraysize

    async def __aenter__(self) -> InlineCursor:
        return self

    @property
    def description(self) -> Any:
        return self._cursor.description

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._cursor.lastrowid

    async def execute(self, statement: str, values: Sequence[Any] = ()) -> InlineCursor:
        self._cursor.execute(statement, values)
        return self

    async def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> InlineCursor:
        self._cursor.executemany(statement, rows)
        return self

    async def fetchone(self) -> Any:
        return self._cursor.fetchone()

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        return self._cursor.fetchmany(size or self.arraysize)

    async def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    async def close(self) -> None:
        self._cursor.close()
