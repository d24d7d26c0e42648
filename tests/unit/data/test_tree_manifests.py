"""Manifests: one tree has one manifest, and what comes from others is checked."""

from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.core.errors import BadRequest
from diamond.data import manifest
from diamond.data.manifest import (
    HEAD,
    Entry,
    FileEntry,
    FolderEntry,
    LinkEntry,
    find_file,
    link_stays_inside,
    load_manifest,
    read_manifest,
    sort_key,
    summarize,
    write_manifest,
)

SHA = "0" * 64
WIDE, LONG = "n" * 256, "n/" * 2100 + "n"
NAMES = st.text(min_size=1, max_size=8).filter(
    lambda name: (
        "/" not in name
        and "\0" not in name
        and name not in (".", "..")
        and not any(0xD800 <= ord(letter) <= 0xDFFF for letter in name)
    )
)


def written(*entries: Entry) -> bytes:
    out = io.BytesIO()
    write_manifest(entries, out)
    return out.getvalue()


def read(content: bytes) -> list[Entry]:
    return list(read_manifest(io.BytesIO(content)))


def test_a_manifest_is_read_as_it_was_written() -> None:
    entries: list[Entry] = [
        FileEntry("a", 1, SHA),
        FileEntry("b/\udcff\n", 2, SHA, True),
        FolderEntry("c"),
        LinkEntry("d/l", "../a"),
    ]
    content = written(*entries)
    assert read(content) == entries
    assert b'"b/\\udcff\\n"' in content


def test_its_digest_counts_bytes_files_and_folders(tmp_path: Path) -> None:
    content = written(FileEntry("x/y/a", 3, SHA), FileEntry("x/z/b", 4, SHA), FolderEntry("y"))
    file = tmp_path / "m"
    file.write_bytes(content)
    summary = summarize(file)
    assert (summary.size, summary.files, summary.entries) == (7, 2, 6)
    assert summary.digest == hashlib.sha256(content).hexdigest()
    assert load_manifest(file, summary.digest) == read(content)


@given(st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=20))
def test_any_names_survive(paths: list[list[str]]) -> None:
    joined = {"/".join(["d", *path, "f"]) for path in paths}
    plain = [
        path
        for path in sorted(joined, key=sort_key)
        if not any(other != path and other.startswith(path + "/") for other in joined)
    ]
    entries = [FileEntry(path, 0, SHA) for path in plain]
    assert read(written(*entries)) == entries


@pytest.mark.parametrize(
    "line",
    [
        f'["f","../x",1,"{SHA}"]',
        f'["f","/etc/passwd",1,"{SHA}"]',
        f'["f","a//b",1,"{SHA}"]',
        f'["f","a/./b",1,"{SHA}"]',
        f'["f","a\\u0000b",1,"{SHA}"]',
        f'["f","a\\ud800b",1,"{SHA}"]',
        f'["f","",1,"{SHA}"]',
        f'["f","a",-1,"{SHA}"]',
        f'["f","a",true,"{SHA}"]',
        f'["f","a",1.5,"{SHA}"]',
        '["f","a",1,"xyz"]',
        '["f","a",1]',
        f'["f",["a"],1,"{SHA}"]',
        '["l","a","../b"]',
        '["l","a","/etc"]',
        '["l","a/b","c/.."]',
        '["x","a"]',
        "{}",
        "[]",
        "nonsense",
        f'["f","{WIDE}",1,"{SHA}"]',
        f'["f","{LONG}",1,"{SHA}"]',
    ],
)
def test_a_hostile_line_is_rejected(line: str) -> None:
    with pytest.raises(BadRequest):
        read(HEAD + line.encode() + b"\n")


@pytest.mark.parametrize(
    "entries",
    [
        [FileEntry("b", 1, SHA), FileEntry("a", 1, SHA)],
        [FileEntry("a", 1, SHA), FileEntry("a", 1, SHA)],
        [FileEntry("a", 1, SHA), FileEntry("a/b", 1, SHA)],
        [LinkEntry("a", "b"), FileEntry("a/b", 1, SHA)],
        [FileEntry("a", 1, SHA), FileEntry("a-b", 1, SHA), FileEntry("a/b", 1, SHA)],
    ],
)
def test_entries_out_of_order_or_below_a_file_are_rejected(entries: list[Entry]) -> None:
    with pytest.raises(BadRequest):
        written(*entries)


def test_other_bytes_than_the_digest_says_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "m"
    file.write_bytes(written(FileEntry("a", 1, SHA)))
    with pytest.raises(BadRequest, match="other bytes"):
        load_manifest(file, "1" * 64)


@pytest.mark.parametrize(
    ("path", "target", "stays"),
    [
        ("l", "a", True),
        ("x/l", "../a", True),
        ("x/y/l", "../../a/b", True),
        ("l", "..", False),
        ("x/l", "../../a", False),
        ("l", "a/..", False),
        ("l", "", False),
        ("l", "/a", False),
        ("l", ".", True),
    ],
)
def test_a_link_stays_inside_by_its_words(path: str, target: str, stays: bool) -> None:
    assert link_stays_inside(path, target) is stays


def test_the_order_is_that_of_bytes() -> None:
    names = ["é", "\udc80", "z", "a"]
    assert sorted(names, key=sort_key) == ["a", "z", "\udc80", "é"]
    assert os.fsencode("\udc80") < os.fsencode("é")


def test_one_file_of_a_large_manifest_is_found_by_reading_little_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [
        f"{folder:03}/{'é' * (folder % 5)}{n:05}.bin" for folder in range(40) for n in range(500)
    ]
    entries = [
        FileEntry(path, n, f"{n:064x}") for n, path in enumerate(sorted(paths, key=sort_key))
    ]
    path = tmp_path / "manifest"
    with path.open("wb") as out:
        write_manifest(entries, out)
    parsed = 0

    def count(lines: list[bytes]) -> list[Any]:
        nonlocal parsed
        parsed += len(lines)
        return [json.loads(line) for line in lines]

    monkeypatch.setattr(manifest, "_parsed", count)
    for wanted in (entries[0], entries[1], entries[7777], entries[-2], entries[-1]):
        assert find_file(path, wanted.path) == wanted
    for absent in ("", "000", "000/", "999/x", "020/00000.bix", "\udcff"):
        assert find_file(path, absent) is None
    assert parsed < len(entries), "not even all of them once for eleven questions"
