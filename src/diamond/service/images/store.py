"""Images: rows, the copies of each, and which tasks use it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Text,
    case,
    cast,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import Artifact, ArtifactKind
from diamond.core.task import FINAL_WORDS
from diamond.runtimes.manifests import manifest_data
from diamond.service.artifacts import store as artifact_store
from diamond.service.artifacts.rows import PlaceRow
from diamond.service.images.rows import CopyRow, ImageRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import encoded, row_of, rows_of, values_of
from diamond.service.platform.database.tables import (
    artifact_places,
    image_moves,
    image_uses,
    image_wishes,
    images,
    tasks,
)
from diamond.service.tasks.rows import TaskRow

SHORTEST_DIGEST = 8
_COPIES = select(
    artifact_places.c.subject.label("image"),
    artifact_places.c.place.label("endpoint"),
    artifact_places.c.format,
    artifact_places.c.owner,
    artifact_places.c.digest.label("sha256"),
    artifact_places.c.detail.label("manifest"),
    artifact_places.c.at,
)


async def list_images(
    connection: AsyncConnection,
    owner: str,
    *,
    search: str,
    endpoint: str,
    limit: int,
    cursor: str | None,
) -> Page[ImageRow]:
    """Each word of `search` stands in the name, the base, a package, a label or the beginning of a digest."""
    query = select(images).where(images.c.owner == owner, *map(_mentions, search.split()))
    if endpoint:
        there = select(artifact_places.c.subject).where(artifact_places.c.place == endpoint)
        query = query.where(images.c.id.in_(there))
    return await page_of(
        connection,
        ImageRow,
        [query],
        keys=(images.c.created, images.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def images_called(connection: AsyncConnection, owner: str, text: str) -> list[ImageRow]:
    """By name, id, or the beginning of a digest (of the recipe or of a file); a name wins."""
    named = select(images).where(images.c.owner == owner)
    exact = await connection.execute(named.where(or_(images.c.name == text, images.c.id == text)))
    images_found = rows_of(exact, ImageRow)
    plain = text.removeprefix("sha256:")
    if images_found or len(plain) < SHORTEST_DIGEST:
        return images_found
    files = select(artifact_places.c.subject).where(
        artifact_places.c.owner == owner, starts_with(artifact_places.c.digest, plain)
    )
    by_digest = or_(starts_with(images.c.identity, f"sha256:{plain}"), images.c.id.in_(files))
    return rows_of(await connection.execute(named.where(by_digest).limit(6)), ImageRow)


async def image_names(connection: AsyncConnection, owner: str, limit: int = 100) -> list[str]:
    query = select(images.c.name).where(images.c.owner == owner, images.c.name.is_not(None))
    rows = await connection.execute(query.order_by(images.c.created.desc()).limit(limit))
    return list(rows.scalars())


async def image_by_id(connection: AsyncConnection, image: str) -> ImageRow | None:
    return row_of(await connection.execute(select(images).where(images.c.id == image)), ImageRow)


async def images_by_id(connection: AsyncConnection, ids: Collection[str]) -> dict[str, ImageRow]:
    rows = await connection.execute(select(images).where(images.c.id.in_(ids)))
    return {row.id: row for row in rows_of(rows, ImageRow)}


async def image_of_identity(
    connection: AsyncConnection, owner: str, identity: str
) -> ImageRow | None:
    query = select(images).where(images.c.owner == owner, images.c.identity == identity)
    return row_of(await connection.execute(query), ImageRow)


async def add_image(tx: Transaction, image: ImageRow) -> None:
    await tx.connection.execute(insert(images), values_of(image))


async def save_image(tx: Transaction, image: ImageRow) -> None:
    changed = update(images).where(images.c.id == image.id)
    await tx.connection.execute(changed.values(values_of(image)))


async def change_image(tx: Transaction, image: str, **values: Any) -> None:
    """Set some columns, named as the fields of `ImageRow`."""
    changed = update(images).where(images.c.id == image)
    await tx.connection.execute(changed.values(encoded(ImageRow, values)))


async def free_name(tx: Transaction, owner: str, name: str) -> None:
    """The image that has this name keeps its digests alone."""
    held = update(images).where(images.c.owner == owner, images.c.name == name)
    await tx.connection.execute(held.values(name=None))


async def delete_image(tx: Transaction, image: str) -> None:
    await artifact_store.drop_places(tx, subject=image)
    for table in (image_uses, image_wishes):
        await tx.connection.execute(delete(table).where(table.c.image == image))
    await tx.connection.execute(
        update(image_moves).where(image_moves.c.image == image).values(image=None)
    )
    await tx.connection.execute(delete(images).where(images.c.id == image))


async def copies_of(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, list[CopyRow]]:
    """The places of its artifacts, the oldest report first."""
    query = _COPIES.where(artifact_places.c.subject.in_(ids)).order_by(artifact_places.c.at)
    copies: dict[str, list[CopyRow]] = {image: [] for image in ids}
    for row in rows_of(await connection.execute(query), CopyRow):
        copies[row.image].append(row)
    return copies


async def put_copy(tx: Transaction, copy: CopyRow) -> None:
    """An endpoint has one file of an image in each format: the newest."""
    manifest = copy.manifest
    await drop_copies(tx, [(copy.image, copy.endpoint, copy.format)])
    place = PlaceRow(
        owner=copy.owner,
        digest=copy.sha256,
        place=copy.endpoint,
        subject=copy.image,
        path=manifest.file,
        format=copy.format,
        detail=manifest_data(manifest),
        at=copy.at,
    )
    await artifact_store.put_place(
        tx, Artifact(copy.sha256, ArtifactKind.IMAGE, manifest.size), place
    )


async def drop_copies(tx: Transaction, keys: Sequence[tuple[str, str, str]]) -> None:
    for image, endpoint, form in keys:
        await artifact_store.drop_places(tx, subject=image, place=endpoint, format=form)


async def copies_on(connection: AsyncConnection, endpoint: str) -> list[CopyRow]:
    """Of images alone: trees of data have places there too."""
    is_image = artifact_places.c.subject.in_(select(images.c.id))
    query = _COPIES.where(artifact_places.c.place == endpoint, is_image)
    return rows_of(await connection.execute(query), CopyRow)


async def add_use(tx: Transaction, *, image: str, task: str, owner: str) -> None:
    await tx.connection.execute(insert(image_uses), {"image": image, "task": task, "owner": owner})


async def image_used_by(connection: AsyncConnection, task: str) -> str | None:
    query = select(image_uses.c.image).where(image_uses.c.task == task)
    return (await connection.execute(query.limit(1))).scalar_one_or_none()


async def count_uses(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """How many tasks used each image, and how many of them have not ended."""
    joined = image_uses.join(tasks, tasks.c.id == image_uses.c.task)
    is_open = func.sum(case((tasks.c.state.in_(sorted(FINAL_WORDS)), 0), else_=1))
    query = select(image_uses.c.image, func.count(), is_open).select_from(joined)
    rows = await connection.execute(
        query.where(image_uses.c.image.in_(ids)).group_by(image_uses.c.image)
    )
    return {image: (int(many), int(still)) for image, many, still in rows}


async def uses_of(
    connection: AsyncConnection, image: str, *, limit: int, cursor: str | None
) -> Page[TaskRow]:
    used = select(image_uses.c.task).where(image_uses.c.image == image)
    query = select(tasks).where(tasks.c.id.in_(used))
    return await page_of(
        connection,
        TaskRow,
        [query],
        keys=(tasks.c.created, tasks.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def last_uses(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, float]:
    """When a task that uses it was last made or ended."""
    joined = image_uses.join(tasks, tasks.c.id == image_uses.c.task)
    query = select(image_uses.c.image, func.max(tasks.c.updated)).select_from(joined)
    rows = await connection.execute(
        query.where(image_uses.c.image.in_(ids)).group_by(image_uses.c.image)
    )
    return {image: float(at) for image, at in rows}


def _mentions(word: str) -> ColumnElement[bool]:
    digest = word.removeprefix("sha256:")
    manifest = func.lower(cast(images.c.manifest, Text))
    return or_(
        func.lower(images.c.name).contains(word.lower(), autoescape=True),
        manifest.contains(word.lower(), autoescape=True),
        starts_with(images.c.identity, f"sha256:{digest}"),
    )
