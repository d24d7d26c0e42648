"""Data on a node's own disk: filled once, verified, shared by all jobs there, removed when others need the room."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, DataChanged
from diamond.data import node_cache
from diamond.data.node_cache import cache_folder, fill
from diamond.data.scanning import scan

ENDED = 2**22 + 1
"""No process has this number."""


def tree(place: Path, name: str, content: bytes) -> tuple[Path, Path, str]:
    """Source, manifest and digest."""
    source = place / name
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "file").write_bytes(content)
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o755)
    manifest = place / f"{name}.manifest"
    done = scan(str(source), manifest=manifest, state=place / f"{name}.state")
    return source, manifest, done.summary.digest


def test_the_first_job_fills_it_and_the_next_ones_read_it(tmp_path: Path) -> None:
    source, manifest, digest = tree(tmp_path, "a", b"content")
    target = cache_folder(tmp_path / "tmp") / digest
    assert "was copied" in fill(os.getpid(), manifest, source, target)
    assert (target / "deep" / "file").read_bytes() == b"content"
    assert (target / "run").stat().st_mode & 0o777 == 0o555
    inode = (target / "run").stat().st_ino
    assert "already" in fill(os.getpid(), manifest, source, target)
    assert (target / "run").stat().st_ino == inode
    assert [file.name for file in node_cache._users(target).iterdir()] == [str(os.getpid())]


def test_jobs_that_begin_together_fill_it_once(tmp_path: Path) -> None:
    source, manifest, digest = tree(tmp_path, "a", os.urandom(1 << 20))
    target = cache_folder(tmp_path / "tmp") / digest
    said: list[str] = []
    threads = [
        threading.Thread(target=lambda: said.append(fill(os.getpid(), manifest, source, target)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("was copied" in one for one in said) == 1 and len(said) == 4


def test_other_bytes_than_the_manifest_says_are_not_cached(tmp_path: Path) -> None:
    source, manifest, digest = tree(tmp_path, "a", b"content")
    (source / "deep" / "file").write_bytes(b"CONTENT")
    target = cache_folder(tmp_path / "tmp") / digest
    with pytest.raises(DataChanged, match="deep/file"):
        fill(os.getpid(), manifest, source, target)
    assert not target.exists()


def test_what_no_job_reads_makes_room_least_used_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cache_folder(tmp_path / "tmp")
    targets = []
    for name, reader in (("old", ENDED), ("read", os.getpid()), ("new", ENDED)):
        source, manifest, digest = tree(tmp_path, name, name.encode())
        targets.append(folder / digest)
        fill(reader, manifest, source, folder / digest)
    old, read, new = targets
    for age, one in ((300, old), (400, read), (100, new)):
        os.utime(node_cache._users(one), (1e9 - age, 1e9 - age))
    monkeypatch.setattr(node_cache, "_free", lambda _: 10 if old.exists() else 1000)
    assert node_cache.make_room(folder, 500) == 1
    assert not old.exists() and read.exists() and new.exists()
    monkeypatch.setattr(node_cache, "_free", lambda _: 10)
    assert node_cache.make_room(folder, 500) == 1
    assert read.exists(), "a job reads it"


def test_a_node_without_room_reads_it_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, manifest, digest = tree(tmp_path, "a", b"content")
    target = cache_folder(tmp_path / "tmp") / digest
    monkeypatch.setattr(node_cache, "_free", lambda _: 0)
    assert "no room" in fill(os.getpid(), manifest, source, target)
    assert target.is_symlink() and (target / "deep" / "file").read_bytes() == b"content"
    monkeypatch.undo()
    assert "was copied" in fill(os.getpid(), manifest, source, target)
    assert not target.is_symlink()


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    source, manifest, digest = tree(tmp_path, "a", b"content")
    folder = cache_folder(tmp_path)
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(BadRequest, match="others may write"):
        fill(os.getpid(), manifest, source, folder / digest)
