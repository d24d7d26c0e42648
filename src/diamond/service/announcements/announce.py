"""Announcements: administrators say something, everybody's pages show it at once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from diamond.core import ids
from diamond.core.errors import BadRequest, NotFound
from diamond.service.access.principal import Principal
from diamond.service.announcements import store as rows
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import streams
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services

Shown = dict[str, Any]
ANNOUNCEMENTS = "announcements"


async def list_announcements(services: Services, *, every: bool = False) -> list[Shown]:
    async with services.store.read() as connection:
        found = await rows.list_announcements(connection, time.time(), every=every)
    return [_show(row) for row in found]


async def announce(services: Services, principal: Principal, wanted: Shown) -> Shown:
    _check(wanted)
    row = {
        "id": ids.new_id("n"),
        "owner": principal.user,
        "created": time.time(),
        **wanted,
    }

    async def add(tx: Transaction) -> None:
        await rows.add_announcement(tx, row)
        await _tell_all(tx)

    await services.store.run(add)
    return _show({**row, "by": principal.name})


async def change(services: Services, announcement: str, wanted: Shown) -> Shown:
    _check(wanted)

    async def apply(tx: Transaction) -> None:
        if not await rows.change_announcement(tx, announcement, wanted):
            raise _absent(announcement)
        await _tell_all(tx)

    await services.store.run(apply)
    found = await list_announcements(services, every=True)
    return next(one for one in found if one["id"] == announcement)


async def withdraw(services: Services, announcement: str) -> None:
    async def drop(tx: Transaction) -> None:
        if not await rows.drop_announcement(tx, announcement):
            raise _absent(announcement)
        await _tell_all(tx)

    await services.store.run(drop)


def _check(wanted: Shown) -> None:
    if wanted["ends"] is not None and wanted["ends"] <= (wanted["starts"] or 0.0):
        raise BadRequest("It would end before it begins", "Give `ends` a later time than `starts`.")


async def _tell_all(tx: Transaction) -> None:
    """In the order of ids: two who do so at once never wait for each other in a ring."""
    people = await tx.connection.execute(select(streams.c.owner).order_by(streams.c.owner))
    for person in people.scalars().all():
        await publish(tx, person, [changed(ANNOUNCEMENTS)])


def _absent(announcement: str) -> NotFound:
    return NotFound(f"There is no announcement {announcement!r}", "GET /announcements lists them.")


def _show(row: Mapping[str, Any]) -> Shown:
    names = ("id", "text", "level", "starts", "ends", "created", "by")
    return {name: row[name] for name in names}
