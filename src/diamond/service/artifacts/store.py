"""Artifacts and their places in the database."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from sqlalchemy import delete, exists, func, insert, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import SERVICE, Artifact, ArtifactKind
from diamond.service.artifacts.rows import ArtifactRow, PlaceRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import artifact_places, artifacts

T = TypeVar("T")
AT_ONCE = 500
"""Values in one statement: databases take no more than some thousands."""


async def find_artifact(connection: AsyncConnection, owner: str, digest: str) -> ArtifactRow | None:
    query = select(artifacts).where(artifacts.c.owner == owner, artifacts.c.digest == digest)
    return row_of(await connection.execute(query), ArtifactRow)


async def owned_digests(
    connection: AsyncConnection, owner: str, digests: Collection[str]
) -> set[str]:
    """Those of these that are the owner's."""
    owned: set[str] = set()
    for some in portions(sorted(set(digests))):
        query = select(artifacts.c.digest).where(
            artifacts.c.owner == owner, artifacts.c.digest.in_(some)
        )
        owned.update((await connection.execute(query)).scalars())
    return owned


async def list_artifacts(
    connection: AsyncConnection,
    owner: str,
    *,
    kind: str,
    place: str,
    limit: int,
    cursor: str | None,
) -> Page[ArtifactRow]:
    """The newest first. Without a `kind`, files of snapshots are not listed one by one."""
    query = select(artifacts).where(artifacts.c.owner == owner)
    if kind:
        query = query.where(artifacts.c.kind == kind)
    else:
        query = query.where(artifacts.c.kind != ArtifactKind.FILE.value)
    if place:
        there = select(artifact_places.c.digest).where(
            artifact_places.c.owner == owner, artifact_places.c.place == place
        )
        query = query.where(artifacts.c.digest.in_(there))
    return await page_of(
        connection,
        ArtifactRow,
        [query],
        keys=(artifacts.c.created, artifacts.c.digest),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def places_of(
    connection: AsyncConnection, owner: str, digests: Collection[str]
) -> dict[str, list[PlaceRow]]:
    query = select(artifact_places).where(
        artifact_places.c.owner == owner, artifact_places.c.digest.in_(digests)
    )
    places: dict[str, list[PlaceRow]] = {digest: [] for digest in digests}
    for row in rows_of(await connection.execute(query.order_by(artifact_places.c.at)), PlaceRow):
        places[row.digest].append(row)
    return places


async def incomplete_snapshots(connection: AsyncConnection, owner: str) -> list[str]:
    query = select(artifacts.c.digest).where(
        artifacts.c.owner == owner,
        artifacts.c.kind == ArtifactKind.SNAPSHOT.value,
        artifacts.c.is_complete.is_(False),
    )
    return list((await connection.execute(query)).scalars())


async def add_artifacts(tx: Transaction, owner: str, added: Sequence[Artifact]) -> None:
    """Also where they are known already: from now on they count as used now."""
    now = time.time()
    rows = [
        ArtifactRow(owner, item.digest, item.kind.value, item.size, False, now, now)
        for item in {item.digest: item for item in added}.values()
    ]
    await tx.insert_new(artifacts, [values_of(row) for row in rows])
    await touch(tx, owner, [row.digest for row in rows])


async def add_to_service(tx: Transaction, owner: str, added: Sequence[Artifact]) -> None:
    """Artifacts whose bytes the service itself has."""
    await add_artifacts(tx, owner, added)
    now = time.time()
    digests = {item.digest for item in added}
    places = [PlaceRow(owner, digest, SERVICE, "", "", "", {}, now) for digest in digests]
    await tx.insert_new(artifact_places, [values_of(place) for place in places])


async def give_files(tx: Transaction, giver: str, receiver: str, digests: Collection[str]) -> None:
    """Those of these files that the giver has become the receiver's too."""
    for some in portions(sorted(digests)):
        query = select(artifacts).where(
            artifacts.c.owner == giver,
            artifacts.c.kind == ArtifactKind.FILE.value,
            artifacts.c.digest.in_(some),
        )
        given = rows_of(await tx.connection.execute(query), ArtifactRow)
        files = [Artifact(row.digest, ArtifactKind.FILE, row.size) for row in given]
        await add_to_service(tx, receiver, files)


async def mark_snapshot(tx: Transaction, owner: str, digest: str, *, is_complete: bool) -> None:
    changed = update(artifacts).where(artifacts.c.owner == owner, artifacts.c.digest == digest)
    values = {"kind": ArtifactKind.SNAPSHOT.value, "is_complete": is_complete}
    await tx.connection.execute(changed.values(used=time.time(), **values))


async def touch(tx: Transaction, owner: str, digests: Collection[str]) -> None:
    """They are young again: what is about to be used is not removed."""
    for some in portions(sorted(digests)):
        known = update(artifacts).where(artifacts.c.owner == owner, artifacts.c.digest.in_(some))
        await tx.connection.execute(known.values(used=time.time()))


async def put_place(tx: Transaction, artifact: Artifact, place: PlaceRow) -> None:
    """An artifact and one place of it, which takes the place of an older report of the same."""
    await add_artifacts(tx, place.owner, [artifact])
    key = (place.owner, place.digest, place.place, place.subject)
    await tx.connection.execute(
        delete(artifact_places).where(tuple_(*artifact_places.primary_key.columns) == key)
    )
    await tx.connection.execute(insert(artifact_places), values_of(place))


async def set_size(tx: Transaction, owner: str, digest: str, size: int) -> None:
    """What is known of it now, such as from a manifest that has come since."""
    known = update(artifacts).where(artifacts.c.owner == owner, artifacts.c.digest == digest)
    await tx.connection.execute(known.values(size=size))


async def drop_places(
    tx: Transaction, *, subject: str, place: str | None = None, format: str | None = None
) -> None:
    """An artifact that is nowhere any more is removed too."""
    gone = artifact_places.c.subject == subject
    if place is not None:
        gone &= artifact_places.c.place == place
    if format is not None:
        gone &= artifact_places.c.format == format
    named = select(artifact_places.c.owner, artifact_places.c.digest).where(gone)
    keys = [(row.owner, row.digest) for row in await tx.connection.execute(named)]
    await tx.connection.execute(delete(artifact_places).where(gone))
    await _drop_without_place(tx, keys)


async def drop_one_place(
    tx: Transaction, owner: str, digest: str, place: str, subject: str
) -> None:
    """An artifact that is nowhere any more is removed too."""
    key = (owner, digest, place, subject)
    await tx.connection.execute(
        delete(artifact_places).where(tuple_(*artifact_places.primary_key.columns) == key)
    )
    await _drop_without_place(tx, [(owner, digest)])


async def drop_artifacts(tx: Transaction, keys: Sequence[tuple[str, str]]) -> None:
    """With all their places; each key is an owner and a digest."""
    for some in portions(keys):
        for table in (artifact_places, artifacts):
            of_them = tuple_(table.c.owner, table.c.digest).in_(some)
            await tx.connection.execute(delete(table).where(of_them))


async def drop_unused(
    tx: Transaction, owner: str, digests: Collection[str], *, before: float
) -> dict[str, int]:
    """Those of these that were not used since, with all their places; the answer has their sizes."""
    dropped: dict[str, int] = {}
    for some in portions(sorted(digests)):
        old = delete(artifacts).where(
            artifacts.c.owner == owner, artifacts.c.digest.in_(some), artifacts.c.used < before
        )
        rows = await tx.connection.execute(old.returning(artifacts.c.digest, artifacts.c.size))
        dropped.update({row.digest: row.size for row in rows})
    for some in portions(sorted(dropped)):
        places = artifact_places.c.owner == owner, artifact_places.c.digest.in_(some)
        await tx.connection.execute(delete(artifact_places).where(*places))
    return dropped


async def unused_code(
    connection: AsyncConnection, before: float, after: tuple[str, str] | None
) -> list[tuple[str, str]]:
    """Owners and digests of code that was not used since; the next ones behind `after`."""
    keys = (artifacts.c.owner, artifacts.c.digest)
    kinds = (ArtifactKind.FILE.value, ArtifactKind.SNAPSHOT.value)
    query = select(*keys).where(artifacts.c.kind.in_(kinds), artifacts.c.used < before)
    if after is not None:
        query = query.where(tuple_(*keys) > after)
    rows = await connection.execute(query.order_by(*keys).limit(AT_ONCE))
    return [(row.owner, row.digest) for row in rows]


async def owned_by_anybody(connection: AsyncConnection) -> set[str]:
    """Digests of all code."""
    kinds = (ArtifactKind.FILE.value, ArtifactKind.SNAPSHOT.value)
    query = select(artifacts.c.digest).where(artifacts.c.kind.in_(kinds)).distinct()
    return set((await connection.execute(query)).scalars())


async def bytes_by_kind(connection: AsyncConnection, owner: str, place: str) -> dict[str, int]:
    """How many bytes of a person are at a place."""
    lies_there = exists().where(
        artifact_places.c.owner == artifacts.c.owner,
        artifact_places.c.digest == artifacts.c.digest,
        artifact_places.c.place == place,
    )
    query = select(artifacts.c.kind, func.sum(artifacts.c.size)).where(
        artifacts.c.owner == owner, lies_there
    )
    rows = await connection.execute(query.group_by(artifacts.c.kind))
    return {kind: int(size or 0) for kind, size in rows}


async def _drop_without_place(tx: Transaction, keys: Sequence[tuple[str, str]]) -> None:
    for some in portions(keys):
        lies_somewhere = exists().where(
            artifact_places.c.owner == artifacts.c.owner,
            artifact_places.c.digest == artifacts.c.digest,
        )
        of_them = tuple_(artifacts.c.owner, artifacts.c.digest).in_(some)
        await tx.connection.execute(delete(artifacts).where(of_them, ~lies_somewhere))


def portions(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many at once as one statement takes."""
    for start in range(0, len(items), AT_ONCE):
        yield items[start : start + AT_ONCE]
