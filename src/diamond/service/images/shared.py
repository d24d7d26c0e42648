"""Images of others that are shared with a person: found beside her own, and hers once she uses one."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.service.images import store as rows
from diamond.service.images.rows import ImageRow
from diamond.service.people.shares import IMAGE, things_shared_with
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row


async def shared_images(connection: AsyncConnection, user: str) -> list[ImageRow]:
    """Of others, the newest first."""
    wanted = await things_shared_with(connection, IMAGE, user)
    found = await rows.images_by_id(connection, wanted) if wanted else {}
    others = [row for row in found.values() if row["owner"] != user]
    return sorted(others, key=lambda row: -row["created"])


async def shared_called(connection: AsyncConnection, user: str, text: str) -> list[ImageRow]:
    """By name, id, or the beginning of a digest; a name or id wins."""
    found = await shared_images(connection, user)
    exact = [row for row in found if text in (row["id"], row["name"])]
    plain = text.removeprefix("sha256:")
    if exact or len(plain) < rows.SHORTEST_DIGEST:
        return exact
    return [row for row in found if row["identity"].startswith(f"sha256:{plain}")]


async def own_image(tx: Transaction, user: str, image: str) -> str:
    """Her own entry of an image that is shared with her; it has the same identity, and takes its own copies."""
    row = await rows.image_by_id(tx.connection, image)
    assert row is not None
    if row["owner"] == user:
        return image
    known = await rows.image_of_identity(tx.connection, user, row["identity"])
    if known is not None:
        return str(known["id"])
    taken = await rows.images_called(tx.connection, user, row["name"]) if row["name"] else []
    made = {
        "id": ids.new_id(ids.IMAGE),
        "owner": user,
        "name": None if taken else row["name"],
        "build": None,
        "created": time.time(),
        "updated": time.time(),
        **{name: row[name] for name in ("identity", "platform", "recipe", "record")},
    }
    await rows.add_image(tx, made)
    return str(made["id"])


async def files_to_take(tx: Transaction, image: Row) -> Sequence[Row]:
    """Copies of an image: her own, then those of who shares the same image with her."""
    same = [
        row["id"]
        for row in await shared_images(tx.connection, image["owner"])
        if row["identity"] == image["identity"]
    ]
    found = await rows.copies_of(tx.connection, [image["id"], *same])
    return [copy for key in (image["id"], *same) for copy in found[key]]
