"""The async door: the same client, with each call in a thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

from diamond.sdk.client import Client, Settings, Spec
from diamond.sdk.logs import LogPart
from diamond.sdk.models import Endpoint, Job, Task
from diamond.sdk.streaming import StreamEvent

Item = TypeVar("Item")
_END = object()


class AsyncClient:
    """`await client.run(…)`, `async for event in client.events()`; arguments as in `Client`."""

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        self.sync = Client(url, token)

    async def run(
        self, spec: Spec, *, on: str | None = None, set: Settings = (), wait: bool = False
    ) -> Job:
        return await asyncio.to_thread(self.sync.run, spec, on=on, set=set, wait=wait)

    async def task(self, task: str) -> Task:
        return await asyncio.to_thread(self.sync.task, task)

    async def cancel(self, task: str) -> Task:
        return await asyncio.to_thread(self.sync.cancel, task)

    async def retry(self, task: str) -> Task:
        return await asyncio.to_thread(self.sync.retry, task)

    async def wait(self, task: str, *, timeout: float | None = None) -> Task:
        return await asyncio.to_thread(self.sync.wait, task, timeout=timeout)

    async def endpoints(self) -> list[Endpoint]:
        return await asyncio.to_thread(self.sync.endpoints)

    def tasks(
        self, *, state: tuple[str, ...] = (), limit: int | None = None
    ) -> AsyncIterator[Task]:
        return _threaded(self.sync.tasks(state=state, limit=limit))

    def logs(self, task: str, *, follow: bool = False) -> AsyncIterator[LogPart]:
        return _threaded(_lazily(lambda: self.sync.logs(task, follow=follow)))

    def events(self, watch: tuple[str, ...] = ()) -> AsyncIterator[StreamEvent]:
        return _threaded(self.sync.events(watch))

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Every other method of `Client`, awaited."""
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.sync, name)
        return functools.partial(asyncio.to_thread, method)


async def _threaded(items: Iterator[Item]) -> AsyncIterator[Item]:
    while True:
        item = await asyncio.to_thread(next, items, _END)
        if item is _END:
            return
        yield item  # type: ignore[misc]


def _lazily(make: Callable[[], Iterator[Item]]) -> Iterator[Item]:
    yield from make()
