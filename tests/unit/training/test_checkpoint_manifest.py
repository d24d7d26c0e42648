"""Whatever happens to a checkpoint's files, the manifest tells."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.errors import Damaged
from diamond.training.checkpoints.manifest import (
    Manifest,
    PieceHashing,
    StoredFile,
    file_sha256,
    reader,
)


@pytest.fixture(params=[0, 300, 1000])
def checkpoint(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Hashed as a whole, in pieces the last of which is short, and in one piece."""
    (tmp_path / "shard").write_bytes(b"x" * 1000)
    digest = file_sha256(tmp_path / "shard", request.param)
    record = StoredFile("shard", 1000, digest, request.param)
    described = Manifest(7, 1, 2, 1.5, [record], 0.25, {"torch": "2"})
    (tmp_path / manifest.NAME).write_bytes(manifest.encode(described))
    return tmp_path


def check(folder: Path) -> Manifest:
    found = manifest.read(folder)
    manifest.verify(folder, found.files)
    return found


def test_a_whole_checkpoint_is_read_as_it_was_written(checkpoint: Path) -> None:
    found = check(checkpoint)
    assert (found.step, found.world_size, found.metric, found.total_bytes) == (7, 2, 0.25, 1000)


def change_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("name", ["shard", manifest.NAME])
@pytest.mark.parametrize("damage", [change_a_byte, cut_short, Path.unlink])
def test_a_damaged_one_is_refused(
    checkpoint: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(checkpoint / name)
    with pytest.raises(Damaged, match=checkpoint.name):
        check(checkpoint)


@pytest.mark.parametrize("tail", [b"", b"t", b"t" * 9000])
def test_what_is_hashed_in_memory_is_what_is_written(tmp_path: Path, tail: bytes) -> None:
    """Also where a piece begins in the memory and ends in what follows it."""
    memory = memoryview(mmap.mmap(-1, 12288))
    memory[:] = os.urandom(12288)
    hashing = PieceHashing(12288 + len(tail), reader(memory, tail), 5000)
    (tmp_path / "file").write_bytes(bytes(memory) + tail)
    assert hashing.result() == file_sha256(tmp_path / "file", 5000)


def test_a_manifest_of_before_pieces_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "shard").write_bytes(b"y" * 10)
    whole: dict[str, Any] = {
        "name": "shard",
        "size": 10,
        "sha256": hashlib.sha256(b"y" * 10).hexdigest(),
    }
    body: dict[str, Any] = {
        "version": 1,
        "step": 1,
        "claim": 1,
        "world_size": 1,
        "created": 1.0,
        "files": [whole],
    }
    body |= {"metric": None, "about": {}}
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    (tmp_path / manifest.NAME).write_text(json.dumps({**body, "digest": digest}))
    assert check(tmp_path).files == [StoredFile("shard", 10, whole["sha256"])]
