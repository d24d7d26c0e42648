"""What nobody needs any more: parts of manifests, rounds of transfers that ended, old scans and transfers."""

from __future__ import annotations

import asyncio
import time

from diamond.core.artifacts import SERVICE
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.trees import store
from diamond.service.trees.reading import READER
from diamond.service.trees.transfers import end_transfer

KEEP_ROWS_SECONDS = 90 * 86400.0
KEEP_PIECES_SECONDS = 86400.0


async def tidy_trees(services: Services) -> None:
    before = time.time() - KEEP_ROWS_SECONDS

    async def forget(tx: Transaction) -> None:
        await store.forget_ended(tx, before)

    await services.store.run(forget)
    await services.store.run(_end_readings)
    await _clear_arrivals(services)
    await asyncio.to_thread(services.manifests.prune_parts, time.time())
    await services.pieces.do(services.pieces.prune, KEEP_PIECES_SECONDS)


async def _end_readings(tx: Transaction) -> None:
    """Exports whose process died have nobody who reads on."""
    before = time.time() - KEEP_PIECES_SECONDS
    for transfer in await store.open_transfers_of(tx.connection, READER):
        if transfer.updated < before:
            await end_transfer(tx, transfer, "failed", "the export was cut off")


async def _clear_arrivals(services: Services) -> None:
    """What transfers to the service that ended have left, such as in a process that died."""
    arrivals = await asyncio.to_thread(services.kept_trees.arrivals)
    async with services.store.read() as connection:
        is_open = {row.id for row in await store.open_transfers_of(connection, SERVICE)}
    for transfer in arrivals:
        if transfer not in is_open:
            await asyncio.to_thread(services.kept_trees.clear, transfer)
