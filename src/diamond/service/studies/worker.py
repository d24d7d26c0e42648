"""Advances studies in the background until the service stops."""

from __future__ import annotations

import asyncio
import logging

from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import STUDIES, wait
from diamond.service.studies.advance import advance_all

log = logging.getLogger("diamond.service")
BUSY_SECONDS, IDLE_SECONDS = 5.0, 30.0
"""Between two rounds that nothing asked for, while a study is open and while none is."""
PAUSE_SECONDS = 0.2
"""At least, between two rounds: what arrives meanwhile is looked at together."""


async def advance_studies(services: Services) -> None:
    """Several processes may do so: each round is for one version of a study."""
    with services.notifier.listen([STUDIES]) as bell:
        while not services.notifier.closing:
            bell.clear()
            busy = True
            try:
                busy = await advance_all(services)
            except Exception:
                log.exception("advancing the studies failed; trying again")
            await asyncio.sleep(PAUSE_SECONDS)
            await wait(bell, BUSY_SECONDS if busy else IDLE_SECONDS)
