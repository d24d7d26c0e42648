"""Downloading the files of a version from the copy that the service keeps."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial

from diamond.core.artifacts import SERVICE
from diamond.core.errors import Conflict, NotFound
from diamond.data.manifest import find_file
from diamond.service.access.principal import Principal
from diamond.service.models.rows import VersionRow
from diamond.service.models.safety import safety_of
from diamond.service.models.views import find_model_version
from diamond.service.platform.services import Services
from diamond.service.trees import store as tree_store

BLOCK = 1 << 20


@dataclass(frozen=True)
class FilePart:
    """Bytes of one file, from an offset on."""

    size: int
    """Of the whole file."""
    start: int
    length: int
    blocks: AsyncIterator[bytes]


async def read_manifest(services: Services, principal: Principal, text: str) -> FilePart:
    """The list of its files, with digests: it may be large, and is never read as a whole."""
    version = await _kept_version(services, principal, text)
    size = services.manifests.find(version.tree).stat().st_size
    read = partial(services.manifests.read, version.tree, length=BLOCK)
    return FilePart(size, 0, size, _blocks(lambda at: read(offset=at), 0))


async def read_file(
    services: Services, principal: Principal, text: str, path: str, start: int
) -> FilePart:
    """Only what the manifest lists."""
    version = await _kept_version(services, principal, text)
    manifest = services.manifests.find(version.tree)
    entry = await asyncio.to_thread(find_file, manifest, path)
    if entry is None:
        raise NotFound(
            f"{text} has no file {path[:200]!r}", "`diamond model pull` fetches all that there are."
        )
    start = min(max(start, 0), entry.size)
    read = partial(_read, services, version.tree, path)
    return FilePart(entry.size, start, entry.size - start, _blocks(read, start))


async def _blocks(read: Callable[[int], bytes], start: int) -> AsyncIterator[bytes]:
    at = start
    while block := await asyncio.to_thread(read, at):
        yield block
        at += len(block)


def _read(services: Services, tree: str, path: str, at: int) -> bytes:
    with services.kept_trees.open(tree, path) as descriptor:
        return os.pread(descriptor, BLOCK, at)


async def _kept_version(services: Services, principal: Principal, text: str) -> VersionRow:
    async with services.store.read() as connection:
        _, version = await find_model_version(connection, principal, text)
        places = await tree_store.places_of(connection, {version.owner}, [version.tree])
        if any(place.endpoint == SERVICE for place in places):
            return version
        safety = await safety_of(connection, version)
    raise Conflict(
        f"This service has no copy of {text} yet: {safety.message}",
        "Its owner can copy it here: diamond model keep NAME",
    )
