"""The async door leads to the same rooms."""

from __future__ import annotations

import asyncio
import json

from diamond.sdk import AsyncClient
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
