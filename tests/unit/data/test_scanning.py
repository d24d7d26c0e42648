"""Scanning: what lies in a folder becomes a manifest; only what changed is read again."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from diamond.core.errors import NotFound
from diamond.data.hashing import Hashed, Result, SavedState, hash_files
from diamond.data.manifest import FileEntry, FolderEntry, LinkEntry, load_manifest
from diamond.data.scanning import Progress, Scanned, scan
from diamond.data.walking import Problem, count_at_most, fingerprint_of, walk

OLD = time.time() - 1000
NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


def put(file: Path, content: bytes = b"x") -> Path:
    """A file that was written long ago."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    os.utime(file, (OLD, OLD))
    return file


def scanned(root: Path, *, recheck: bool = False) -> Scanned:
    aside = root.parent
    return scan(str(root), manifest=aside / "m", state=aside / "s", recheck=recheck)


def entries(root: Path) -> list[object]:
    done = scanned(root)
    assert not done.problems, done.problems
    return list(load_manifest(root.parent / "m", done.summary.digest))


def test_files_links_and_empty_folders_are_listed(root: Path) -> None:
    put(root / "a" / "one", b"hello")
    put(root / "run.sh", b"#!").chmod(0o755)
    (root / "empty").mkdir()
    (root / "link").symlink_to("a/one")
    assert entries(root) == [
        FileEntry("a/one", 5, hashlib.sha256(b"hello").hexdigest()),
        FolderEntry("empty"),
        LinkEntry("link", "a/one"),
        FileEntry("run.sh", 2, hashlib.sha256(b"#!").hexdigest(), True),
    ]


def test_a_single_file_is_a_tree_of_one(root: Path) -> None:
    file = put(root / "table.csv", b"1,2")
    done = scan(str(file), manifest=root / "m", state=root / "s")
    assert (done.summary.files, done.summary.size) == (1, 3)


def test_names_of_any_bytes_are_kept(root: Path) -> None:
    for name in (b"\xff\xfe", b"new\nline", "ünï".encode(), b"quote\"'", b"-rf"):
        (root / os.fsdecode(name)).write_bytes(name)
    assert len(entries(root)) == 5


def test_what_was_read_is_not_read_again(root: Path) -> None:
    put(root / "a", b"1" * 100)
    put(root / "b", b"2" * 100)
    first = scanned(root)
    again = scanned(root)
    assert (first.read, again.read) == (200, 0)
    assert first.summary == again.summary
    put(root / "b", b"3" * 50)
    changed = scanned(root)
    assert changed.read == 50 and changed.summary.digest != first.summary.digest
    assert scanned(root, recheck=True).read == 150


def test_a_file_that_was_just_written_is_read_again(root: Path) -> None:
    """Its mtime cannot tell a second change within the same tick."""
    (root / "a").write_bytes(b"1")
    first = scanned(root)
    assert not first.is_settled
    facts = (root / "a").stat()
    (root / "a").write_bytes(b"2")
    os.utime(root / "a", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert scanned(root).summary.digest != first.summary.digest


def test_a_cut_off_state_is_continued(root: Path) -> None:
    for number in range(10):
        put(root / str(number), b"x" * 100)
    scanned(root)
    state = root.parent / "s"
    state.write_bytes(state.read_bytes()[:-30])
    assert scanned(root).read == 100


def test_the_state_does_not_grow_without_end(root: Path) -> None:
    file = root / "a"
    state = SavedState(root.parent / "s")
    for number in range(3000):
        state_line = f"1 {number} 1\t{'0' * 64}\ta\0"
        with (root.parent / "s").open("a") as out:
            out.write(state_line)
    put(file)
    scanned(root)
    assert (root.parent / "s").stat().st_size < 1000
    state.load()
    assert set(state.known) == {"a"}


def test_what_cannot_be_part_of_a_tree_is_named(root: Path) -> None:
    put(root / "good")
    (root / "broken").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(root / "socket"))
    try:
        done = scanned(root)
    finally:
        listener.close()
    assert {(one.path, one.why.split()[1]) for one in done.problems} == {
        ("broken", "link"),
        ("pipe", "pipe,"),
        ("socket", "socket,"),
    }
    assert done.summary.digest == ""


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of an account that may not read everything, and this process as that account."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "data").mkdir()
        if os.geteuid():
            yield folder / "data"
            return
        for place in (folder, folder / "data"):
            os.chown(place, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield folder / "data"
        finally:
            os.seteuid(0)


def test_what_may_not_be_read_is_named(as_nobody: Path) -> None:
    put(as_nobody / "fine")
    put(as_nobody / "secret").chmod(0)
    put(as_nobody / "closed" / "inside")
    (as_nobody / "closed").chmod(0)
    problems = scanned(as_nobody).problems
    (as_nobody / "closed").chmod(0o700)
    assert [one.path for one in problems] == ["closed", "secret"]
    assert all("ermission denied" in one.why for one in problems), problems


def test_a_link_that_leaves_counts_as_what_it_leads_to(root: Path) -> None:
    outside = put(root.parent / "outside" / "deep" / "file", b"far")
    (root / "file").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    sha = hashlib.sha256(b"far").hexdigest()
    assert entries(root) == [FileEntry("file", 3, sha), FileEntry("folder/file", 3, sha)]


def test_a_link_that_leads_around_in_a_circle_is_named(root: Path) -> None:
    put(root / "a")
    (root / "again").symlink_to(root)
    assert "circle" in scanned(root).problems[0].why


def test_hard_links_are_files_each(root: Path) -> None:
    os.link(put(root / "a", b"1"), root / "b")
    assert [entry.path for entry in entries(root)] == ["a", "b"]  # type: ignore[attr-defined]


def test_a_file_that_changes_while_it_is_read_is_named(root: Path) -> None:
    """Somebody writes to it each time a part of it was read."""
    file = put(root / "growing", b"x" * (4 << 20))

    def write(_: int) -> None:
        with file.open("ab") as out:
            out.write(b"y")

    found: list[Result] = []
    hash_files(walk(str(root)).files, threads=2, done=found.extend, progress=write)
    assert found == [Problem("growing", "it changed while it was read")]


def test_a_file_that_changes_once_while_it_is_read_is_read_again(root: Path) -> None:
    file = put(root / "late", b"x" * (2 << 20))
    writes = iter([b"y"])

    def write(_: int) -> None:
        for content in writes:
            with file.open("ab") as out:
                out.write(content)

    found: list[Result] = []
    hash_files(walk(str(root)).files, threads=2, done=found.extend, progress=write)
    assert isinstance(found[0], Hashed)
    assert found[0].sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert found[0].file.size == (2 << 20) + 1


def test_the_fingerprint_sees_every_change(root: Path) -> None:
    put(root / "a", b"1")
    put(root / "b", b"1")
    seen = {walk(str(root)).fingerprint()}
    put(root / "a", b"22")
    seen.add(walk(str(root)).fingerprint())
    os.utime(root / "b", (OLD + 5, OLD + 5))
    seen.add(walk(str(root)).fingerprint())
    (root / "empty").mkdir()
    seen.add(walk(str(root)).fingerprint())
    (root / "link").symlink_to("a")
    seen.add(walk(str(root)).fingerprint())
    (root / "b").unlink()
    seen.add(walk(str(root)).fingerprint())
    assert len(seen) == 6


def test_the_quick_fingerprint_is_the_same(root: Path) -> None:
    put(root / "a" / "b", b"1")
    put(root / "\udcff", b"1")
    (root / "empty").mkdir()
    (root / "full" / "empty").mkdir(parents=True)
    assert fingerprint_of(str(root)) == walk(str(root)).fingerprint()
    (root / "link").symlink_to("a")
    assert fingerprint_of(str(root)) == walk(str(root)).fingerprint()
    file = str(root / "a" / "b")
    assert fingerprint_of(file) == walk(file).fingerprint()


def test_progress_knows_bytes_files_and_the_time_left(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diamond.data.scanning.REPORT_SECONDS", 0.0)
    for number in range(5):
        put(root / str(number), b"x" * (3 << 20))
    seen: list[Progress] = []
    scan(str(root), manifest=root.parent / "m", state=root.parent / "s", report=seen.append)
    assert seen[-1].files == 5 and seen[-1].size == 15 << 20
    assert any(0 < one.bytes < one.size and one.seconds_left > 0 for one in seen)


def test_counting_stops_at_the_limit(root: Path) -> None:
    for number in range(5):
        put(root / "f" / str(number), b"xx")
    assert count_at_most(str(root), most_bytes=10, most_files=5)
    assert not count_at_most(str(root), most_bytes=9, most_files=5)
    assert not count_at_most(str(root), most_bytes=10, most_files=4)


def test_a_folder_that_is_not_there_is_said(root: Path) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        walk(str(root / "nowhere"))
