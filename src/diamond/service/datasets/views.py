"""Datasets as the API shows them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX
from diamond.core.decoding import encode
from diamond.service.datasets import schemas, store
from diamond.service.datasets.rows import AdditionRow, DatasetRow, VersionRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.people.store import people_by_id
from diamond.service.trees import store as tree_store
from diamond.service.trees.rows import ScanRow, TransferRow
from diamond.service.trees.trees import places_of

FAILURES_SECONDS = 86400.0
"""How long a failure is shown."""


@dataclass(frozen=True)
class _Known:
    """What all shown datasets need, asked for once."""

    user: str
    versions: Mapping[str, Sequence[VersionRow]]
    people: Mapping[str, str]
    endpoints: Mapping[str, str]
    places: Mapping[str, Sequence[str]]
    """Ids of the caller's endpoints, by digest."""
    uses: Mapping[str, tuple[int, int]]
    additions: Sequence[schemas.DataAddition]
    transfers: Sequence[TransferRow]


async def show_datasets(
    connection: AsyncConnection, user: str, rows: Sequence[DatasetRow]
) -> list[schemas.Dataset]:
    """Each as this person sees it: places, uses and transfers are their own, never those of others."""
    if not rows:
        return []
    known = await _gather(connection, user, rows)
    return [_show(row, known) for row in rows]


async def show_dataset(connection: AsyncConnection, user: str, row: DatasetRow) -> schemas.Dataset:
    return (await show_datasets(connection, user, [row]))[0]


def show_version(row: VersionRow) -> schemas.DatasetVersion:
    return schemas.DatasetVersion(
        n=row.n,
        name=row.name,
        digest=PREFIX + row.tree,
        files=row.files,
        bytes=row.bytes,
        source=row.source,
        origin=_origin(row),
        created=row.created,
    )


def _origin(row: VersionRow) -> schemas.DataOrigin | None:
    return None if row.origin is None else schemas.DataOrigin.model_validate(encode(row.origin))


def show_transfer(
    row: TransferRow, names: Mapping[str, str], dataset: str, version: str
) -> schemas.DataTransfer:
    return schemas.DataTransfer.model_validate(
        {
            "id": row.id,
            "dataset": dataset,
            "version": version,
            "source": names.get(row.source or "", ""),
            "endpoint": names.get(row.goal, ""),
            "layout": row.layout,
            "way": row.way,
            "words": row.words,
            "tried": row.tried,
            "state": row.state,
            "message": row.message,
            "bytes": row.bytes,
            "size": row.size,
            "moved": row.moved,
            "files": row.files,
            "files_done": row.files_done,
            "rate": row.rate if row.is_open else 0.0,
            "seconds_left": row.seconds_left,
            "created": row.created,
            "updated": row.updated,
        }
    )


async def show_addition(
    connection: AsyncConnection, row: AdditionRow, dataset: DatasetRow
) -> schemas.DataAddition:
    endpoints = await endpoints_by_id(connection, {row.endpoint})
    work = await _work(connection, row)
    return _addition(row, work, dataset.name, {key: one.name for key, one in endpoints.items()})


async def _gather(connection: AsyncConnection, user: str, rows: Sequence[DatasetRow]) -> _Known:
    ids = [row.id for row in rows]
    versions = await store.versions_of(connection, ids)
    trees = {version.tree for some in versions.values() for version in some}
    placed = await places_of(connection, user, trees)
    since = time.time() - FAILURES_SECONDS
    transfers = await tree_store.transfers_of_tree(connection, user, trees, since=since)
    additions = [row for row in await store.additions_of(connection, ids) if row.owner == user]
    wanted = {place.endpoint for some in placed.values() for place in some}
    wanted |= {row.endpoint for row in additions}
    wanted |= {end for row in transfers for end in (row.goal, row.source) if end}
    wanted |= {endpoint for row in rows for endpoint in row.endpoints or ()}
    endpoints = await endpoints_by_id(connection, wanted) if wanted else {}
    names = {key: endpoint.name for key, endpoint in endpoints.items()}
    people = await people_by_id(connection, {row.owner for row in rows})
    return _Known(
        user=user,
        versions=versions,
        people={person.id: person.name for person in people},
        endpoints=names,
        places={tree: [place.endpoint for place in some] for tree, some in placed.items()},
        uses=await store.count_uses(connection, ids, user),
        additions=await _shown_additions(connection, additions, rows, names),
        transfers=[row for row in transfers if row.is_open or row.state == "failed"],
    )


def _show(row: DatasetRow, known: _Known) -> schemas.Dataset:
    versions = known.versions[row.id]
    trees = {version.tree: version.name for version in versions}
    uses = known.uses.get(row.id, (0, 0))
    places = {endpoint for tree in trees for endpoint in known.places.get(tree, ())}
    return schemas.Dataset.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "owner": row.owner,
            "owner_name": known.people.get(row.owner, ""),
            "description": row.description,
            "license": row.license,
            "project": row.project,
            "endpoints": _allowed(row, known),
            "layout": row.layout,
            "newest": show_version(versions[0]) if versions else None,
            "versions": [show_version(version) for version in versions],
            "places": sorted(known.endpoints[one] for one in places if one in known.endpoints),
            "created": row.created,
            "updated": row.updated,
            "uses": uses[0],
            "in_use": uses[1],
            "additions": [one for one in known.additions if one.dataset == row.id],
            "transfers": [
                show_transfer(one, known.endpoints, row.name, trees[one.tree])
                for one in known.transfers
                if one.tree in trees
            ],
        }
    )


def _allowed(row: DatasetRow, known: _Known) -> list[str] | None:
    """Names of the owner's endpoints, which are the owner's business alone."""
    if row.endpoints is None:
        return None
    if row.owner != known.user:
        return []
    return [known.endpoints[one] for one in row.endpoints if one in known.endpoints]


async def _shown_additions(
    connection: AsyncConnection,
    additions: Sequence[AdditionRow],
    rows: Sequence[DatasetRow],
    names: Mapping[str, str],
) -> list[schemas.DataAddition]:
    called = {row.id: row.name for row in rows}
    since = time.time() - FAILURES_SECONDS
    shown = []
    for row in additions:
        if row.version:
            continue
        work = await _work(connection, row)
        if work is not None and (work.is_open or (work.state == "failed" and work.updated > since)):
            shown.append(_addition(row, work, called[row.dataset], names))
    return shown


async def _work(connection: AsyncConnection, row: AdditionRow) -> ScanRow | TransferRow | None:
    if row.kind == "upload":
        return await tree_store.find_transfer(connection, row.id)
    return await tree_store.find_scan(connection, row.id)


def _addition(
    row: AdditionRow,
    work: ScanRow | TransferRow | None,
    dataset: str,
    names: Mapping[str, str],
) -> schemas.DataAddition:
    return schemas.DataAddition.model_validate(
        {
            "id": row.id,
            "dataset": row.dataset,
            "name": dataset,
            "kind": row.kind,
            "endpoint": names.get(row.endpoint, ""),
            "source": row.source,
            "state": work.state if work else "failed",
            "message": work.message if work else "it is no longer known",
            "named": list(work.named) if isinstance(work, ScanRow) else [],
            "bytes": work.bytes if work else 0,
            "size": work.size if work else 0,
            "files": work.files if work else 0,
            "files_done": work.files_done if work else 0,
            "rate": _rate(work),
            "seconds_left": work.seconds_left if work else None,
            "round": work.round if isinstance(work, TransferRow) else 0,
            "version": f"v{row.version}" if row.version else "",
            "digest": PREFIX + work.tree if work and work.tree else "",
            "is_new": row.is_new,
            "created": row.created,
            "updated": work.updated if work else row.created,
        }
    )


def _rate(work: ScanRow | TransferRow | None) -> float:
    if isinstance(work, TransferRow):
        return work.rate if work.is_open else 0.0
    if work is None or not work.is_open or work.started is None:
        return 0.0
    return work.bytes / max(time.time() - work.started, 0.1)
