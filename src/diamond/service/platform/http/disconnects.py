"""Work for a caller who may leave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from starlette.requests import Request

from diamond.core.errors import Cancelled

Result = TypeVar("Result")


async def while_connected(request: Request, work: Awaitable[Result]) -> Result:
    """The result of `work`, which is cancelled when the caller closes the connection."""
    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Cancelled("The caller closed the connection")
        return await task
    finally:
        await _stop(gone)
        await _stop(task)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _stop(task: asyncio.Future[Any]) -> None:
    """`asyncio.wait_for` of Python 3.11 swallows a cancellation that comes with its result."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.1)
