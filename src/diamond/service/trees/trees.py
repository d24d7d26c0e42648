"""Trees as slices above see them: what is known, where they are, who may know them."""

from __future__ import annotations

import time
from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import plain_digest
from diamond.core.errors import NotFound
from diamond.service.endpoints.commands import Command, send
from diamond.service.platform.database.engine import Transaction
from diamond.service.trees import store
from diamond.service.trees.rows import TreePlaceRow, TreeRow


async def find_tree(connection: AsyncConnection, owner: str, digest: str) -> TreeRow:
    """Raises `NotFound`, also for a tree that only other people have."""
    row = await store.find_tree(connection, owner, plain_digest(digest))
    if row is None:
        raise NotFound(
            f"There is no data with the digest {digest!r}",
            "Data of others must be shared with you first.",
        )
    return row


async def places_of(
    connection: AsyncConnection,
    owner: str,
    digests: Collection[str],
    *,
    also_of: Collection[str] = (),
) -> dict[str, list[TreePlaceRow]]:
    """By digest, where each tree is: the owner's places, and those of people who share it with them (`also_of`)."""
    plain = [plain_digest(one) for one in digests]
    found: dict[str, list[TreePlaceRow]] = {one: [] for one in plain}
    for place in await store.places_of(connection, {owner, *also_of}, plain):
        found[place.digest].append(place)
    return found


async def give_tree(tx: Transaction, giver: str, receiver: str, digest: str) -> TreeRow:
    """From now on the receiver may know it too: its manifest, and copies that others let them take."""
    row = await find_tree(tx.connection, giver, digest)
    given = TreeRow(
        owner=receiver,
        digest=row.digest,
        size=row.size,
        files=row.files,
        entries=row.entries,
        has_manifest=row.has_manifest,
        created=time.time(),
    )
    await store.put_tree(tx, given)
    return given


async def remove_place(tx: Transaction, place: TreePlaceRow) -> None:
    """A managed copy is removed from its machine; what was registered in place is only forgotten."""
    data = {"act": "remove", "tree": place.digest, "layout": place.layout}
    await send(tx, [Command("data", place.endpoint, place.owner, data=data)])
    await store.drop_tree_place(tx, place)


async def pin_place(tx: Transaction, place: TreePlaceRow, *, pinned: bool) -> None:
    data = {"act": "pin", "tree": place.digest, "pinned": pinned}
    await send(tx, [Command("data", place.endpoint, place.owner, data=data)])
