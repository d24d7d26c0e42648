"""Periodic work. Each piece may run in two processes at once and does no harm."""

from __future__ import annotations

import asyncio
import logging
import time

from diamond.service.services import Services
from diamond.service.store import relayed
from diamond.service.store.commands import forget_commands
from diamond.service.store.engine import Transaction
from diamond.service.store.sessions import drop_over
from diamond.service.store.streams import forget_events
from diamond.service.store.users import drop_expired
from diamond.service.use_cases.blob_upkeep import prune_blobs
from diamond.service.use_cases.idempotency import forget_keys
from diamond.service.use_cases.warning import warn

log = logging.getLogger("diamond.service")
SWEEP_SECONDS = 5.0
TIDY_SECONDS = 3600.0
KEEP_EVENTS_SECONDS = 14 * 86400.0


async def keep(services: Services) -> None:
    tidied = 0.0
    while True:
        try:
            await services.presence.sweep()
            if time.monotonic() - tidied > TIDY_SECONDS:
                tidied = time.monotonic()
                await services.store.run(_tidy)
                await prune_blobs(services.store, services.blobs)
                await asyncio.to_thread(services.image_files.prune, time.time())
                await warn(services)
        except Exception:
            log.exception("periodic work failed; it goes on")
        await asyncio.sleep(SWEEP_SECONDS)


async def _tidy(tx: Transaction) -> None:
    before = time.time() - KEEP_EVENTS_SECONDS
    await forget_events(tx, before)
    await forget_commands(tx, before)
    await drop_expired(tx)
    await drop_over(tx)
    await forget_keys(tx)
    await relayed.forget_old(tx)
