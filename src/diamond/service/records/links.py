"""Links for reviewers: they expire, can be withdrawn, and name nobody if the owner wants that."""

from __future__ import annotations

import time

from diamond.core import ids
from diamond.core.errors import BadRequest, NotFound
from diamond.provenance.record import assemble
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.entries import store as entry_store
from diamond.service.entries.verify import verify_record
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.records import store
from diamond.service.records.export import Exported, export_rows
from diamond.service.records.records import record_contents, show_check, show_entry, without_sealed
from diamond.service.records.rows import LinkRow
from diamond.service.records.schemas import (
    ExportOptions,
    ExportPart,
    LinkMade,
    LinkRequest,
    LinkShown,
    Review,
    ReviewedRecord,
)
from diamond.service.tasks.record_entries import ensure_record
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import find_task as task_by_id
from diamond.service.tasks.tasks import find_task

LINK = "l"
DAY = 86400.0


async def make_link(services: Services, principal: Principal, request: LinkRequest) -> LinkMade:
    """For tasks of the caller's own. The secret is shown once."""
    if {ExportPart.DATA, ExportPart.IMAGE} & set(request.options.parts):
        raise BadRequest(
            "A link shows records, code and locks, but no data and no images",
            "Export a crate with them instead: diamond record export TASK --with code,lock,data",
        )
    secret = ids.new_secret()

    async def make(tx: Transaction) -> LinkRow:
        wanted = dict.fromkeys(request.tasks)
        rows = [await find_task(tx.connection, principal, task, Action.WRITE) for task in wanted]
        for row in rows:
            await ensure_record(tx, row)
        now = time.time()
        link = LinkRow(
            id=ids.new_id(LINK),
            owner=principal.user,
            hash=hash_secret(secret),
            title=request.title,
            tasks=[row.id for row in rows],
            options=request.options.model_dump(mode="json"),
            created=now,
            expires=now + request.days * DAY,
        )
        await store.add_link(tx, link)
        return link

    link = await services.store.run(make)
    return LinkMade(**_shown(link).model_dump(), secret=secret, path=f"/review/{secret}")


async def list_links(services: Services, principal: Principal) -> list[LinkShown]:
    async with services.store.read() as connection:
        return [_shown(link) for link in await store.links_of(connection, principal.user)]


async def withdraw_link(services: Services, principal: Principal, link: str) -> None:
    async def withdraw(tx: Transaction) -> None:
        if not await store.delete_link(tx, principal.user, link):
            raise NotFound(f"There is no link {link!r}", "List them: diamond record link")

    await services.store.run(withdraw)


async def read_review(services: Services, secret: str) -> Review:
    """What a reviewer sees: no sealed values, whether the owner is named or not."""
    link, rows = await _reviewed(services, secret)
    options = ExportOptions.model_validate(link.options)
    items = [await _record(services, row) for row in rows]
    return Review(title=link.title, expires=link.expires, blind=options.blind, items=items)


async def review_crate(services: Services, secret: str) -> Exported:
    link, rows = await _reviewed(services, secret)
    options = ExportOptions.model_validate(link.options)
    return await export_rows(services, rows, options.model_copy(update={"name": link.title}))


async def _record(services: Services, row: TaskRow) -> ReviewedRecord:
    async with services.store.read() as connection:
        kept = await entry_store.entries_of(connection, row.id)
        check = await verify_record(connection, row.id)
    entries = [without_sealed(one.entry) for one in kept]
    return ReviewedRecord(
        task=row.id,
        check=show_check(check),
        entries=[show_entry(entry) for entry in entries],
        **record_contents(assemble(entries)),
    )


async def _reviewed(services: Services, secret: str) -> tuple[LinkRow, list[TaskRow]]:
    """The same answer for a secret that never was, one that expired and one that was withdrawn."""
    hashed = hash_secret(secret)

    async def use(tx: Transaction) -> tuple[LinkRow, list[TaskRow]]:
        link = await store.link_by_hash(tx.connection, hashed)
        if link is None or link.expires < time.time():
            raise NotFound("This link does not work any more", "Ask its sender for a new one.")
        await store.note_use(tx, link.id)
        rows = [await task_by_id(tx.connection, task) for task in link.tasks]
        return link, [row for row in rows if row is not None and row.owner == link.owner]

    return await services.store.run(use)


def _shown(link: LinkRow) -> LinkShown:
    options = ExportOptions.model_validate(link.options)
    return LinkShown.model_validate({**vars(link), "blind": options.blind})
