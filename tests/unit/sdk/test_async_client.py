"""The async door leads to the same rooms."""

from __future__ import annotations

import asyncio
import inspect
import json

import pytest

from diamond.sdk import AsyncClient, Client
from diamond.sdk.transport import API
from support.small_server import Reply, Request, serving

PAGES = {
    "": {"items": [{"id": "t3"}, {"id": "t2"}], "next": "c1"},
    "c1": {"items": [{"id": "t1"}], "next": None},
}


def service(request: Request) -> Reply:
    if request.path == f"{API}/tasks":
        return Reply(json.dumps(PAGES[request.query.get("cursor", [""])[0]]).encode())
    if request.path.endswith("/metrics"):
        return Reply(b'{"items": [{"name": "loss", "points": []}]}')
    return Reply(b'{"id": "t1", "state": "running"}')


def test_everything_can_be_awaited() -> None:
    async def use(url: str) -> tuple[list[str], str, list[dict[str, object]]]:
        client = AsyncClient(url, "t")
        ids = [task.id async for task in client.tasks()]
        return ids, (await client.cancel("t1")).state, await client.metrics("t1")

    with serving(service) as server:
        ids, state, metrics = asyncio.run(use(server.url))
    assert (ids, state, metrics[0]["name"]) == (["t3", "t2", "t1"], "running", "loss")


def test_it_takes_the_same_arguments_and_closes_behind_itself() -> None:
    async def use(url: str) -> list[str]:
        async with AsyncClient(url, "t") as client:
            return [task.id async for task in client.tasks(endpoint="alpha", search="x", limit=2)]

    with serving(service) as server:
        assert asyncio.run(use(server.url)) == ["t3", "t2"]
        asked = server.requests[0].query
        with Client(server.url, "t") as client:
            assert client.task("t1").state == "running"
    assert (asked["endpoint"], asked["search"]) == (["alpha"], ["x"])
    assert inspect.signature(AsyncClient.run) == inspect.signature(Client.run)


def test_a_wait_ends_in_time_also_where_nothing_happens() -> None:
    with serving(service) as server:
        with pytest.raises(TimeoutError, match="t1 is still running"):
            Client(server.url, "t").wait("t1", timeout=0.2)
        assert not any(one.path.endswith("/events") for one in server.requests)
