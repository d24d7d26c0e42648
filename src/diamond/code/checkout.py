"""Lays a snapshot out from its blobs; nothing is ever written outside the target folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import IO, Any, Dict, List, Mapping, Set

from diamond.core.errors import BadRequest, Conflict

_HEX = re.compile(r"[0-9a-f]{64}\Z")
CHUNK = 1 << 20
MOST_HOPS = 40
"""Links that Linux follows in one path."""


def blob_path(blobs: Path, hex_digest: str) -> Path:
    """Where a blob is below the folder of all blobs."""
    return blobs / "sha256" / hex_digest[:2] / hex_digest


def missing_blobs(manifest: bytes, blobs: Path) -> List[str]:
    """The hex digests that a checkout would need and `blobs` does not hold, each once."""
    wanted = {str(entry["sha256"]) for entry in read_manifest(manifest) if "sha256" in entry}
    return sorted(blob for blob in wanted if not blob_path(blobs, blob).is_file())


def unpack_blobs(stream: IO[bytes], blobs: Path) -> List[str]:
    """Store the members of a tar stream, named by their hex digests; each is checked, then renamed."""
    stored: List[str] = []
    (blobs / "sha256").mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is None or not _HEX.match(member.name):
                raise BadRequest(f"{member.name!r} is not the name of a blob")
            _store(content, member.name, blobs)
            stored.append(member.name)
    return stored


def checkout(manifest: bytes, blobs: Path, target: Path) -> None:
    """Write every file and link of the manifest below `target`; repeating it gives the same folder.

    Raises `BadRequest` for a path that would leave the folder, before anything is written, and
    `Conflict` when a blob is missing.
    """
    entries = read_manifest(manifest)
    check_paths(entries)
    target.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        parent = _make_parents(target, str(entry["path"]))
        place = parent / str(entry["path"]).rsplit("/", 1)[-1]
        if "link" in entry:
            _place_link(str(entry["link"]), place)
        else:
            _place_file(blob_path(blobs, str(entry["sha256"])), place, str(entry["mode"]))


def read_manifest(manifest: bytes) -> List[Dict[str, Any]]:
    """The entries of a manifest whose shape is right."""
    try:
        read = json.loads(manifest)
        entries = read["files"]
        right = read["version"] == 1 and all(_is_entry(entry) for entry in entries)
    except (ValueError, KeyError, TypeError, RecursionError):
        right = False
    if not right:
        raise BadRequest("This is not a code manifest that this version of Diamond can read")
    return list(entries)


def check_paths(entries: List[Dict[str, Any]]) -> None:
    """Refuse any path that is absolute, climbs, or passes through a link of the same snapshot."""
    links = {str(entry["path"]): str(entry["link"]) for entry in entries if "link" in entry}
    for entry in entries:
        path = str(entry["path"])
        if not _stays_inside(path) or _parents(path) & links.keys():
            raise BadRequest(f"The path {path!r} leads outside of the code folder")
        if "link" in entry and not _link_stays_inside(path, links):
            raise BadRequest(f"The link {path!r} leads outside of the code folder")


def _is_entry(entry: Dict[str, Any]) -> bool:
    if not isinstance(entry["path"], str):
        return False
    if "link" in entry:
        return isinstance(entry["link"], str)
    return entry["mode"] in ("644", "755") and bool(_HEX.match(entry["sha256"]))


def _stays_inside(path: str) -> bool:
    parts = path.split("/")
    return "\0" not in path and all(part not in ("", ".", "..") for part in parts)


def _link_stays_inside(path: str, links: Mapping[str, str]) -> bool:
    """Followed as the kernel follows it, through the other links: `..` after a link leaves the folder it leads to."""
    here, ahead, hops = path.split("/")[:-1], [path.split("/")[-1]], 0
    while ahead:
        name = ahead.pop()
        if name in ("", "."):
            continue
        if name == "..":
            if not here:
                return False
            here.pop()
            continue
        target = links.get("/".join([*here, name]))
        if target is None:
            here.append(name)
            continue
        if not target or "\0" in target or target.startswith("/"):
            return False
        hops += 1
        if hops > MOST_HOPS:
            return True  # No program can follow it either.
        ahead += reversed(target.split("/"))
    return True


def _parents(path: str) -> Set[str]:
    parts = path.split("/")
    return {"/".join(parts[:n]) for n in range(1, len(parts))}


def _make_parents(target: Path, path: str) -> Path:
    """A link that stands where a folder must be (left by a program, say) is replaced, never followed."""
    folder = target
    for part in path.split("/")[:-1]:
        folder = folder / part
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            folder.unlink()
        folder.mkdir(exist_ok=True)
    return folder


def _place_link(goal: str, place: Path) -> None:
    aside = place.with_name(f".{os.getpid()}.diamond-link")
    if os.path.lexists(aside):
        aside.unlink()
    _clear(place)
    aside.symlink_to(goal)
    aside.replace(place)


def _place_file(blob: Path, place: Path, mode: str) -> None:
    _clear(place)
    handle, name = tempfile.mkstemp(dir=str(place.parent), prefix=".diamond-")
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as copy, blob.open("rb") as source:
            shutil.copyfileobj(source, copy, CHUNK)
        aside.chmod(int(mode, 8))
        aside.replace(place)
    except BaseException as error:
        aside.unlink()
        if isinstance(error, FileNotFoundError):
            raise Conflict(
                f"The blob {blob.name} is not here", "Fetch it, then check out again."
            ) from error
        raise


def _clear(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)


def _store(content: IO[bytes], name: str, blobs: Path) -> None:
    place = blob_path(blobs, name)
    place.parent.mkdir(exist_ok=True)
    handle, aside_name = tempfile.mkstemp(dir=str(place.parent), prefix=".new-")
    aside = Path(aside_name)
    try:
        with os.fdopen(handle, "wb") as copy:
            digest = _copy_hashed(content, copy)
        if digest != name:
            raise BadRequest(
                f"The bytes of blob {name[:12]}… are not what its name says", "Send it again."
            )
        aside.replace(place)
    except BaseException:
        aside.unlink()
        raise


def _copy_hashed(source: IO[bytes], copy: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while True:
        chunk = source.read(CHUNK)
        if not chunk:
            return digest.hexdigest()
        digest.update(chunk)
        copy.write(chunk)
