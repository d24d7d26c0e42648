"""A folder in which a group of people keeps its images: looked in first, and one file for all of them.

It is group-writable, with the sticky bit: nobody removes or replaces another's file. A member could still change a file of
her own after others have verified it, so theirs is looked at again at every start (`runtimes/entering.py`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat as modes
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from diamond.core.errors import EnvironmentFailed
from diamond.runtimes.places import Places, read_json, short, write_whole
from diamond.runtimes.records import SUFFIXES, Record, record_data, record_from, stat_of
from diamond.runtimes.store import remember, write_record

FOLDER_MODE, FILE_MODE = 0o3770, 0o440
"""Of the group alone; new files get the folder's group."""
SHARED = ("squashfs",)
"""podman keeps its own storage beside an archive, and a virtual environment is no file."""
_HEX = re.compile(r"[0-9a-f]{64}")
_CHUNK = 4 * 2**20


def group_places(shared: str, own: Places) -> Optional[Places]:
    """The group's folders; None where the site names none."""
    if not shared:
        return None
    places = Places(Path(shared), own.tmp)
    if not places.root.is_dir():
        raise EnvironmentFailed(
            f"The shared image folder {shared} is not there",
            "Make it, writable for the group: mkdir -m 3770 FOLDER; chgrp GROUP FOLDER.",
        )
    for place in (places.store, places.identities):
        _make(place)
    return places


def share(group: Places, own: Places, record: Record) -> Record:
    """Move a file that was built here into the group's folder; one's own record leads there."""
    if record.format not in SHARED:
        return record
    target = group.store / f"{record.sha256}{SUFFIXES[record.format]}"
    source = Path(record.file)
    if not target.exists():
        _move(source, target)
    elif source != target:
        source.unlink(missing_ok=True)
    done = replace(record, file=str(target), stat=stat_of(target), shared=True)
    _publish(group, done)
    write_record(own, done)
    return done


def take_shared(group: Places, own: Places, identity: str, formats: List[str]) -> Optional[Record]:
    """The group's image of a recipe, verified in full, as one's own record; None where there is none."""
    for pointer in sorted(group.identities.glob(f"{short(identity)}.*.json")):
        told = read_json(pointer) or {}
        sha256 = str(told.get("sha256", ""))
        if told.get("format") not in formats or not _HEX.fullmatch(sha256):
            continue
        found = take_shared_file(group, own, sha256)
        if found is not None and found.identity == identity:
            remember(own, found)
            return found
    return None


def take_shared_file(group: Places, own: Places, sha256: str) -> Optional[Record]:
    """The group's file with this digest, verified through the open file; None for one that is not what it says."""
    told = read_json(group.store / f"{sha256}.json")
    if told is None or told.get("format") not in SUFFIXES:
        return None
    record = record_from(told)
    file = group.store / f"{sha256}{SUFFIXES[record.format]}"
    looked = _looked_at(file)
    if looked is None or looked[0] != sha256:
        return None
    done = replace(record, sha256=sha256, file=str(file), stat=looked[1], shared=True)
    write_record(own, done)
    return done


def unpublish(file: Path) -> None:
    """Take one's own file out of the group's folder, with what leads to it."""
    pointers = file.parents[1].joinpath("identities").glob(f"*.{file.stem[:12]}.json")
    for one in [*pointers, file.with_suffix(".json"), file]:
        try:
            one.unlink()
        except OSError:
            continue


def _looked_at(file: Path) -> Optional[Tuple[str, Dict[str, int]]]:
    """The digest of a file and how it stood; None where it is no plain file or changed meanwhile."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as source:
        before = os.fstat(descriptor)
        if not modes.S_ISREG(before.st_mode):
            return None
        digest = hashlib.sha256()
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
        if _times(os.fstat(descriptor)) != _times(before):
            return None
    return digest.hexdigest(), _times(before)


def _times(found: os.stat_result) -> Dict[str, int]:
    return {
        "size": found.st_size,
        "mtime_ns": found.st_mtime_ns,
        "ctime_ns": found.st_ctime_ns,
        "inode": found.st_ino,
    }


def _make(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(FOLDER_MODE)


def _move(source: Path, target: Path) -> None:
    """By copying: a file that is renamed would keep its maker's group."""
    aside = target.with_name(f".{target.name}.{os.getpid()}")
    with source.open("rb") as read, aside.open("wb") as write:
        while chunk := read.read(_CHUNK):
            write.write(chunk)
    aside.chmod(FILE_MODE)
    aside.replace(target)
    source.unlink()


def _publish(group: Places, record: Record) -> None:
    """For the others: what it is, and which recipe led to it. What somebody has said already stays."""
    told = group.store / f"{record.sha256}.json"
    pointer = group.identities / f"{short(record.identity)}.{record.sha256[:12]}.json"
    leads = {"sha256": record.sha256, "format": record.format}
    for file, value in ((told, record_data(record)), (pointer, leads)):
        if not file.exists():
            write_whole(file, _json(value))
            file.chmod(FILE_MODE)


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()
