"""Images of others that are shared with a person: found beside their own, and taken by choosing one.

What is taken are bytes: the files that were there at the moment of the choice, by digest. A recipe's identity proves
nothing, since the agent of who shares an image says it.
"""

from __future__ import annotations

import time
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.artifacts import plain_digest
from diamond.images.recipe import recipe_from
from diamond.service.artifacts.store import give_files
from diamond.service.images import store
from diamond.service.images.rows import CopyRow, ImageRow
from diamond.service.people.shares import IMAGE, things_shared_with
from diamond.service.platform.database.engine import Transaction


async def shared_images(connection: AsyncConnection, user: str) -> list[ImageRow]:
    """Of others, the newest first."""
    wanted = await things_shared_with(connection, IMAGE, user)
    images = await store.images_by_id(connection, wanted) if wanted else {}
    others = [row for row in images.values() if row.owner != user]
    return sorted(others, key=lambda row: -row.created)


async def shared_called(connection: AsyncConnection, user: str, text: str) -> list[ImageRow]:
    """By name, id, or the beginning of a digest; a name or id wins."""
    images = await shared_images(connection, user)
    exact = [row for row in images if text in (row.id, row.name)]
    plain = text.removeprefix("sha256:")
    if exact or len(plain) < store.SHORTEST_DIGEST:
        return exact
    return [row for row in images if row.identity.startswith(f"sha256:{plain}")]


async def own_image(tx: Transaction, user: str, image: str) -> str:
    """The person's own entry of the image that they chose.

    Of one that is shared with them it notes which files they accept with that choice, by digest. An image that they built
    themselves stays what it is: it takes no file of anybody else, whatever recipe that claims.
    """
    row = await store.image_by_id(tx.connection, image)
    assert row is not None
    if row.owner == user:
        return image
    offered = await _offered(tx, row)
    await give_files(tx, row.owner, user, _recipe_files(row))
    known = await store.image_of_identity(tx.connection, user, row.identity)
    if known is not None:
        if known.accepted:
            accepted = {**known.accepted, **offered}
            await store.change_image(tx, known.id, accepted=accepted)
        return known.id
    taken = await store.images_called(tx.connection, user, row.name) if row.name else []
    own = replace(
        row,
        id=ids.new_id(ids.IMAGE),
        owner=user,
        name=None if taken else row.name,
        build=None,
        accepted=offered,
        created=time.time(),
        updated=time.time(),
    )
    await store.add_image(tx, own)
    return own.id


async def files_to_take(tx: Transaction, image: ImageRow) -> list[CopyRow]:
    """Files of an image: on the person's own endpoints, then those they accepted from who still shares it with them."""
    accepted = image.accepted
    shared = await shared_images(tx.connection, image.owner) if accepted else []
    sources = [row.id for row in shared if row.id in accepted.values()]
    copies = await store.copies_of(tx.connection, [image.id, *sources])
    return [
        *copies[image.id],
        *(copy for key in sources for copy in copies[key] if accepted.get(copy.sha256) == key),
    ]


async def known_digests(tx: Transaction, image: ImageRow) -> set[str]:
    """Of the files that count as this image: its copies, and what was accepted with it."""
    copies = (await store.copies_of(tx.connection, [image.id]))[image.id]
    return {*(copy.sha256 for copy in copies), *image.accepted}


def _recipe_files(image: ImageRow) -> set[str]:
    """Digests of the files that its recipe adds: should it have to be built again, they are needed."""
    files = recipe_from(image.recipe).environment.files
    return {plain_digest(file.digest) for file in files if file.digest}


async def _offered(tx: Transaction, image: ImageRow) -> dict[str, str]:
    """The files of another's image now; a virtual environment is none."""
    copies = (await store.copies_of(tx.connection, [image.id]))[image.id]
    return {copy.sha256: image.id for copy in copies if copy.format != "venv"}
