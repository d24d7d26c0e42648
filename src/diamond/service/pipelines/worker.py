"""Advances pipelines in the background until the service stops."""

from __future__ import annotations

import logging

from diamond.service.pipelines.advance import advance_all
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import PIPELINES, wait

log = logging.getLogger("diamond.service")
BUSY_SECONDS, IDLE_SECONDS = 2.0, 10.0
"""Between two rounds, while a pipeline is open and while none is, unless something wakes it first."""


async def advance_pipelines(services: Services) -> None:
    """Several processes may do so: each change is for one version of a pipeline."""
    with services.notifier.listen([PIPELINES]) as bell:
        while not services.notifier.closing:
            bell.clear()
            busy = True
            try:
                busy = await advance_all(services)
            except Exception:
                log.exception("advancing the pipelines failed; trying again")
            await wait(bell, BUSY_SECONDS if busy else IDLE_SECONDS)
