"""The service's own queues: everybody gets her turn, and slow clients hold up nobody."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from diamond.core.ids import new_id
from diamond.service.endpoints.commands import Command, send, take_due
from diamond.service.notifications import store as notifications
from diamond.service.notifications.rows import NewDelivery, NotificationRow
from diamond.service.people import store as users
from diamond.service.platform.database.engine import Store
from support.database import with_store
from support.service import running_service

SLOW_CLIENTS = 100


def test_nobody_waits_behind_another_s_hundred_commands(tmp_path: Path) -> None:
    async def taken(store: Store) -> list[str]:
        async with store.write() as tx:
            for name in ("ada", "bob"):
                await users.add_user(tx, name, name)
            await send(tx, [Command("submit", "e1", "ada", task=f"a{n}") for n in range(100)])
            await send(tx, [Command("submit", "e1", "bob", task=f"b{n}") for n in range(2)])
        async with store.write() as tx:
            return [row.task for row in await take_due(tx, "e1", 1, limit=6)]

    assert with_store(tmp_path, "", taken) == ["a0", "a1", "a2", "a3", "b0", "b1"]


def test_nobody_s_message_waits_behind_another_s_hundred(tmp_path: Path) -> None:
    async def claimed(store: Store) -> list[str]:
        async with store.write() as tx:
            for name, count in (("ada", 100), ("bob", 1)):
                await users.add_user(tx, name, name)
                for number in range(count):
                    key = new_id("n")
                    row = NotificationRow(
                        id=key,
                        owner=name,
                        key=key,
                        kind="failed",
                        title="t",
                        text="",
                        task="",
                        endpoint="",
                        in_page=True,
                        at=1.0,
                        read=None,
                    )
                    waiting = NewDelivery(name, key, "email", due=float(number))
                    await notifications.add_notifications(tx, [row], [waiting])
        async with store.write() as tx:
            return [row.owner for row in await notifications.claim_due(tx, 4)]

    assert sorted(with_store(tmp_path, "", claimed)) == ["ada", "ada", "ada", "bob"]


@pytest.mark.slow
def test_clients_that_send_by_the_drop_hold_up_nobody(tmp_path: Path) -> None:
    with running_service(tmp_path) as service, ExitStack() as held:
        place = urlsplit(service.url)
        head = f"POST /api/v1/jobs HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 999\r\n"
        for number in range(SLOW_CLIENTS):
            link = held.enter_context(socket.create_connection((place.hostname, place.port)))
            link.sendall((head + ("\r\n{" if number % 2 else "X-Half: ")).encode())
        began = time.monotonic()
        assert service.client.get("/health")["ok"]
        assert service.client.post("/endpoints", {"name": "m", "carrier": "local"})["key"]
        assert time.monotonic() - began < 20
