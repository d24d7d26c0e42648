"""Advances scales in the background until the service stops."""

from __future__ import annotations

import logging

from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import SCALES, wait
from diamond.service.scales.probing import advance_all

log = logging.getLogger("diamond.service")
BUSY_SECONDS, IDLE_SECONDS = 1.0, 10.0
"""Between two rounds, while a scale is open and while none is. Another process may have started one."""


async def advance_scales(services: Services) -> None:
    """Several processes may do so: each step is for one version of a scale."""
    with services.notifier.listen([SCALES]) as bell:
        while not services.notifier.closing:
            bell.clear()
            busy = True
            try:
                busy = await advance_all(services)
            except Exception:
                log.exception("advancing the scales failed; trying again")
            await wait(bell, BUSY_SECONDS if busy else IDLE_SECONDS)
