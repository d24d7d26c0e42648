"""Whether a record, and the anchors that cover it, are still what was written."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.provenance.anchors import KeptAnchor, find_anchor_fault, in_order, root_of
from diamond.provenance.entries import Fault, find_fault
from diamond.service.entries import store
from diamond.service.entries.rows import AnchoredHeadRow, EntryRow


@dataclass(frozen=True)
class Verified:
    """`fault` names the first entry that does not fit, `anchor_fault` the first anchor."""

    entries: int
    head: str
    anchors: int
    """How many anchors cover it."""
    covered: int
    """The last entry that one covers."""
    fault: Fault | None = None
    anchor_fault: Fault | None = None

    @property
    def is_whole(self) -> bool:
        return self.fault is None and self.anchor_fault is None


async def verify_record(connection: AsyncConnection, task: str) -> Verified:
    entries = await store.entries_of(connection, task)
    record = await store.find_record(connection, task)
    covers = await store.anchored(connection, task)
    fault = find_fault((row.kept for row in entries), record.ends_at if record else None)
    if fault is None and record is None and (entries or covers):
        fault = Fault(1, "the head of this record is missing")
    anchor_fault = None
    for cover in covers:
        fault = fault or _against(entries, cover)
        anchor_fault = anchor_fault or await _cover_fault(connection, cover)
    return Verified(
        entries=len(entries),
        head=entries[-1].hash if entries else "",
        anchors=len(covers),
        covered=max((cover.n for cover in covers), default=0),
        fault=fault,
        anchor_fault=anchor_fault,
    )


async def verify_anchors(connection: AsyncConnection) -> tuple[int, Fault | None]:
    """All anchors of the service from the first on: how many there are, and the first that does not fit."""
    kept: list[KeptAnchor] = []
    while rows := await store.anchors_after(connection, kept[-1].anchor.n if kept else 0):
        kept += [row.kept for row in rows]
    return len(kept), find_anchor_fault(kept)


def _against(entries: list[EntryRow], cover: AnchoredHeadRow) -> Fault | None:
    """A record that was rewritten from its beginning still differs from what an anchor covers."""
    if cover.n > len(entries):
        return Fault(cover.n, f"entry {cover.n} is missing: anchor {cover.anchor} covers it")
    if entries[cover.n - 1].hash != cover.head:
        return Fault(cover.n, f"entry {cover.n} is not the one that anchor {cover.anchor} covers")
    return None


async def _cover_fault(connection: AsyncConnection, cover: AnchoredHeadRow) -> Fault | None:
    """The anchor itself, and its link to the one before it."""
    anchor = await store.anchor_by_number(connection, cover.anchor)
    if anchor is None:
        return Fault(cover.anchor, f"anchor {cover.anchor} is missing")
    heads = in_order(row.value for row in await store.heads_in(connection, cover.anchor))
    if root_of([head.leaf for head in heads]) != anchor.root:
        return Fault(cover.anchor, f"anchor {cover.anchor} does not match the records it covers")
    before = await store.anchor_by_number(connection, cover.anchor - 1)
    if anchor.kept.anchor.hash != anchor.hash or anchor.before != (before.hash if before else ""):
        return Fault(cover.anchor, f"anchor {cover.anchor} was changed")
    return None
