"""The async client: the same calls as `Client`, each in a thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from diamond.sdk.client import Client

Item = TypeVar("Item")
Result = TypeVar("Result")
Given = ParamSpec("Given")
_END = object()


def _in_thread(
    method: Callable[Concatenate[Client, Given], Result],
) -> Callable[Concatenate[AsyncClient, Given], Awaitable[Result]]:
    """The same method with the same arguments, run in a thread."""

    def call(self: AsyncClient, /, *args: Given.args, **kwargs: Given.kwargs) -> Awaitable[Result]:
        return asyncio.to_thread(method, self.sync, *args, **kwargs)

    functools.update_wrapper(call, method)
    return call


def _iterated_in_thread(
    method: Callable[Concatenate[Client, Given], Iterator[Item]],
) -> Callable[Concatenate[AsyncClient, Given], AsyncIterator[Item]]:
    """The same for methods that return an iterator."""

    def call(
        self: AsyncClient, /, *args: Given.args, **kwargs: Given.kwargs
    ) -> AsyncIterator[Item]:
        return _threaded(_lazily(lambda: method(self.sync, *args, **kwargs)))

    functools.update_wrapper(call, method)
    return call


class AsyncClient:
    """`await client.run(…)`, `async for event in client.events()`; arguments as in `Client`."""

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        self.sync = Client(url, token)

    run = _in_thread(Client.run)
    task = _in_thread(Client.task)
    cancel = _in_thread(Client.cancel)
    retry = _in_thread(Client.retry)
    diagnosis = _in_thread(Client.diagnosis)
    fix = _in_thread(Client.fix)
    wait = _in_thread(Client.wait)
    endpoints = _in_thread(Client.endpoints)
    tasks = _iterated_in_thread(Client.tasks)
    logs = _iterated_in_thread(Client.logs)
    events = _iterated_in_thread(Client.events)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.sync.transport.close()

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Every other method of `Client`, as an awaitable."""
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
