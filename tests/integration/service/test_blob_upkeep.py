"""Blobs that no job refers to are removed, and no others."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

from sqlalchemy import insert

from diamond.service.access.principal import LOCAL_USER
from diamond.service.code.cleanup import GRACE_SECONDS, prune_blobs
from diamond.service.people.first_start import first_start
from diamond.service.platform.blob_store import FolderBlobStore
from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.tables import jobs
from support.database import with_store

OLD = time.time() - GRACE_SECONDS - 60


def put(blobs: FolderBlobStore, folder: Path, content: bytes, *, sent: float = OLD) -> str:
    source = folder / "source"
    source.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    blobs.add(source, digest)
    os.utime(blobs.find(digest), (sent, sent))
    return digest


def test_only_what_no_job_refers_to_goes_and_only_after_a_while(
    tmp_path: Path, database_url: str
) -> None:
    blobs = FolderBlobStore(tmp_path / "blobs")
    program, diff = put(blobs, tmp_path, b"print()"), put(blobs, tmp_path, b"a diff")
    manifest = json.dumps({"version": 1, "files": [{"path": "a.py", "sha256": program}]})
    snapshot = put(blobs, tmp_path, manifest.encode())
    forgotten = put(blobs, tmp_path, b"never submitted")
    fresh = put(blobs, tmp_path, b"just sent", sent=time.time())
    asked = put(blobs, tmp_path, b"sent long ago, wanted now")
    # As the code of somebody's job: it must not stop the removal of what others left behind.
    nested = put(blobs, tmp_path, b"[" * 100_000)

    async def prune(store: Store) -> tuple[int, int]:
        await first_start(store)
        code = {"snapshot": f"sha256:{snapshot}", "diff": f"sha256:{diff}", "x": nested}
        row = {
            "id": "j1",
            "owner": LOCAL_USER,
            "name": "x",
            "spec": {},
            "code": code,
            "digest": "",
            "created": 0.0,
        }
        async with store.write() as tx:
            await tx.connection.execute(insert(jobs), row)
        assert blobs.missing([asked]) == []
        return await prune_blobs(store, blobs), await prune_blobs(store, blobs)

    assert with_store(tmp_path, database_url, prune) == (1, 0)
    everything = [program, diff, snapshot, forgotten, fresh, asked]
    assert blobs.missing(everything) == [forgotten]
