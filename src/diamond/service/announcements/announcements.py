"""Announcements: administrators write them, and everyone's pages show them at once."""

from __future__ import annotations

import time

from sqlalchemy import select

from diamond.core import ids
from diamond.core.errors import BadRequest, NotFound
from diamond.service.access.principal import Principal
from diamond.service.announcements import store as announcement_store
from diamond.service.announcements.rows import AnnouncementRow
from diamond.service.limits.schemas import Announcement, AnnouncementRequest
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import streams
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services

ANNOUNCEMENTS = "announcements"


async def list_announcements(services: Services, *, every: bool = False) -> list[Announcement]:
    async with services.store.read() as connection:
        rows = await announcement_store.list_announcements(connection, time.time(), every=every)
    return [_show(row) for row in rows]


async def announce(
    services: Services, principal: Principal, wanted: AnnouncementRequest
) -> Announcement:
    _check(wanted)
    row = AnnouncementRow(
        id=ids.new_id("n"),
        owner=principal.user,
        text=wanted.text,
        level=wanted.level,
        starts=wanted.starts,
        ends=wanted.ends,
        created=time.time(),
        by=principal.name,
    )

    async def add(tx: Transaction) -> None:
        await announcement_store.add_announcement(tx, row)
        await _publish_to_all(tx)

    await services.store.run(add)
    return _show(row)


async def change(
    services: Services, announcement: str, wanted: AnnouncementRequest
) -> Announcement:
    _check(wanted)

    async def apply(tx: Transaction) -> None:
        if not await announcement_store.change_announcement(tx, announcement, wanted.model_dump()):
            raise _absent(announcement)
        await _publish_to_all(tx)

    await services.store.run(apply)
    announcements = await list_announcements(services, every=True)
    return next(shown for shown in announcements if shown.id == announcement)


async def withdraw(services: Services, announcement: str) -> None:
    async def drop(tx: Transaction) -> None:
        if not await announcement_store.drop_announcement(tx, announcement):
            raise _absent(announcement)
        await _publish_to_all(tx)

    await services.store.run(drop)


def _check(wanted: AnnouncementRequest) -> None:
    if wanted.ends is not None and wanted.ends <= (wanted.starts or 0.0):
        raise BadRequest("It would end before it begins", "Give `ends` a later time than `starts`.")


async def _publish_to_all(tx: Transaction) -> None:
    """In the order of ids, so that two at once cannot deadlock."""
    people = await tx.connection.execute(select(streams.c.owner).order_by(streams.c.owner))
    for person in people.scalars().all():
        await publish(tx, person, [changed(ANNOUNCEMENTS)])


def _absent(announcement: str) -> NotFound:
    return NotFound(f"There is no announcement {announcement!r}", "GET /announcements lists them.")


def _show(row: AnnouncementRow) -> Announcement:
    return Announcement.model_validate(row, from_attributes=True)
