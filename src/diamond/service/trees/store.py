"""Trees, scans and transfers in the database."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from pydantic import JsonValue
from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import Artifact, ArtifactKind
from diamond.service.artifacts.rows import PlaceRow
from diamond.service.artifacts.store import drop_one_place, put_place, set_size
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject, encoded, row_of, rows_of, values_of
from diamond.service.platform.database.tables import (
    artifact_places,
    scans,
    tree_previews,
    tree_transfers,
    trees,
)
from diamond.service.trees.rows import (
    ARCHIVE,
    COPY,
    IN_PLACE,
    OPEN_STATES,
    PreviewRow,
    ScanRow,
    TransferRow,
    TreePlaceRow,
    TreeRow,
)

KINDS = (IN_PLACE, COPY, ARCHIVE)


async def find_tree(connection: AsyncConnection, owner: str, digest: str) -> TreeRow | None:
    query = select(trees).where(trees.c.owner == owner, trees.c.digest == digest)
    return row_of(await connection.execute(query), TreeRow)


async def put_tree(tx: Transaction, row: TreeRow) -> None:
    """What is known already stays; where its manifest has come since, that says how large it is, and no report."""
    await tx.insert_new(trees, [values_of(row)])
    if row.has_manifest:
        known = update(trees).where(trees.c.owner == row.owner, trees.c.digest == row.digest)
        counts = {"size": row.size, "files": row.files, "entries": row.entries}
        counts |= {"manifest_bytes": row.manifest_bytes} if row.manifest_bytes else {}
        await tx.connection.execute(known.values(has_manifest=True, **counts))


async def drop_tree(tx: Transaction, owner: str, digest: str) -> None:
    gone = delete(trees).where(trees.c.owner == owner, trees.c.digest == digest)
    await tx.connection.execute(gone)
    await drop_preview(tx, owner, digest)


async def is_known_to_anybody(connection: AsyncConnection, digest: str) -> bool:
    """Whether its manifest is still needed."""
    query = select(trees.c.owner).where(trees.c.digest == digest).limit(1)
    return (await connection.execute(query)).first() is not None


async def places_of(
    connection: AsyncConnection, owners: Collection[str], digests: Collection[str]
) -> list[TreePlaceRow]:
    """Where these people's copies are, oldest first."""
    query = select(artifact_places).where(
        artifact_places.c.owner.in_(owners),
        artifact_places.c.digest.in_(digests),
        artifact_places.c.subject.in_(KINDS),
    )
    rows = await connection.execute(query.order_by(artifact_places.c.at))
    return [_place(row) for row in rows_of(rows, PlaceRow)]


async def places_on(connection: AsyncConnection, endpoint: str) -> list[TreePlaceRow]:
    query = select(artifact_places).where(
        artifact_places.c.place == endpoint, artifact_places.c.subject.in_(KINDS)
    )
    return [_place(row) for row in rows_of(await connection.execute(query), PlaceRow)]


async def places_of_owner(connection: AsyncConnection, owner: str) -> list[TreePlaceRow]:
    """Every place of a person's trees."""
    query = select(artifact_places).where(
        artifact_places.c.owner == owner, artifact_places.c.subject.in_(KINDS)
    )
    return [_place(row) for row in rows_of(await connection.execute(query), PlaceRow)]


async def put_tree_place(tx: Transaction, place: TreePlaceRow, size: int) -> None:
    changed: list[JsonValue] = list(place.changed)
    detail: JsonObject = {"pinned": place.pinned, "used": place.used, "changed": changed}
    row = PlaceRow(
        owner=place.owner,
        digest=place.digest,
        place=place.endpoint,
        subject=place.kind,
        path=place.path,
        format=place.layout,
        detail=detail,
        at=place.at,
    )
    await put_place(tx, Artifact(place.digest, ArtifactKind.TREE, size), row)
    await set_size(tx, place.owner, place.digest, size)


async def drop_tree_place(tx: Transaction, place: TreePlaceRow) -> None:
    key = (place.owner, place.digest, place.endpoint, place.kind)
    await drop_one_place(tx, *key)


def _place(row: PlaceRow) -> TreePlaceRow:
    changed: Any = row.detail.get("changed") or ()
    used: Any = row.detail.get("used") or 0.0
    return TreePlaceRow(
        owner=row.owner,
        digest=row.digest,
        endpoint=row.place,
        kind=row.subject,
        path=row.path,
        pinned=bool(row.detail.get("pinned")),
        used=float(used),
        changed=tuple(str(path) for path in changed),
        at=row.at,
    )


async def add_scan(tx: Transaction, scan: ScanRow) -> None:
    await tx.connection.execute(insert(scans), values_of(scan))


async def find_scan(
    connection: AsyncConnection, scan: str, *, lock: bool = False
) -> ScanRow | None:
    query = select(scans).where(scans.c.id == scan)
    return row_of(await connection.execute(query.with_for_update() if lock else query), ScanRow)


async def open_scans_of(connection: AsyncConnection, endpoint: str) -> list[ScanRow]:
    query = select(scans).where(scans.c.endpoint == endpoint, scans.c.state.in_(OPEN_STATES))
    return rows_of(await connection.execute(query), ScanRow)


async def change_scan(tx: Transaction, scan: str, **values: Any) -> ScanRow:
    columns = encoded(ScanRow, {**values, "updated": time.time()})
    await tx.connection.execute(update(scans).where(scans.c.id == scan).values(columns))
    changed = await find_scan(tx.connection, scan)
    assert changed is not None
    return changed


async def find_preview(connection: AsyncConnection, owner: str, tree: str) -> PreviewRow | None:
    query = select(tree_previews).where(
        tree_previews.c.owner == owner, tree_previews.c.tree == tree
    )
    return row_of(await connection.execute(query), PreviewRow)


async def put_preview(tx: Transaction, row: PreviewRow) -> None:
    """In place of an earlier one."""
    await drop_preview(tx, row.owner, row.tree)
    await tx.connection.execute(insert(tree_previews), values_of(row))


async def fill_preview(tx: Transaction, scan: str, content: JsonObject) -> None:
    made = update(tree_previews).where(tree_previews.c.scan == scan)
    await tx.connection.execute(made.values(content=content))


async def drop_preview(tx: Transaction, owner: str, tree: str) -> None:
    gone = delete(tree_previews).where(tree_previews.c.owner == owner, tree_previews.c.tree == tree)
    await tx.connection.execute(gone)


async def add_transfer(tx: Transaction, transfer: TransferRow) -> None:
    await tx.connection.execute(insert(tree_transfers), values_of(transfer))


async def find_transfer(
    connection: AsyncConnection, transfer: str, *, lock: bool = False
) -> TransferRow | None:
    query = select(tree_transfers).where(tree_transfers.c.id == transfer)
    return row_of(await connection.execute(query.with_for_update() if lock else query), TransferRow)


async def open_transfer_to(
    tx: Transaction, tree: str, goal: str, layout: str
) -> TransferRow | None:
    """One that has not ended; it does not end before the caller waits for it."""
    query = select(tree_transfers).where(
        tree_transfers.c.tree == tree,
        tree_transfers.c.goal == goal,
        tree_transfers.c.layout == layout,
        tree_transfers.c.state.in_(OPEN_STATES),
    )
    return row_of(await tx.connection.execute(query.limit(1).with_for_update()), TransferRow)


async def open_transfers_of(connection: AsyncConnection, endpoint: str) -> list[TransferRow]:
    """From or to an endpoint."""
    query = select(tree_transfers).where(
        tree_transfers.c.state.in_(OPEN_STATES),
        or_(tree_transfers.c.source == endpoint, tree_transfers.c.goal == endpoint),
    )
    return rows_of(await connection.execute(query), TransferRow)


async def transfers_of_tree(
    connection: AsyncConnection, owner: str, digests: Collection[str], *, since: float
) -> list[TransferRow]:
    """Open ones, and those that ended since; newest first."""
    query = select(tree_transfers).where(
        tree_transfers.c.owner == owner,
        tree_transfers.c.tree.in_(digests),
        or_(tree_transfers.c.state.in_(OPEN_STATES), tree_transfers.c.updated > since),
    )
    rows = await connection.execute(query.order_by(tree_transfers.c.created.desc()))
    return rows_of(rows, TransferRow)


async def past_transfers(
    connection: AsyncConnection, source: str, goal: str, *, least: int
) -> list[TransferRow]:
    """The last ones between these two that carried at least so much: they predict the speed of the next one, way by way."""
    query = select(tree_transfers).where(
        tree_transfers.c.source == source,
        tree_transfers.c.goal == goal,
        tree_transfers.c.state == "done",
        tree_transfers.c.moved >= least,
        tree_transfers.c.started.is_not(None),
    )
    rows = await connection.execute(query.order_by(tree_transfers.c.created.desc()).limit(20))
    return rows_of(rows, TransferRow)


async def failed_ways(
    connection: AsyncConnection, source: str, goal: str, *, since: float
) -> dict[str, str]:
    """Ways between these two that failed of late, unless they worked after that."""
    query = select(tree_transfers).where(
        tree_transfers.c.source == source,
        tree_transfers.c.goal == goal,
        tree_transfers.c.updated > since,
    )
    rows = await connection.execute(query.order_by(tree_transfers.c.updated.desc()).limit(20))
    failed: dict[str, str] = {}
    worked: set[str] = set()
    for row in rows_of(rows, TransferRow):
        if row.state == "done":
            worked.add(row.way)
        failed |= {way: why for way, why in row.tried.items() if way not in {*worked, *failed}}
    return failed


async def change_transfer(tx: Transaction, transfer: str, **values: Any) -> TransferRow:
    changed = update(tree_transfers).where(tree_transfers.c.id == transfer)
    stored = encoded(TransferRow, values)
    await tx.connection.execute(changed.values(**stored, updated=time.time()))
    row = await find_transfer(tx.connection, transfer)
    assert row is not None
    return row


async def forget_ended(tx: Transaction, before: float) -> None:
    """Scans and transfers that ended before."""
    for table in (scans, tree_transfers):
        old = delete(table).where(table.c.state.not_in(OPEN_STATES), table.c.updated < before)
        await tx.connection.execute(old)
