"""Downloading the files of a tree: in parts that continue, each file verified before it bears its name."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from diamond.core.errors import BadRequest, DataChanged
from diamond.data.manifest import Entry, FileEntry, FolderEntry, LinkEntry, read_manifest
from diamond.sdk.transport import Transport

Progress = Callable[[int, int], None]
BLOCK = 1 << 20


def pull(transport: Transport, version: str, folder: Path, on_progress: Progress) -> Path:
    """`version`: the path of the version in the API."""
    manifest = transport.call("GET", f"{version}/manifest").body
    entries = list(read_manifest(io.BytesIO(manifest)))
    size = sum(entry.size for entry in entries if isinstance(entry, FileEntry))
    folder.mkdir(parents=True, exist_ok=True)
    done = 0
    for entry in entries:
        place = _place(folder, entry)
        if isinstance(entry, FileEntry):
            for count in _fetch(transport, version, entry, place):
                on_progress(done + count, size)
            done += entry.size
        elif isinstance(entry, LinkEntry):
            _link(place, entry.target)
    on_progress(size, size)
    return folder


def _place(folder: Path, entry: Entry) -> Path:
    """Below the folder: the manifest's paths are plain (`data/manifest.py`), links on the way are not followed."""
    place = folder
    names = entry.path.split("/")
    for name in names if isinstance(entry, FolderEntry) else names[:-1]:
        place = place / name
        if place.is_symlink():
            raise BadRequest(f"{place} is a link", "Choose an empty folder.")
        place.mkdir(exist_ok=True)
    return place if isinstance(entry, FolderEntry) else place / names[-1]


def _fetch(transport: Transport, version: str, entry: FileEntry, place: Path) -> Iterator[int]:
    """Yields how much of it is here."""
    if place.is_file() and not place.is_symlink() and _sha256(place) == entry.sha256:
        yield entry.size
        return
    part = place.with_name(f".{place.name}.part")
    if part.exists() and part.stat().st_size > entry.size:
        part.unlink()
    with part.open("ab") as sink:
        start = sink.tell()
        query = {"path": entry.path, "start": start}
        if start < entry.size or not entry.size:
            stream, connection = transport.open(f"{version}/content", query=query)
            with contextlib.closing(connection):
                while block := stream.read(BLOCK):
                    sink.write(block)
                    yield min(sink.tell(), entry.size)
    if _sha256(part) != entry.sha256:
        part.unlink()
        raise DataChanged(
            f"{entry.path} arrived with other bytes than its digest says", "Pull it again."
        )
    part.chmod(0o755 if entry.is_executable else 0o644)
    part.replace(place)


def _link(place: Path, target: str) -> None:
    if place.is_symlink() and os.readlink(place) == target:  # noqa: PTH115
        return
    place.unlink(missing_ok=True)
    place.symlink_to(target)


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while block := source.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
