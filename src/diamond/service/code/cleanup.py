"""Removes code that no job refers to, such as the code of a job that was never submitted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from functools import partial

from diamond.core.errors import BadRequest, NotFound
from diamond.service.artifacts import store as artifact_store
from diamond.service.code.manifests import load_manifest
from diamond.service.code.references import mentioned_digests
from diamond.service.platform.blob_store import BlobStore
from diamond.service.platform.database.engine import Store

GRACE_SECONDS = 7 * 86400.0
"""Since it was sent or asked for: its job may be about to be submitted."""


async def prune_blobs(store: Store, blobs: BlobStore) -> int:
    """How many blobs were removed. What a snapshot lists is kept with it."""
    before = time.time() - GRACE_SECONDS
    mentioned = await mentioned_digests(store)
    needed = await asyncio.to_thread(_with_files, blobs, mentioned)
    await _drop_unneeded(store, needed, before)
    async with store.read() as connection:
        owned = await artifact_store.owned_by_anybody(connection)
    return await asyncio.to_thread(blobs.prune, needed | owned, before)


async def _drop_unneeded(store: Store, needed: Collection[str], before: float) -> None:
    """A few at a time: the service stays responsive."""
    last: tuple[str, str] | None = None
    while True:
        async with store.read() as connection:
            keys = await artifact_store.unused_code(connection, before, last)
        if not keys:
            return
        last = keys[-1]
        gone = [key for key in keys if key[1] not in needed]
        if gone:
            await store.run(partial(artifact_store.drop_artifacts, keys=gone))
        await asyncio.sleep(0)


def _with_files(blobs: BlobStore, mentioned: set[str]) -> set[str]:
    return mentioned.union(*(_listed(blobs, digest) for digest in mentioned))


def _listed(blobs: BlobStore, digest: str) -> set[str]:
    """The files of a snapshot; none for a digest of anything else."""
    try:
        return {file.sha256 for file in load_manifest(blobs, digest).files}
    except (NotFound, BadRequest, OSError):
        return set()
