"""The end of a pilot: it finishes what it runs, or everything in it is cancelled."""

from __future__ import annotations

import time

from diamond.service.access.principal import Principal
from diamond.service.endpoints.commands import Command, send
from diamond.service.pilots import store
from diamond.service.pilots.find import find_pilot
from diamond.service.pilots.rows import Held
from diamond.service.pilots.schemas import Pilot
from diamond.service.pilots.start import NEWS
from diamond.service.pilots.views import show_pilot
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.tasks.tasks import end_task


async def stop_pilot(services: Services, principal: Principal, pilot: str, *, now: bool) -> Pilot:
    """Asking twice, or too late, is fine."""

    async def stop(tx: Transaction) -> Pilot:
        held = await find_pilot(tx.connection, principal, pilot)
        if now:
            await store.mark_closing(tx, held.task.id, time.time())
            await end_task(tx, held.task, by=principal.name)
            await publish(tx, held.row.owner, [changed(NEWS)])
        else:
            await close_pilot(tx, held, by=principal.name)
        return await show_pilot(tx.connection, held.task.id)

    return await services.store.run(stop)


async def close_pilot(tx: Transaction, held: Held, *, by: str) -> None:
    """It finishes what it runs and goes. One that never had an allocation, and nothing to do, is cancelled."""
    if not held.is_open:
        return
    await store.mark_closing(tx, held.task.id, time.time())
    if held.task.started is None and not await store.has_open_inside(tx.connection, held.task.id):
        await end_task(tx, held.task, by=by)
    else:
        await send(
            tx, [Command("close-pilot", held.task.endpoint, held.row.owner, task=held.task.id)]
        )
    await publish(tx, held.row.owner, [changed(NEWS)])
