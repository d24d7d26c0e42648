"""Folders that become versions: uploaded from a person's own computer, or read where they are on an endpoint."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.artifacts import SERVICE
from diamond.core.errors import BadRequest, NotFound
from diamond.data.manifest import FileEntry, load_manifest
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Kind, Principal
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.models import store
from diamond.service.models.formats import format_of
from diamond.service.models.rows import PushRow
from diamond.service.models.safety import secure_tree
from diamond.service.models.schemas import NewPush, Push
from diamond.service.models.versions import own_model, version_of_tree
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.storage.storage import require_room
from diamond.service.trees import rounds
from diamond.service.trees import store as tree_store
from diamond.service.trees.kept_copies import start_push
from diamond.service.trees.rows import Ended, ScanRow, TransferRow, TreeRow
from diamond.service.trees.scans import start_scan
from diamond.service.trees.trees import find_tree


async def push(services: Services, principal: Principal, model: str, body: NewPush) -> Push:
    """The same folder again continues where it stopped."""
    require(principal, Action.WRITE, owner=principal.user)
    if bool(body.digest) == bool(body.endpoint and body.path):
        raise BadRequest(
            "Give the digest of a folder that you upload, or an endpoint and a path there",
            "For example: diamond model push digits FOLDER",
        )
    if body.digest:
        return await _upload(services, principal, model, body)
    return await services.store.run(lambda tx: _read_there(tx, principal, model, body))


async def get_push(services: Services, principal: Principal, text: str) -> Push:
    async with services.store.read() as connection:
        return await _show(connection, await _find(connection, principal, text))


async def wants(services: Services, principal: Principal, text: str, number: int) -> bytes:
    """What the service still lacks, for the person who sends it."""
    await _require_open(services, principal, text)
    return await rounds.wants_of(services, text, number)


async def take_piece(
    services: Services,
    principal: Principal,
    text: str,
    place: rounds.PieceOf,
    parts: Sequence[bytes],
) -> int:
    """The number of the piece that is wanted next."""
    await _require_open(services, principal, text)
    return (await rounds.put_piece(services, text, place, parts)).next


async def settle_pushes(tx: Transaction, ended: Sequence[Ended]) -> None:
    """A scan or an upload has ended well: what it brought is a version now."""
    by_id = {row.id: row for row in ended}
    for row in await store.pushes_by_id(tx.connection, by_id) if by_id else []:
        work = by_id[row.id]
        if work.state == "done" and work.tree and row.version is None:
            await _settle(tx, row, work.tree)


async def _upload(services: Services, principal: Principal, model: str, body: NewPush) -> Push:
    async with services.store.read() as connection:
        tree = await find_tree(connection, principal.user, body.digest)
        places = await tree_store.places_of(connection, {principal.user}, [tree.digest])
    is_kept = any(place.endpoint == SERVICE for place in places)
    if not is_kept:
        await require_room(services, principal.user, tree.size)
    paths = await asyncio.to_thread(_paths, services, tree)
    row = _row(principal, model, replace_format(body, format_of(paths)), body.source)

    async def begin(tx: Transaction) -> Push:
        if is_kept:
            await store.add_push(tx, replace(row, tree=tree.digest))
            await _settle(tx, row, tree.digest)
            return await _found(tx, row.id)
        transfer = await start_push(tx, tree)
        known = await store.find_push(tx.connection, transfer.id)
        if known is None:
            await store.add_push(tx, replace(row, id=transfer.id, tree=tree.digest))
        return await _found(tx, transfer.id)

    return await services.store.run(begin)


def replace_format(body: NewPush, found: str) -> NewPush:
    return body if body.format else body.model_copy(update={"format": found})


def _paths(services: Services, tree: TreeRow) -> list[str]:
    entries = load_manifest(services.manifests.find(tree.digest), tree.digest)
    return [entry.path for entry in entries if isinstance(entry, FileEntry)]


async def _read_there(tx: Transaction, principal: Principal, model: str, body: NewPush) -> Push:
    endpoint = await find_endpoint(tx.connection, principal, body.endpoint)
    require(principal, Action.WRITE, owner=endpoint.owner, what="endpoint")
    scan = await start_scan(tx, endpoint, body.path)
    row = _row(principal, model, body, f"{endpoint.name}:{body.path}")
    await store.add_push(tx, replace(row, id=scan.id))
    return await _found(tx, scan.id)


def _row(principal: Principal, model: str, body: NewPush, source: str) -> PushRow:
    return PushRow(
        id=ids.new_id(ids.TRANSFER),
        owner=principal.user,
        model=model,
        tree="",
        source=source,
        format=body.format,
        signature=body.signature,
        note=body.note,
        tags=tuple(body.tags),
        version=None,
        created=time.time(),
    )


async def _settle(tx: Transaction, row: PushRow, tree: str) -> None:
    """In the name of who pushed it: they owned the tree or the machine that it was read on."""
    known = await find_tree(tx.connection, row.owner, tree)
    model = await own_model(tx, Principal(Kind.PERSON, row.owner), row.model)
    number = await version_of_tree(tx, model, known, row)
    await store.change_push(tx, row.id, version=number, tree=known.digest)
    await secure_tree(tx, model, known)


async def _find(connection: AsyncConnection, principal: Principal, text: str) -> PushRow:
    row = await store.find_push(connection, text)
    if row is None or row.owner != principal.user:
        raise NotFound(f"There is no push {text!r}", "Begin one: diamond model push NAME FOLDER")
    require(principal, Action.READ, owner=row.owner, what="push")
    return row


async def _found(tx: Transaction, push: str) -> Push:
    row = await store.find_push(tx.connection, push)
    assert row is not None
    return await _show(tx.connection, row)


async def _show(connection: AsyncConnection, row: PushRow) -> Push:
    work: ScanRow | TransferRow | None = await tree_store.find_scan(connection, row.id)
    work = work or await tree_store.find_transfer(connection, row.id)
    state = "done" if row.version is not None else work.state if work else "failed"
    return Push.model_validate(
        {
            "id": row.id,
            "model": row.model,
            "source": row.source,
            "state": state,
            "message": work.message if work else "",
            "bytes": work.bytes if work else 0,
            "size": work.size if work else 0,
            "seconds_left": work.seconds_left if work else None,
            "round": work.round if isinstance(work, TransferRow) else 0,
            "version": row.version,
        }
    )


async def _require_open(services: Services, principal: Principal, text: str) -> None:
    async with services.store.read() as connection:
        row = await _find(connection, principal, text)
        transfer = await tree_store.find_transfer(connection, row.id)
    if transfer is None or not transfer.is_open:
        raise NotFound(f"There is no open upload {text!r}", "It may have ended.")
