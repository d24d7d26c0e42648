"""What was made with a token: other tokens, browsers that it signed in, and what these made in turn."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import credentials, device_codes, sessions


async def drop_offspring(tx: Transaction, owner: str, key: str) -> None:
    """A thief may have made others with a stolen token, so these end with it."""
    makers = {key}
    while makers:
        made: set[str] = set()
        for table in (credentials, sessions):
            gone = delete(table).where(table.c.owner == owner, table.c.maker.in_(makers))
            made |= set((await tx.connection.execute(gone.returning(table.c.id))).scalars())
        asked = delete(device_codes).where(device_codes.c.maker.in_(makers))
        await tx.connection.execute(asked)
        makers = made


async def end_within(connection: AsyncConnection, maker: str, wanted: float | None) -> float | None:
    """When something made with a token expires: not after the token itself. A browser's session sets no such limit."""
    query = select(credentials.c.expires).where(credentials.c.id == maker)
    own = (await connection.execute(query)).scalar_one_or_none()
    return min((end for end in (wanted, own) if end is not None), default=None)
