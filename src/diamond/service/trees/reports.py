"""What agents report about trees: how scans and transfers go, and what is on a machine."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from diamond.core.data_messages import DataReport, DataReports, TreeInventory, TreePlace
from diamond.data.ways import GROUP, STORAGE, came_words
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.trees import store
from diamond.service.trees.rows import (
    ARCHIVE,
    COPY,
    IN_PLACE,
    Ended,
    ScanRow,
    TransferRow,
    TreePlaceRow,
    TreeRow,
)
from diamond.service.trees.stored_copies import note_stored
from diamond.service.trees.transfers import DATA, end_transfer, release, source_name

MOST_MESSAGE = 2000
SMOOTH = 0.3
"""How much the newest measurement counts for the rate that is shown."""
MOST_NAMED = 100
MOST_WHY = 300


async def take_reports(tx: Transaction, call: AgentCall, message: DataReports) -> list[Ended]:
    """How scans and transfers of this endpoint go; what has ended stays ended. Gives those that end by it."""
    ended: list[Ended] = []
    owners = set()
    for report in message.items:
        scan = await store.find_scan(tx.connection, report.name, lock=True)
        if scan is not None and scan.endpoint == call.endpoint.id and scan.is_open:
            after: Ended = await _take_scan(tx, call, scan, report)
        else:
            transfer = await store.find_transfer(tx.connection, report.name, lock=True)
            if transfer is None or not transfer.is_open:
                continue
            after = await _take_transfer(tx, call, transfer, report)
        owners.add(after.owner)
        ended += [] if after.is_open else [after]
    for owner in sorted(owners):
        await publish(tx, owner, [changed(DATA)])
    return ended


async def take_inventory(tx: Transaction, call: AgentCall, message: TreeInventory) -> bool:
    """What an endpoint has now. Places that were made since it looked are left alone.

    True if such a place is missing from the list: only another look can say whether it is there.
    """
    looked = time.time() - message.age - 1.0
    endpoint, owner = call.endpoint.id, call.endpoint.owner
    known = {
        (place.digest, place.kind): place
        for place in await store.places_on(tx.connection, endpoint)
    }
    here = {(item.tree, _kind(item)): item for item in message.items}
    missing = [place for key, place in known.items() if key not in here]
    for place in missing:
        if place.at < looked:
            await store.drop_tree_place(tx, place)
    for (digest, kind), item in here.items():
        before = known.get((digest, kind))
        tree = await store.find_tree(tx.connection, owner, digest)
        if tree is None:
            continue
        after = _place(owner, endpoint, kind, item, before)
        if before is None or replace(after, at=before.at) != before:
            await store.put_tree_place(tx, after, tree.size)
    await publish(tx, owner, [changed(DATA)])
    return any(place.at >= looked for place in missing)


async def _take_scan(
    tx: Transaction, call: AgentCall, scan: ScanRow, report: DataReport
) -> ScanRow:
    values = _progress(scan, report)
    values["seconds_left"] = report.seconds_left if report.state == "running" else None
    values["named"] = tuple(report.named[:MOST_NAMED])
    if report.state == "done":
        values["tree"] = report.tree or scan.tree
        values["origin"] = report.origin
        if scan.act in ("scan", "import") and report.tree:
            await _found(tx, call, scan, report)
    return await store.change_scan(tx, scan.id, **values)


async def _found(tx: Transaction, call: AgentCall, scan: ScanRow, report: DataReport) -> None:
    """A tree is there. Its manifest has come before, unless the machine's policy keeps it."""
    tree = TreeRow(
        owner=scan.owner,
        digest=report.tree,
        size=report.size or 0,
        files=report.files or 0,
        entries=report.entries or report.files or 0,
        has_manifest=False,
        created=time.time(),
    )
    await store.put_tree(tx, tree)
    kind = COPY if scan.act == "import" else IN_PLACE
    await _lies(tx, call, report, kind)


async def _take_transfer(
    tx: Transaction, call: AgentCall, transfer: TransferRow, report: DataReport
) -> TransferRow:
    endpoint = call.endpoint
    if report.act == "store" and transfer.way == STORAGE and transfer.source == endpoint.id:
        return await _take_storing(tx, transfer, report)
    if report.act == "send":
        if transfer.source == endpoint.id and report.state == "failed":
            why = report.message[:1000] or "it gave no reason"
            message = f"{endpoint.name} could not send it: {why}"
            return await end_transfer(tx, transfer, "failed", message)
        return transfer
    if transfer.goal != endpoint.id:
        return transfer
    if report.state == "failed":
        why = report.message[:MOST_MESSAGE] or f"{endpoint.name} gave no reason"
        return await end_transfer(tx, transfer, "failed", why)
    values = _progress(transfer, report)
    values["rate"] = _rate(transfer, report)
    values["moved"] = _larger(report.moved, transfer.moved)
    if report.way in (*transfer.ways, GROUP):
        values |= await _come(tx, transfer, report)
    if report.state == "done" and report.tree != transfer.tree:
        message = "something else arrived than was asked for"
        return await end_transfer(tx, transfer, "failed", message)
    after = await store.change_transfer(tx, transfer.id, **values)
    if report.state == "done":
        kind = IN_PLACE if report.in_place else COPY
        await _lies(tx, call, report, ARCHIVE if transfer.layout == "archive" else kind)
        await release(tx, after)
    return after


async def _take_storing(tx: Transaction, transfer: TransferRow, report: DataReport) -> TransferRow:
    """A copy on its way into S3 storage, as the endpoint that puts it there reports it."""
    if report.state == "failed":
        return await end_transfer(tx, transfer, "failed", report.message[:MOST_MESSAGE])
    values = _progress(transfer, report)
    values["rate"] = _rate(transfer, report)
    values["moved"] = _larger(report.moved, transfer.moved)
    after = await store.change_transfer(tx, transfer.id, **values)
    if report.state == "done":
        await note_stored(tx, after, report.path)
    return after


async def _come(tx: Transaction, transfer: TransferRow, report: DataReport) -> dict[str, Any]:
    """How it really comes: by the way that was chosen, or by the next one."""
    tried = {way: why[:MOST_WHY] for way, why in report.tried.items() if way in transfer.ways}
    if report.way == transfer.way and tried == transfer.tried:
        return {}
    sources = await endpoints_by_id(tx.connection, {transfer.source or ""})
    name = source_name(sources.get(transfer.source or ""), transfer.owner)
    words = came_words(name, report.way, tried)
    return {"way": report.way, "tried": tried, "words": words}


async def _lies(tx: Transaction, call: AgentCall, report: DataReport, kind: str) -> None:
    tree = await store.find_tree(tx.connection, call.endpoint.owner, report.tree)
    now = time.time()
    place = TreePlaceRow(
        owner=call.endpoint.owner,
        digest=report.tree,
        endpoint=call.endpoint.id,
        kind=kind,
        path=report.path,
        pinned=False,
        used=now,
        changed=(),
        at=now,
    )
    await store.put_tree_place(tx, place, tree.size if tree else report.size or 0)


def _progress(row: ScanRow | TransferRow, report: DataReport) -> dict[str, Any]:
    values: dict[str, Any] = {
        "state": report.state,
        "bytes": report.bytes if report.bytes is not None else row.bytes,
        "size": report.size if report.size is not None else row.size,
        "files": report.files if report.files is not None else row.files,
        "files_done": report.files_done if report.files_done is not None else row.files_done,
        "message": report.message[:MOST_MESSAGE],
    }
    if row.started is None:
        values["started"] = time.time()
    return values


def _rate(row: TransferRow, report: DataReport) -> float:
    """Bytes a second: of late while it runs, of all of it at its end."""
    now = time.time()
    if report.state != "running" or row.started is None:
        seconds = max(now - (row.started or row.created), 0.001)
        return (report.moved or report.bytes or 0) / seconds
    seconds = max(now - row.updated, 0.05)
    newest = max((report.bytes or row.bytes) - row.bytes, 0) / seconds
    return newest if row.rate == 0 else SMOOTH * newest + (1 - SMOOTH) * row.rate


def _larger(new: int | None, old: int) -> int:
    return max(new or 0, old)


def _kind(item: TreePlace) -> str:
    if item.layout == "archive":
        return ARCHIVE
    return COPY if item.managed else IN_PLACE


def _place(
    owner: str, endpoint: str, kind: str, item: TreePlace, before: TreePlaceRow | None
) -> TreePlaceRow:
    return TreePlaceRow(
        owner=owner,
        digest=item.tree,
        endpoint=endpoint,
        kind=kind,
        path=item.path,
        pinned=item.pinned,
        used=item.used or (before.used if before else time.time()),
        changed=tuple(item.changed[:MOST_NAMED]),
        at=before.at if before else time.time(),
    )
