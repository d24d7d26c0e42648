"""The list of files that a snapshot is (code/snapshots.py), read from the blob store."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from diamond.code import checkout
from diamond.core.artifacts import Artifact, ArtifactKind, Snapshot, plain_digest
from diamond.core.decoding import Count, MaybeDigest, decode
from diamond.core.errors import BadRequest
from diamond.core.units import show_bytes
from diamond.service.platform.blob_store import BlobStore

MOST_BYTES = 64 << 20


@dataclass(frozen=True)
class ListedFile:
    """One line of the list: a file, or a symbolic link."""

    path: str
    mode: str = ""
    size: Count | None = None
    sha256: MaybeDigest = ""
    link: str = ""


@dataclass(frozen=True)
class Manifest:
    files: list[ListedFile] = field(default_factory=list)


async def read_manifest(blobs: BlobStore, digest: str) -> Manifest:
    """Raises `NotFound`, or `BadRequest` for bytes that do not list files."""
    return await asyncio.to_thread(load_manifest, blobs, digest)


async def read_snapshot(blobs: BlobStore, digest: str) -> Snapshot:
    """With the sizes that its files really have here. Raises as `read_manifest`, also for a file that is not here."""
    return await asyncio.to_thread(_load_snapshot, blobs, digest)


async def read_file(blobs: BlobStore, digest: str) -> Artifact:
    return await asyncio.to_thread(_artifact, blobs, plain_digest(digest), ArtifactKind.FILE)


def load_manifest(blobs: BlobStore, digest: str) -> Manifest:
    path = blobs.find(digest)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise BadRequest(f"{digest} has {show_bytes(size)}: it lists no files of code")
    return decode(Manifest, {"files": checkout.read_manifest(path.read_bytes())}, "snapshot")


def _load_snapshot(blobs: BlobStore, digest: str) -> Snapshot:
    listed = {plain_digest(file.sha256) for file in load_manifest(blobs, digest).files}
    files = [_artifact(blobs, each, ArtifactKind.FILE) for each in sorted(listed - {""})]
    return Snapshot(_artifact(blobs, plain_digest(digest), ArtifactKind.SNAPSHOT), tuple(files))


def _artifact(blobs: BlobStore, digest: str, kind: ArtifactKind) -> Artifact:
    return Artifact(digest, kind, blobs.find(digest).stat().st_size)
