"""Removes code that no job refers to, such as the code of a job that was never submitted."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Collection
from functools import partial

from diamond.core.errors import NotFound
from diamond.service.artifacts import store as artifact_store
from diamond.service.code.references import mentioned_digests
from diamond.service.code.store import all_removed
from diamond.service.platform.blob_store import BlobStore
from diamond.service.platform.database.engine import Store

GRACE_SECONDS = 7 * 86400.0
"""Since it was sent or asked for: its job may be about to be submitted."""
MANIFEST_BYTES = 64 << 20
_DIGEST = re.compile(rb"[0-9a-f]{64}")


async def prune_blobs(store: Store, blobs: BlobStore) -> int:
    """How many blobs were removed. What a snapshot lists is kept with it."""
    before = time.time() - GRACE_SECONDS
    mentioned = await mentioned_digests(store)
    listed = await asyncio.to_thread(lambda: {one: listed_digests(blobs, one) for one in mentioned})
    await _drop_unneeded(store, mentioned.union(*listed.values()), before)
    async with store.read() as connection:
        owned = await artifact_store.owned_by_anybody(connection)
        removed = await all_removed(connection)
    kept = mentioned - removed
    needed = kept.union(*(listed[digest] for digest in kept))
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


def listed_digests(blobs: BlobStore, digest: str) -> set[str]:
    """The digests that a snapshot's manifest mentions. It is not parsed: whatever it is, reading it cannot fail."""
    try:
        path = blobs.find(digest)
        if path.stat().st_size > MANIFEST_BYTES:
            return set()
        return {digest.decode() for digest in _DIGEST.findall(path.read_bytes())}
    except (NotFound, OSError):
        return set()
