"""A source that is online and sends nothing ends the transfer; one that is away, or busy with another file, does not."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from diamond.service.images import request_store, sync


def stalled(*, state: str, waited: float, idle: dict[str, float]) -> list[str]:
    """Messages of transfers that are ended."""
    started = time.time() - waited
    transfer = SimpleNamespace(source="e1", started=started, created=started, sha256="own")
    endpoint = SimpleNamespace(id="e1", name="alpha", state=state)
    ended: list[str] = []

    async def endpoints(*_: Any) -> dict[str, Any]:
        return {"e1": endpoint}

    async def open_transfers(*_: Any) -> list[Any]:
        return [SimpleNamespace(sha256=sha256) for sha256 in idle]

    async def end(_: Any, __: Any, ___: str, message: str) -> None:
        ended.append(message)

    files = SimpleNamespace(idle_seconds=lambda sha256: idle[sha256])
    with (
        mock.patch.object(sync, "endpoints_by_id", endpoints),
        mock.patch.object(request_store, "open_transfers_of", open_transfers),
        mock.patch.object(sync, "end_transfer", end),
    ):
        given: Any = (SimpleNamespace(connection=None), files, [transfer])
        asyncio.run(sync._end_stalled(*given))
    return ended


LONG = 2 * sync.STALLED_SECONDS


def test_a_silent_source_ends_it_and_the_person_reads_why() -> None:
    (message,) = stalled(state="online", waited=LONG, idle={"own": float("inf")})
    assert message.startswith("alpha is online but sent nothing for 5 minutes")


@pytest.mark.parametrize(
    ("state", "waited", "idle"),
    [
        ("sign-in", LONG, {"own": float("inf")}),
        ("online", 0.0, {"own": float("inf")}),
        ("online", LONG, {"own": float("inf"), "another": 1.0}),
    ],
    ids=["away", "just begun", "busy with another file"],
)
def test_others_go_on(state: str, waited: float, idle: dict[str, float]) -> None:
    assert stalled(state=state, waited=waited, idle=idle) == []
