"""How long a person's question waits for its answer."""

from __future__ import annotations

import asyncio

import pytest

from diamond.core.errors import EndpointAway
from diamond.service.platform.relay import relay as module
from diamond.service.platform.relay.relay import MemoryRelay, Relay
from diamond.service.platform.wakeups.notifier import Notifier

PATIENCE = 3.0


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_SECONDS", PATIENCE)


async def asked(relay: Relay, signs: int) -> dict[str, object]:
    """Ask, and answer after so many signs of life, half the patience apart."""
    asking = asyncio.create_task(relay.ask_json("e1", "stat-file", path="model.pt"))
    while not (taken := await relay.take("e1")):
        await asyncio.sleep(0)
    request = taken[0]["id"]
    for _ in range(signs):
        await asyncio.sleep(PATIENCE / 2)
        await relay.answer("e1", request, b"", ok=True, more=True)
    if signs:
        await relay.answer("e1", request, b'{"size": 5}', ok=True, more=False)
    return await asking


def test_signs_of_life_keep_a_long_answer_awaited() -> None:
    assert asyncio.run(asked(MemoryRelay(Notifier()), signs=3)) == {"size": 5}


def test_without_a_sign_the_endpoint_counts_as_away() -> None:
    with pytest.raises(EndpointAway):
        asyncio.run(asked(MemoryRelay(Notifier()), signs=0))
