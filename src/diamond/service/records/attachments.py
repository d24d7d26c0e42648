"""What a crate holds on request beside the record: the data that a task read, and the file of its image.

Both come from an endpoint that has them while the crate is sent. Whoever exports them takes them out of Diamond, so only
what the person may read, and what no limit keeps on its endpoints, can go along.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath

from diamond.core.artifacts import plain_digest
from diamond.core.errors import Conflict, NotFound
from diamond.core.order import Order
from diamond.data.manifest import Entry, FileEntry, load_manifest
from diamond.provenance import plain_run
from diamond.provenance.crate import CrateFile, CrateFolder
from diamond.provenance.public import public, without_secrets
from diamond.service.access.principal import Principal
from diamond.service.datasets.bounds import bounds_of
from diamond.service.datasets.find import named_versions
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.images import store as image_store
from diamond.service.images.rows import CopyRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.records.schemas import ExportPart
from diamond.service.records.zip_stream import ZipPart, ZipTree
from diamond.service.tasks.rows import TaskRow
from diamond.service.trees import store as tree_store
from diamond.service.trees.reading import require_readable, tree_blocks
from diamond.service.trees.rows import ScanRow, TreeRow
from diamond.service.trees.scans import start_scan
from diamond.service.trees.trees import find_tree

HASHING_SECONDS = 50.0
"""The file of an image is hashed where it is before it is sent. A client waits for the first byte for a minute."""
LOOK_SECONDS = 0.2
MOST_FILES = 90_000
"""A crate with more cannot be read by `diamond record import`."""
OTHERWISE = "Leave it out: --with code,lock"


@dataclass(frozen=True)
class Attached:
    """Of one task."""

    parts: list[ZipPart | ZipTree] = field(default_factory=list)
    folders: list[CrateFolder] = field(default_factory=list)
    image: CrateFile | None = None
    entries: int = 0
    """Files, links and folders of its data."""


async def attached(
    services: Services,
    principal: Principal,
    row: TaskRow,
    order: Order,
    parts: Sequence[ExportPart],
    folder: str,
    *,
    room: int = MOST_FILES,
) -> Attached:
    """`room`: how many files of data the crate still holds. Raises `Conflict` and `NotFound` before anything is sent."""
    found, entries = Attached(), 0
    if ExportPart.DATA in parts:
        for name, ordered in sorted(order.trees.items()):
            tree, sharers = await _readable_tree(services, principal, name, ordered.digest)
            at = f"{folder}{plain_run.DATA}/{name}/"
            entries += tree.entries
            require_few(entries, room)  # before its list is read into memory
            found.parts.append(await _zip_tree(services, tree, sharers, at))
            found.folders.append(CrateFolder(at, name, tree.digest, tree.size, tree.files))
    found = replace(found, entries=entries)
    if ExportPart.IMAGE not in parts:
        return found
    image = await _image_file(services, principal, row, order)
    if image is None:
        return found
    tree, entry = await _image_tree(services, image)
    at = f"{folder}{plain_run.IMAGE}/"
    about = json.dumps(_image_words(order, image), indent=1, sort_keys=True).encode()
    found.parts.append(ZipPart(f"{folder}{plain_run.IMAGE_FACTS}", about))
    found.parts.append(await _zip_tree(services, tree, [], at))
    file = CrateFile(f"{at}{entry.path}", entry.path, "application/octet-stream", entry.size)
    return replace(found, image=_with_digest(file, entry))


def require_few(entries: int, room: int = MOST_FILES) -> None:
    """Links and empty folders take as much memory as files, and a crate may be of many tasks."""
    if entries > room:
        raise Conflict(
            f"A crate holds at most {MOST_FILES} files and folders of data, not {MOST_FILES - room + entries}",
            OTHERWISE,
        )


def _with_digest(file: CrateFile, entry: FileEntry) -> CrateFile:
    return CrateFile(file.path, file.name, file.format, file.size, entry.sha256)


async def _readable_tree(
    services: Services, principal: Principal, name: str, digest: str
) -> tuple[TreeRow, list[str]]:
    """What the person may take with them, and the people whose copies may be read for it."""
    async with services.store.read() as connection:
        try:
            tree = await find_tree(connection, principal.user, digest)
        except NotFound:
            raise Conflict(f"The data {name!r} are not yours to export", OTHERWISE) from None
        named = await named_versions(connection, principal, [tree.digest])
        version = named.get(tree.digest)
        owners = {principal.user, *([version.owner] if version else [])}
        for owner in sorted(owners):
            bounds = await bounds_of(connection, owner, tree.digest)
            if not bounds.may_lie_in_service:
                because = f": {bounds.because} limits" if owner == principal.user else " limits"
                raise Conflict(
                    f"The data {name!r} may not leave with a crate{because} where they may be",
                    OTHERWISE,
                    code="restricted",
                )
    others = sorted(owners - {principal.user})
    await require_readable(services, tree, others)
    return tree, others


async def _zip_tree(
    services: Services, tree: TreeRow, sharers: Sequence[str], folder: str
) -> ZipTree:
    manifest = services.manifests.find(tree.digest)
    entries = await asyncio.to_thread(load_manifest, manifest, tree.digest)
    _require_names(entries)
    others = [entry for entry in entries if not isinstance(entry, FileEntry)]
    return ZipTree(folder, others, partial(tree_blocks, services, tree, sharers))


def _require_names(entries: Sequence[Entry]) -> None:
    for entry in entries:
        try:
            entry.path.encode()
        except UnicodeEncodeError:
            raise Conflict(
                f"A zip cannot hold the file name {entry.path!a}: it is not UTF-8", OTHERWISE
            ) from None


async def _image_file(
    services: Services, principal: Principal, row: TaskRow, order: Order
) -> CopyRow | None:
    """A copy on an endpoint of the person's own that answers; None for a run without an image, or in a virtual environment."""
    wanted = plain_digest(order.image.sha256) if order.image and order.image.sha256 else ""
    if not wanted or (order.image and order.image.format == "venv"):
        return None
    async with services.store.read() as connection:
        image = await image_store.image_used_by(connection, row.id)
        copies = (await image_store.copies_of(connection, [image]))[image] if image else []
        usable = [
            copy
            for copy in copies
            if plain_digest(copy.sha256) == wanted
            and copy.owner == principal.user
            and copy.manifest.file
        ]
        endpoints = await endpoints_by_id(connection, {copy.endpoint for copy in usable})
    for copy in usable:
        endpoint = endpoints.get(copy.endpoint)
        if endpoint and endpoint.state == "online" and endpoint.policy.egress == "all":
            return copy
    raise Conflict(
        f"No endpoint of yours that is online can send the image {wanted[:12]}",
        "Leave it out: --with code,lock,data",
    )


async def _image_tree(services: Services, copy: CopyRow) -> tuple[TreeRow, FileEntry]:
    """Its file as a tree of one file, read where it is. Raises `Conflict`."""

    async def begin(tx: Transaction) -> ScanRow:
        endpoint = (await endpoints_by_id(tx.connection, {copy.endpoint}))[copy.endpoint]
        return await start_scan(tx, endpoint, copy.manifest.file)

    scan = await services.store.run(begin)
    deadline = time.monotonic() + HASHING_SECONDS
    while scan.is_open and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
        async with services.store.read() as connection:
            scan = await tree_store.find_scan(connection, scan.id) or scan
    if scan.is_open:
        raise Conflict(
            "The file of the image is still being hashed on its endpoint",
            "Run the same command again in a minute: what is hashed is not hashed twice.",
        )
    if scan.state != "done":
        raise Conflict(f"The image cannot be read: {scan.message}", OTHERWISE)
    async with services.store.read() as connection:
        tree = await find_tree(connection, copy.owner, scan.tree)
    manifest = services.manifests.find(tree.digest)
    entries = await asyncio.to_thread(load_manifest, manifest, tree.digest)
    entry = entries[0]
    if not isinstance(entry, FileEntry) or entry.sha256 != plain_digest(copy.sha256):
        raise Conflict("The file of the image is not as it was built", "Build it again.")
    return tree, entry


def _image_words(order: Order, copy: CopyRow) -> dict[str, object]:
    """How the file is entered: what `diamond reproduce CRATE` needs beside it."""
    image = order.image
    variables = public(without_secrets(dict(image.variables if image else {})))
    return {
        "file": PurePosixPath(copy.manifest.file).name,
        "format": copy.format,
        "runtime": copy.manifest.runtime,
        "platform": copy.manifest.platform,
        "path": list(image.path if image else []),
        "variables": variables,
    }
