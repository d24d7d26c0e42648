from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from diamond.service.access.principal import Kind, Principal
from diamond.service.app import services_for
from diamond.service.endpoints.endpoints import add_endpoint, get_endpoint
from diamond.service.endpoints.presence import AWAY_AFTER_SECONDS, heard_of, sweep
from diamond.service.endpoints.rows import Carrier
from diamond.service.endpoints.schemas import EndpointRequest
from diamond.service.endpoints.store import change_endpoint, find_endpoint
from diamond.service.platform.event_log import events_after
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings

ADA = Principal(Kind.PERSON, "local", "ada")


@pytest.mark.parametrize(("carrier", "away"), [("local", "offline"), ("ssh", "sign-in")])
def test_an_endpoint_that_falls_silent_reads_as_away(
    tmp_path: Path, database_url: str, carrier: Carrier, away: str
) -> None:
    async def states() -> list[str]:
        settings = Settings(tmp_path, database_url=database_url)
        async with services_for(settings, Notifier()) as services:
            await add_endpoint(services, ADA, EndpointRequest(name="m", carrier=carrier), None)
            async with services.store.read() as connection:
                row: Any = await find_endpoint(connection, ADA.user, "m")
            seen: list[str] = []
            for silent in (0.0, AWAY_AFTER_SECONDS - 5, AWAY_AFTER_SECONDS + 5):
                await heard_of(services, row)
                last = time.time() - silent
                mark = partial(change_endpoint, endpoint=row.id, last_seen=last)
                await services.store.run(mark)
                await sweep(services.store)
                await sweep(services.store)
                seen.append((await get_endpoint(services, ADA, "m")).state)
            async with services.store.read() as connection:
                told = await events_after(connection, ADA.user, 0)
            assert [event.kind for event in told] == ["endpoint"] * 3
            return seen

    assert asyncio.run(states()) == ["online", "online", away]
