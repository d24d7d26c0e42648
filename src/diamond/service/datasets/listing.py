"""One folder of a tree, read from its manifest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from diamond.core.errors import NotFound
from diamond.data.manifest import Entry, FileEntry, FolderEntry, LinkEntry, read_manifest
from diamond.service.datasets import schemas


def list_folder(
    path: Path, folder: str, after: str, limit: int
) -> tuple[list[schemas.DatasetFile], str | None]:
    """The entries of a folder behind `after`, and the name to continue with. Blocks."""
    entries: list[schemas.DatasetFile] = []
    is_there = not folder
    for name, group in _by_name(path, folder):
        is_there = True
        if after and os.fsencode(name) <= os.fsencode(after):
            continue
        if len(entries) == limit:
            return entries, entries[-1].name
        entries.append(_shown(name, group))
    if not is_there:
        raise NotFound(f"There is no folder {folder[:200]!r} in it", "Begin at the top.")
    return entries, None


def _by_name(path: Path, folder: str) -> Iterator[tuple[str, list[tuple[str, Entry]]]]:
    """What is in the folder, by the first part of its path below it.

    In the order of bytes `a-b` stands between `a` and `a/b`, so the parts of one folder can be apart: they are put together.
    """
    below = f"{folder}/" if folder else ""
    with path.open("rb") as source:
        inside = [
            (entry.path[len(below) :], entry)
            for entry in read_manifest(source)
            if entry.path.startswith(below) and entry.path != folder
        ]
    inside.sort(key=lambda item: os.fsencode(item[0].partition("/")[0]))
    for name, group in groupby(inside, key=lambda item: item[0].partition("/")[0]):
        yield name, list(group)


def _shown(name: str, group: list[tuple[str, Entry]]) -> schemas.DatasetFile:
    rest, entry = group[0]
    if rest != name:
        files = [one for _, one in group if isinstance(one, FileEntry)]
        return schemas.DatasetFile(
            name=_text(name), kind="folder", size=sum(one.size for one in files), files=len(files)
        )
    if isinstance(entry, LinkEntry):
        return schemas.DatasetFile(name=_text(name), kind="link", target=_text(entry.target))
    if isinstance(entry, FolderEntry):
        return schemas.DatasetFile(name=_text(name), kind="folder")
    return schemas.DatasetFile(name=_text(name), kind="file", size=entry.size, sha256=entry.sha256)


def _text(name: str) -> str:
    """As JSON can carry it: bytes that are not UTF-8 are shown as \\xNN."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
