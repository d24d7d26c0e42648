"""What came of a token: others that it made, browsers that it signed in, and what came of those."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import credentials, device_codes, sessions


async def drop_offspring(tx: Transaction, owner: str, key: str) -> None:
    """Whoever stole a token may have made others with it: they end with it."""
    makers = {key}
    while makers:
        found: set[str] = set()
        for table in (credentials, sessions):
            gone = delete(table).where(table.c.owner == owner, table.c.maker.in_(makers))
            found |= set((await tx.connection.execute(gone.returning(table.c.id))).scalars())
        asked = delete(device_codes).where(device_codes.c.maker.in_(makers))
        await tx.connection.execute(asked)
        makers = found


async def end_within(connection: AsyncConnection, maker: str, wanted: float | None) -> float | None:
    """The end of what a token makes: never after its own. A browser's session does not bound what its person makes."""
    query = select(credentials.c.expires).where(credentials.c.id == maker)
    own = (await connection.execute(query)).scalar_one_or_none()
    return min((end for end in (wanted, own) if end is not None), default=None)
