"""Images of an endpoint by content: put in, found by digest, and verified before anything runs inside.

Only what was built here, or lies in a folder that the site or the person named, is found by its recipe too: whatever came
from elsewhere may claim any recipe. Every path is made below the store (`runtimes/below.py`), also one that a record names.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from diamond.core.errors import BadRequest, ImageChanged, NotFound
from diamond.runtimes.below import below, is_below
from diamond.runtimes.places import Places, read_json, short, write_json
from diamond.runtimes.records import SUFFIXES, VERSION, Record, record_data, record_from, stat_of

_CHUNK = 4 * 2**20


def keep_record(places: Places, record: Record) -> Record:
    """Take an image into the store: its file under its sha256, its record, and which recipe it came from."""
    if record.format == "venv":
        write_json(_record_file(places, record), record_data(record))
        remember(places, record)
        return record
    packed = Path(record.file)
    sha256 = file_sha256(packed)
    target = _store_file(places, sha256, record.format)
    packed.chmod(0o444)
    packed.replace(target)
    stat = stat_of(target)
    done = replace(record, sha256=sha256, size=stat["size"], file=str(target), stat=stat)
    write_record(places, done)
    remember(places, done)
    return done


def arrived(places: Places, record: Record, file: Path, *, sha256: str = "") -> Record:
    """Take in a file that came from elsewhere, after looking at all of it. Raises `ImageChanged`.

    `sha256` is given by a caller who has already read the whole file.
    """
    if (sha256 or file_sha256(file)) != record.sha256:
        file.unlink(missing_ok=True)
        raise ImageChanged(
            f"The file that arrived is not {record.sha256[:12]}: it was changed on its way",
            "It was thrown away. Fetch it again.",
        )
    known = find_file(places, record.sha256)
    if known is not None and known.is_from_here:
        file.unlink(missing_ok=True)
        return verify(places, known)
    target = _store_file(places, record.sha256, record.format)
    file.chmod(0o444)
    file.replace(target)
    done = replace(
        record,
        file=str(target),
        stat=stat_of(target),
        native="",
        shared=False,
        arrived=True,
        version=VERSION,
    )
    write_record(places, done)
    return done


def remove(places: Places, record: Record) -> int:
    """Forget an image and free its bytes; a file that a group shares stays. Gives what was freed."""
    freed = 0
    if record.format == "venv":
        freed = record.size
        shutil.rmtree(_venv_home(places, record), ignore_errors=True)
    elif not record.shared:
        file = _store_file(places, record.sha256, record.format)
        freed = file.stat().st_size if file.is_file() else 0
        file.unlink(missing_ok=True)
    below(places.store, f"{record.sha256}.json").unlink(missing_ok=True)
    pointer = _identity_file(places, record.identity, record.format)
    told = read_json(pointer)
    if told and not Path(str(told.get("record"))).exists():
        pointer.unlink(missing_ok=True)
    return freed


def write_record(places: Places, record: Record) -> None:
    """What is known of an image."""
    write_json(_record_file(places, record), record_data(record))


def remember(places: Places, record: Record) -> None:
    """Let `find` know which image a recipe has led to, here or in a folder that is trusted for it."""
    file = _identity_file(places, record.identity, record.format)
    write_json(file, {"record": str(_record_file(places, record))})


def find(places: Places, identity: str, formats: List[str]) -> Optional[Record]:
    """The image that was built here from a recipe, in the first of these formats that is here."""
    for one in formats:
        told = read_json(_identity_file(places, identity, one))
        place = str((told or {}).get("record"))
        record = _read(places, read_json(Path(place))) if is_below(places.root, place) else None
        if record is not None and record.is_from_here and _is_there(record):
            return record if record.identity == identity else None
    return None


def find_file(places: Places, sha256: str) -> Optional[Record]:
    """The image with this digest."""
    name = sha256.split(":")[-1]
    record = _read(places, read_json(below(places.store, f"{name}.json")))
    return record if record and record.sha256 == name and Path(record.file).exists() else None


def every(places: Places) -> Iterator[Record]:
    for file in [*places.store.glob("*.json"), *places.venvs.glob("*/record.json")]:
        record = _read(places, read_json(file))
        if record is not None:
            yield record


def _read(places: Places, told: Optional[Dict[str, Any]]) -> Optional[Record]:
    """A record of the store; None for one that is not whole, or names a file elsewhere."""
    try:
        record = record_from(told) if told is not None else None
        if record is None or record.shared:
            return record
        is_venv = record.format == "venv"
        place = (
            _venv_home(places, record)
            if is_venv
            else _store_file(places, record.sha256, record.format)
        )
    except BadRequest:
        return None
    return record if str(place) == record.file else None


def verify(places: Places, record: Record, *, fully: bool = False) -> Record:
    """Make sure that the file is the one that was built or received. Raises `ImageChanged`.

    In full when asked to, or when size, times or inode are not those of the last full look.
    """
    if record.format == "venv":
        return record
    file = Path(record.file)
    if not file.is_file():
        raise NotFound(f"The image file {file.name} is no longer there", "Build it again.")
    stat = stat_of(file)
    if stat == record.stat and not fully:
        return record
    if stat["size"] != record.size or file_sha256(file) != record.sha256:
        raise ImageChanged(
            f"The image file {file} is not what its digest says: it was changed or cut off",
            "Remove it, and build or fetch it again.",
        )
    fresh = replace(record, stat=stat)
    write_json(_record_file(places, record), record_data(fresh))
    return fresh


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _is_there(record: Record) -> bool:
    """The Python that a virtual environment links to may have gone: sites remove old ones."""
    if record.format == "venv" and record.path:
        return os.access(Path(record.path[0]) / "python", os.X_OK)
    return Path(record.file).exists()


def _record_file(places: Places, record: Record) -> Path:
    if record.format == "venv":
        return below(_venv_home(places, record), "record.json")
    return below(places.store, f"{record.sha256}.json")


def _venv_home(places: Places, record: Record) -> Path:
    return below(places.venvs, short(record.identity))


def _store_file(places: Places, sha256: str, form: str) -> Path:
    return below(places.store, f"{sha256}{SUFFIXES[form]}")


def _identity_file(places: Places, identity: str, form: str) -> Path:
    return below(places.identities, f"{short(identity)}.{form}.json")
