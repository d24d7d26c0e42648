"""Removes blobs that no job refers to, such as those of a job that was never submitted."""

from __future__ import annotations

import asyncio
import re
import time

from diamond.core.errors import NotFound
from diamond.service.code.references import mentioned_digests
from diamond.service.platform.blob_store import BlobStore
from diamond.service.platform.database.engine import Store

GRACE_SECONDS = 7 * 86400.0
"""Since a blob was sent or asked for: its job may be about to be submitted."""
MANIFEST_BYTES = 64 << 20
_DIGEST = re.compile(rb"[0-9a-f]{64}")


async def prune_blobs(store: Store, blobs: BlobStore) -> int:
    """How many were removed. What a snapshot lists is kept with it."""
    before = time.time() - GRACE_SECONDS
    mentioned = await mentioned_digests(store)
    return await asyncio.to_thread(_prune, blobs, mentioned, before)


def _prune(blobs: BlobStore, mentioned: set[str], before: float) -> int:
    listed = (digest for manifest in mentioned for digest in _listed(blobs, manifest))
    return blobs.prune(mentioned.union(listed), before)


def _listed(blobs: BlobStore, digest: str) -> list[str]:
    """The digests that a snapshot's manifest mentions. It is not parsed: whatever it is, reading it cannot fail."""
    try:
        path = blobs.find(digest)
        if path.stat().st_size > MANIFEST_BYTES:
            return []
        return [found.decode() for found in _DIGEST.findall(path.read_bytes())]
    except (NotFound, OSError):
        return []
