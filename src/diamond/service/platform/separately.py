"""Periodic work on many things: one that fails is logged, and never stops the others."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

log = logging.getLogger("diamond.service")
Item = TypeVar("Item")


async def separately(
    items: Iterable[Item], work: Callable[[Item], Awaitable[object]], what: str
) -> None:
    """Do `work` for each, in order; `what` names it in the log."""
    for item in items:
        try:
            await work(item)
        except Exception:
            log.exception("%s failed for %.200s; trying again later", what, item)
