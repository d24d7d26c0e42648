"""Whatever happens to a checkpoint's files, the manifest tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.errors import Damaged
from diamond.training.checkpoints.manifest import Manifest, StoredFile, file_sha256


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    (tmp_path / "shard").write_bytes(b"x" * 1000)
    record = StoredFile("shard", 1000, file_sha256(tmp_path / "shard"))
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
