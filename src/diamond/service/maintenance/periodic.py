"""Periodic work. Each piece may run in two processes at once and does no harm."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Awaitable, Callable
from functools import partial

from diamond.service.code.cleanup import prune_blobs
from diamond.service.code.removal import remove_due_code
from diamond.service.endpoints.commands import forget_commands
from diamond.service.endpoints.presence import sweep
from diamond.service.entries.anchor import anchor_records
from diamond.service.limits.store import has_storage_limits
from diamond.service.limits.usage import measure
from diamond.service.notifications.store import forget_notifications
from diamond.service.output.archive import archive_due_tasks
from diamond.service.people.session_store import drop_expired_sessions
from diamond.service.people.store import RESTORED, drop_expired, read_fact
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import forget_events
from diamond.service.platform.idempotency import forget_keys
from diamond.service.platform.image_files import ImageFiles
from diamond.service.platform.relay import store as relayed
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import SIZES, wait
from diamond.service.records.store import forget_links
from diamond.service.tasks.record_entries import rebuild_records
from diamond.service.tasks.warnings import warn
from diamond.service.trees.tidy import tidy_trees

log = logging.getLogger("diamond.service")
SWEEP_SECONDS = 5.0
TIDY_SECONDS = 3600.0
ANCHOR_SECONDS = 60.0
MEASURE_SECONDS = 600.0
"""How old a size may be where storage is limited; otherwise sizes are measured hourly."""
KEEP_EVENTS_SECONDS = 14 * 86400.0
KEEP_NOTIFICATIONS_SECONDS = 90 * 86400.0


async def run_housekeeping(services: Services) -> None:
    tidied = anchored = -TIDY_SECONDS
    while True:
        await separately([services.store], sweep, "marking silent endpoints")
        if time.monotonic() - tidied > TIDY_SECONDS:
            tidied = time.monotonic()
            await tidy(services)
        if time.monotonic() - anchored > ANCHOR_SECONDS:
            anchored = time.monotonic()
            await separately([services.store], anchor_records, "anchoring records")
        await asyncio.sleep(SWEEP_SECONDS)


async def tidy(services: Services) -> None:
    """Each in its own transaction."""
    await separately(FORGOTTEN, services.store.run, "forgetting old rows")
    await separately([services], archive_due_tasks, "archiving old tasks")
    await separately([services], remove_due_code, "removing old code")
    await separately([services.blobs], partial(prune_blobs, services.store), "removing old blobs")
    await separately([services.image_files], _prune_images, "removing old image files")
    await separately([services.store], rebuild_records, "making records of old tasks")
    await separately([services], tidy_trees, "forgetting old transfers of data")
    await separately([services], warn, "warning of full disks")


async def _prune_images(files: ImageFiles) -> None:
    await asyncio.to_thread(files.prune, time.time())


async def restart_after_restore(services: Services) -> None:
    """Ends this process once a backup was restored under it: its supervisor starts it again, on the restored data."""
    known = now = await _restored(services)
    while now == known:
        await asyncio.sleep(SWEEP_SECONDS)
        try:
            now = await _restored(services)
        except Exception:
            log.exception("the database does not answer; it is asked again")
    log.warning("a backup was restored: the service restarts")
    os.kill(os.getpid(), signal.SIGTERM)


async def _restored(services: Services) -> str | None:
    async with services.store.read() as connection:
        return await read_fact(connection, RESTORED)


async def measure_regularly(services: Services) -> None:
    """Now and then, and at once when a storage limit is set. Apart from the rest: a machine that does not answer delays nothing else."""
    with services.notifier.listen([SIZES]) as bell:
        while not services.notifier.closing:
            await _measure_next(services, bell)


async def _measure_next(services: Services, bell: asyncio.Event) -> None:
    try:
        await wait(bell, await _measures_every(services))
        bell.clear()
        if not services.notifier.closing:
            await measure(services)
    except Exception:
        log.exception("measuring failed; it is tried again")
        await asyncio.sleep(SWEEP_SECONDS)


async def _measures_every(services: Services) -> float:
    async with services.store.read() as connection:
        return MEASURE_SECONDS if await has_storage_limits(connection) else TIDY_SECONDS


async def _forget_events(tx: Transaction) -> None:
    await forget_events(tx, time.time() - KEEP_EVENTS_SECONDS)


async def _forget_commands(tx: Transaction) -> None:
    await forget_commands(tx, time.time() - KEEP_EVENTS_SECONDS)


async def _forget_notifications(tx: Transaction) -> None:
    await forget_notifications(tx, time.time() - KEEP_NOTIFICATIONS_SECONDS)


FORGOTTEN: tuple[Callable[[Transaction], Awaitable[None]], ...] = (
    _forget_events,
    _forget_commands,
    _forget_notifications,
    drop_expired,
    drop_expired_sessions,
    forget_keys,
    forget_links,
    relayed.forget_old,
)
