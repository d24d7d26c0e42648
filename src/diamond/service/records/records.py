"""Reading and verifying records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from diamond.core.errors import BadRequest, NotFound
from diamond.provenance import entries as kinds
from diamond.provenance.bodies import ImageUsed, body_of
from diamond.provenance.entries import Entry, Fault
from diamond.provenance.record import Record, assemble
from diamond.service.access.principal import Principal
from diamond.service.entries import store
from diamond.service.entries.rows import EntryRow
from diamond.service.entries.verify import Verified, verify_anchors, verify_record
from diamond.service.platform.services import Services
from diamond.service.records.schemas import (
    AnchorsCheck,
    AnchorShown,
    RecordCheck,
    RecordEntry,
    RecordFault,
    TaskRecord,
)
from diamond.service.tasks.record_entries import ensure_record
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import load_task


async def get_record(services: Services, principal: Principal, task: str) -> TaskRecord:
    """Shown also if it does not verify: then `check` says where."""
    row = await load_task(services, principal, task)
    await services.store.run(lambda tx: ensure_record(tx, row))
    async with services.store.read() as connection:
        kept = await store.entries_of(connection, row.id)
        check = await verify_record(connection, row.id)
    return _shown(row, kept, check)


async def check_record(services: Services, principal: Principal, task: str) -> RecordCheck:
    row = await load_task(services, principal, task)
    await services.store.run(lambda tx: ensure_record(tx, row))
    async with services.store.read() as connection:
        return show_check(await verify_record(connection, row.id))


async def read_text(services: Services, principal: Principal, task: str, digest: str) -> str:
    """A lock, a list of packages or a script that an entry of this record names."""
    row = await load_task(services, principal, task)
    async with services.store.read() as connection:
        entries = await store.entries_of(connection, row.id)
        named = any(digest in kept.line for kept in entries)
        if row.owner != principal.user and _is_recipe(entries, digest):
            named = False
        texts = await store.read_texts(connection, row.owner, [digest]) if named else {}
    if digest not in texts:
        raise NotFound(f"The record of {row.id} names no text {digest[:80]!r}")
    return texts[digest]


def _is_recipe(entries: Sequence[EntryRow], digest: str) -> bool:
    """Of the image that it ran in: as private as the image itself."""
    return any(
        body_of(row.entry, ImageUsed).recipe == digest
        for row in entries
        if row.entry.kind == kinds.IMAGE
    )


async def check_anchors(services: Services) -> AnchorsCheck:
    async with services.store.read() as connection:
        count, fault = await verify_anchors(connection)
        last = await store.last_anchor(connection)
    shown = AnchorShown(n=last.n, at=last.at, hash=last.hash, count=last.count) if last else None
    return AnchorsCheck(count=count, fault=_fault(fault), last=shown)


def show_check(verified: Verified) -> RecordCheck:
    return RecordCheck(
        is_whole=verified.is_whole,
        entries=verified.entries,
        head=verified.head,
        anchors=verified.anchors,
        covered=verified.covered,
        fault=_fault(verified.fault),
        anchor_fault=_fault(verified.anchor_fault),
    )


def show_entry(entry: Entry) -> RecordEntry:
    return RecordEntry(
        n=entry.n,
        at=entry.at,
        kind=entry.kind,
        hash=entry.hash,
        before=entry.before,
        body=entry.opened,
        sealed=sorted(entry.commitments),
    )


def record_contents(record: Record) -> dict[str, Any]:
    """The fields of `schemas.RecordContents`."""
    submitted = record.submitted
    return {
        "name": submitted.name if submitted else "",
        "kind": submitted.kind if submitted else "",
        "is_rebuilt": submitted.is_rebuilt if submitted else False,
        "diamond": submitted.diamond if submitted else "",
        "code": submitted.code if submitted else None,
        "image": record.image,
        "inputs": submitted.inputs if submitted else [],
        "params": submitted.params if submitted else {},
        "seeds": record.seeds,
        "machines": list(record.facts),
        "attempts": list(record.attempts),
        "end": record.ended,
        "metrics": record.metrics,
        "results": list(record.results),
        "reproduced": list(record.reproduced),
    }


def without_sealed(entry: Entry) -> Entry:
    """As everybody may see it."""
    return replace(entry, sealed={})


def _shown(row: TaskRow, kept: Sequence[EntryRow], verified: Verified) -> TaskRecord:
    entries = [entry for stored in kept if (entry := _readable(stored)) is not None]
    return TaskRecord(
        task=row.id,
        check=show_check(verified),
        entries=[show_entry(entry) for entry in entries],
        **record_contents(_assembled(entries)),
    )


def _readable(row: EntryRow) -> Entry | None:
    """None for one that somebody broke; `check` names it."""
    try:
        return row.entry
    except BadRequest:
        return None


def _assembled(entries: Sequence[Entry]) -> Record:
    try:
        return assemble(entries)
    except BadRequest:
        return Record(tuple(entries))


def _fault(fault: Fault | None) -> RecordFault | None:
    return RecordFault(n=fault.n, message=fault.message) if fault else None
