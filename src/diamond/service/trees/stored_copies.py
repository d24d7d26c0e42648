"""Copies in S3 storage: an endpoint that has the files puts them there, and any endpoint that names the same bucket fetches them.

The service has no keys of it. A place of such a copy names the endpoint whose storage it is; its path is the address, which
says who can fetch it.
"""

from __future__ import annotations

import time

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.data_settings import Storage, read_data_settings
from diamond.core.errors import Conflict
from diamond.core.protocol import WITH_STORAGE
from diamond.data.ways import STORAGE
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.trees import store
from diamond.service.trees.rows import (
    COPY,
    IN_PLACE,
    STORAGE_PLACE,
    TransferRow,
    TreePlaceRow,
    TreeRow,
    storage_place,
)
from diamond.service.trees.trees import pin_place


def keeper_of(place: str) -> str:
    """The id of the endpoint whose storage a place means, or ''."""
    return place.removeprefix(STORAGE_PLACE) if place.startswith(STORAGE_PLACE) else ""


def storage_of(endpoint: EndpointRow) -> Storage | None:
    """None for an agent that keeps nothing there."""
    if endpoint.protocol < WITH_STORAGE:
        return None
    return read_data_settings(effective_facts(endpoint).get("data")).s3


def require_storage(endpoint: EndpointRow) -> Storage:
    storage = storage_of(endpoint)
    if storage is None:
        raise Conflict(
            f"{endpoint.name} names no S3 storage, or its agent is too old for this",
            'Set it: diamond endpoint set NAME data=\'{"s3": {"url": …, "bucket": …}}\'',
        )
    return storage


def is_stored_for(endpoint: EndpointRow, place: TreePlaceRow) -> bool:
    """Whether this endpoint can fetch a copy itself."""
    storage = storage_of(endpoint) if keeper_of(place.endpoint) else None
    return storage is not None and storage.kept_address(place.digest) == place.path


async def start_storing(tx: Transaction, keeper: EndpointRow, tree: TreeRow) -> TransferRow | None:
    """Have a copy put into the storage; None if it is there. Raises `Conflict` where no endpoint can do it."""
    goal, storage = storage_place(keeper.id), require_storage(keeper)
    places = await store.places_of(tx.connection, {tree.owner}, [tree.digest])
    if any(place.endpoint == goal for place in places):
        return None
    for transfer in await store.open_transfers_of(tx.connection, goal):
        if (transfer.owner, transfer.tree) == (tree.owner, tree.digest):
            return transfer
    source = await _source(tx.connection, places, storage)
    now = time.time()
    transfer = TransferRow(
        id=ids.new_id(ids.TRANSFER),
        owner=tree.owner,
        tree=tree.digest,
        source=source.id,
        goal=goal,
        way=STORAGE,
        layout="files",
        words=f"copied from {source.name} to the S3 storage of {keeper.name}",
        state="waiting",
        created=now,
        updated=now,
        size=tree.size,
        files=tree.files,
        ways=(STORAGE,),
    )
    await store.add_transfer(tx, transfer)
    data = {"act": "store", "transfer": transfer.id, "tree": tree.digest}
    await send(tx, [Command("data", source.id, source.owner, data={**data})])
    await publish(tx, transfer.owner, [changed("data")])
    return transfer


async def note_stored(tx: Transaction, transfer: TransferRow, path: str) -> None:
    """It is complete there: from now on nobody needs to keep the run directory."""
    now = time.time()
    place = TreePlaceRow(
        owner=transfer.owner,
        digest=transfer.tree,
        endpoint=transfer.goal,
        kind=COPY,
        path=path,
        pinned=True,
        used=now,
        changed=(),
        at=now,
    )
    await store.put_tree_place(tx, place, transfer.size)
    for other in await store.places_of(tx.connection, {transfer.owner}, [transfer.tree]):
        if other.kind == IN_PLACE and other.pinned:
            await pin_place(tx, other, pinned=False)
    await publish(tx, transfer.owner, [changed("data"), changed("models")])


async def _source(
    connection: AsyncConnection, places: list[TreePlaceRow], storage: Storage
) -> EndpointRow:
    """An endpoint that has the files and names the same bucket, one that is online first."""
    rows = await endpoints_by_id(connection, {place.endpoint for place in places})
    able = [
        rows[place.endpoint]
        for place in places
        if place.endpoint in rows
        and not place.changed
        and rows[place.endpoint].policy.egress == "all"
        and storage.is_same(storage_of(rows[place.endpoint]))
    ]
    if not able:
        raise Conflict(
            "No endpoint that has the files names this S3 storage",
            "Name it there too: diamond endpoint set NAME data=…, or copy the files to one that does.",
        )
    return min(able, key=lambda row: row.state != "online")
