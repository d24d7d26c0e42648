"""The database: SQLite inside the service, or PostgreSQL by URL, behind the same two doors."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from diamond.service.platform.audit import CALL, Call, write_down
from diamond.service.platform.database.inline_sqlite import InlineSqlite
from diamond.service.platform.database.rows import Columns
from diamond.service.platform.wakeups.notifier import Notifier

CHANNEL = "diamond"
RETRIES = 8
# PostgreSQL: serialization failure, deadlock, and a unique row that another made first.
TRY_AGAIN = frozenset({"40001", "40P01", "23505"})
Result = TypeVar("Result")
_SAVE_POINT, _UNDO, _FORGET = (
    text(f"{what} part") for what in ("SAVEPOINT", "ROLLBACK TO SAVEPOINT", "RELEASE SAVEPOINT")
)


class LostRace(Exception):
    """Somebody else changed the row meanwhile; the work is run again on what it is now."""


class Transaction:
    """One write: a connection, and whom to wake once it is committed."""

    def __init__(self, connection: AsyncConnection, *, is_sqlite: bool) -> None:
        self.connection = connection
        self.topics: set[str] = set()
        self._insert = sqlite.insert if is_sqlite else postgresql.insert

    async def insert_new(self, table: Table, rows: Sequence[Columns]) -> None:
        """Those whose key is not there yet."""
        if rows:
            await self.connection.execute(self._insert(table).on_conflict_do_nothing(), rows)

    def wake(self, topic: str) -> None:
        self.topics.add(topic)

    @asynccontextmanager
    async def part(self) -> AsyncIterator[None]:
        """If it raises, what it has written is undone; what came before stays."""
        await self.connection.execute(_SAVE_POINT)
        try:
            yield
        except BaseException:
            await self.connection.execute(_UNDO)
            raise
        finally:
            await self.connection.execute(_FORGET)


class Store:
    def __init__(self, url: str, notifier: Notifier) -> None:
        self.notifier = notifier
        self.is_sqlite = url.startswith("sqlite")
        self._database = (
            InlineSqlite(str(make_url(url).database)) if self.is_sqlite else _Postgres(url)
        )
        # SQLite's own waiting for a writer sleeps in steps; here the next one continues at once.
        self._one_writer = asyncio.Lock()

    async def run(self, work: Callable[[Transaction], Awaitable[Result]]) -> Result:
        """Commit `work`, from its start again when it lost a race."""
        for _ in range(RETRIES):
            try:
                async with self.write() as tx:
                    return await work(tx)
            except LostRace:
                continue
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in TRY_AGAIN:
                    raise
        raise LostRace("the row changed each time")

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        async with self._turn(), self._database.begin() as connection:
            tx = Transaction(connection, is_sqlite=self.is_sqlite)
            yield tx
            call = await _write_down(tx)
            await self._announce(tx)
        if call is not None:
            call.is_written = True
        self.notifier.wake(tx.topics)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        async with self._database.connect() as connection:
            yield connection

    async def close(self) -> None:
        await self._database.close()

    def _turn(self) -> contextlib.AbstractAsyncContextManager[Any]:
        return self._one_writer if self.is_sqlite else contextlib.nullcontext()

    async def _announce(self, tx: Transaction) -> None:
        """Other processes are woken when this commits."""
        if self.is_sqlite or not tx.topics:
            return
        statement = text("SELECT pg_notify(:channel, :topic)")
        rows = [{"channel": CHANNEL, "topic": topic} for topic in sorted(tx.topics)]
        for row in rows:
            await tx.connection.execute(statement, row)


async def _write_down(tx: Transaction) -> Call | None:
    """Once for each call: what is done and who did it are saved together, or neither."""
    call = CALL.get()
    if call is None or call.is_written:
        return None
    await write_down(tx.connection, call)
    return call


class _Postgres:
    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url, pool_size=10, max_overflow=10, pool_pre_ping=True)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.connect() as connection:
            yield connection

    async def close(self) -> None:
        await self._engine.dispose()
