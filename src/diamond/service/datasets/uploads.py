"""Uploads: a person's own computer is the source of a transfer, by the same pieces that agents send."""

from __future__ import annotations

import time

from diamond.core.artifacts import plain_digest
from diamond.core.errors import Conflict, NotFound
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.datasets import schemas, store
from diamond.service.datasets.additions import (
    dataset_for,
    find_addition,
    goal_endpoint,
    put_version,
)
from diamond.service.datasets.room import require_room
from diamond.service.datasets.rows import AdditionRow, DatasetRow, VersionRow
from diamond.service.datasets.rules import require_may_lie_on, require_may_pass
from diamond.service.datasets.views import show_addition
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.trees import rounds
from diamond.service.trees import store as tree_store
from diamond.service.trees.relayed_pieces import SentManifest, receive_manifest
from diamond.service.trees.rows import TransferRow, TreeRow
from diamond.service.trees.transfers import DATA, start_upload
from diamond.service.trees.trees import find_tree, places_of


async def take_manifest(
    services: Services,
    principal: Principal,
    digest: str,
    offset: int,
    size: int,
    parts: list[bytes],
) -> schemas.ManifestTaken:
    """With its last bytes the sender knows the tree; whether others have it makes no difference."""
    require(principal, Action.WRITE, owner=principal.user)
    sent = SentManifest(principal.user, f"person-{principal.user}", plain_digest(digest))
    return schemas.ManifestTaken(have=await receive_manifest(services, sent, offset, size, parts))


async def start(
    services: Services, principal: Principal, body: schemas.DataUploadRequest, key: str | None
) -> schemas.DataAddition:
    """One that is under way for the same content and endpoint continues."""
    require(principal, Action.WRITE, owner=principal.user)

    async def begin(tx: Transaction) -> schemas.DataAddition:
        tree = await find_tree(tx.connection, principal.user, body.digest)
        endpoint = await goal_endpoint(tx.connection, principal, body.endpoint)
        dataset = await dataset_for(tx, principal, body)
        await require_may_lie_on(tx.connection, dataset, endpoint)
        await require_may_pass(tx.connection, dataset)
        transfer = await _transfer(tx, principal, tree, endpoint, dataset)
        row = await store.find_addition(tx.connection, transfer.id)
        if row is not None and row.dataset != dataset.id:
            raise Conflict(
                "The same files are on their way there as another dataset",
                "Wait for their end, then run the same command again.",
            )
        if row is None:
            row = await _note(tx, transfer, dataset, body.source)
        await publish(tx, principal.user, [changed(DATA)])
        return await show_addition(tx.connection, row, dataset)

    asked = Once.of(key, "POST /datasets/uploads", body.model_dump())
    return await once_as(schemas.DataAddition, services.store, principal, asked, begin)


async def wants(services: Services, principal: Principal, upload: str, number: int) -> bytes:
    """What the endpoint lacks, for the person who sends it."""
    await _require(services, principal, upload)
    return await rounds.wants_of(services, upload, number)


async def take_piece(
    services: Services,
    principal: Principal,
    upload: str,
    place: rounds.PieceOf,
    parts: list[bytes],
) -> schemas.PieceTaken:
    await _require(services, principal, upload)
    taken = await rounds.put_piece(services, upload, place, parts)
    return schemas.PieceTaken(next=taken.next)


async def _transfer(
    tx: Transaction,
    principal: Principal,
    tree: TreeRow,
    endpoint: EndpointRow,
    dataset: DatasetRow,
) -> TransferRow:
    under_way = await tree_store.open_transfer_to(tx, tree.digest, endpoint.id, "files")
    if under_way is not None:
        return under_way
    places = (await places_of(tx.connection, principal.user, [tree.digest]))[tree.digest]
    is_here = any(
        place.endpoint == endpoint.id and place.layout == "files" and not place.changed
        for place in places
    )
    if not is_here:
        version = VersionRow(dataset.id, 0, "", tree.digest, tree.files, tree.size, "", 0.0)
        require_room(endpoint, dataset.name, version, "files")
    return await start_upload(tx, tree, endpoint, is_here=is_here)


async def _note(
    tx: Transaction, transfer: TransferRow, dataset: DatasetRow, source: str
) -> AdditionRow:
    row = AdditionRow(
        id=transfer.id,
        owner=dataset.owner,
        dataset=dataset.id,
        kind="upload",
        endpoint=transfer.goal,
        source=source,
        created=time.time(),
    )
    await store.add_addition(tx, row)
    if not transfer.is_open:
        version, is_new = await put_version(tx, dataset.id, tree=transfer.tree, source=source)
        await store.settle_addition(tx, row.id, version.n, is_new=is_new)
    after = await store.find_addition(tx.connection, row.id)
    assert after is not None
    return after


async def _require(services: Services, principal: Principal, upload: str) -> None:
    async with services.store.read() as connection:
        row, _ = await find_addition(connection, principal, upload)
        transfer = await tree_store.find_transfer(connection, upload)
    is_upload = row.kind == "upload" and transfer is not None and transfer.way == "upload"
    if not is_upload or transfer is None or not transfer.is_open:
        raise NotFound(f"There is no open upload {upload!r}", "It may have ended.")
