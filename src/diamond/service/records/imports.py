"""Crates of others: read once, bounded, then shown."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from pathlib import Path

from diamond.core import ids
from diamond.core.errors import NotFound, TooLarge
from diamond.core.units import show_bytes
from diamond.provenance.crate_reader import ForeignCrate, ForeignRecord, read_crate
from diamond.service.access.principal import Principal
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.records import store
from diamond.service.records.records import record_contents, show_entry
from diamond.service.records.rows import ImportRow
from diamond.service.records.schemas import (
    CrateShown,
    CrateSummary,
    ImportedRecord,
    RecordFault,
)

MOST_BYTES = 1 << 30
CRATE = "r"


async def import_crate(
    services: Services, principal: Principal, pieces: AsyncIterator[bytes], name: str
) -> CrateShown:
    """The file is written to disk as it comes, read, and removed."""
    aside = services.settings.scratch / ids.new_id("u")
    try:
        digest, size = await _receive(pieces, aside)
        crate = await asyncio.to_thread(read_crate, aside)
    finally:
        aside.unlink(missing_ok=True)
    shown = _content(crate)
    row = ImportRow(
        id=ids.new_id(CRATE),
        owner=principal.user,
        name=crate.name or name or "crate",
        digest=f"sha256:{digest}",
        bytes=size,
        content=shown.model_dump(mode="json"),
        created=time.time(),
    )
    await services.store.run(lambda tx: store.add_import(tx, row))
    return _shown(row)


async def list_crates(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> Page[CrateSummary]:
    async with services.store.read() as connection:
        page = await store.list_imports(connection, principal.user, limit=limit, cursor=cursor)
    items = [CrateSummary.model_validate(vars(row)) for row in page.rows]
    return Page(items=items, next=page.next)


async def get_crate(services: Services, principal: Principal, crate: str) -> CrateShown:
    async with services.store.read() as connection:
        row = await store.find_import(connection, principal.user, crate)
    if row is None:
        raise _no_such_crate(crate)
    return _shown(row)


async def forget_crate(services: Services, principal: Principal, crate: str) -> None:
    async def forget(tx: Transaction) -> None:
        if not await store.delete_import(tx, principal.user, crate):
            raise _no_such_crate(crate)

    await services.store.run(forget)


async def _receive(pieces: AsyncIterator[bytes], aside: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with aside.open("wb") as out:
        async for piece in pieces:
            size += len(piece)
            if size > MOST_BYTES:
                raise TooLarge(
                    f"More than {show_bytes(MOST_BYTES)}",
                    f"Send the crate's {'ro-crate-metadata.json'} alone.",
                )
            digest.update(piece)
            await asyncio.to_thread(out.write, piece)
    return digest.hexdigest(), size


def _content(crate: ForeignCrate) -> CrateShown:
    """What is kept of it."""
    plain = asdict(replace(crate, records=[]))
    return CrateShown.model_validate({**plain, "records": [_record(one) for one in crate.records]})


def _record(foreign: ForeignRecord) -> ImportedRecord:
    fault = foreign.fault
    return ImportedRecord(
        path=foreign.path,
        is_whole=fault is None,
        fault=RecordFault(n=fault.n, message=fault.message) if fault else None,
        anchor=foreign.anchor,
        head=foreign.head,
        entries=[show_entry(entry) for entry in foreign.entries],
        **record_contents(foreign.record),
    )


def _shown(row: ImportRow) -> CrateShown:
    beside = {"id": row.id, "digest": row.digest, "bytes": row.bytes, "created": row.created}
    return CrateShown.model_validate({**row.content, **beside, "name": row.name})


def _no_such_crate(crate: str) -> NotFound:
    return NotFound(f"There is no imported crate {crate!r}", "List them: diamond record imports")
