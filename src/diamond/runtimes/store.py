"""Images of an endpoint by content: put in, found by recipe or digest, and verified before anything runs inside."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Iterator, List, Optional

from diamond.core.errors import ImageChanged, NotFound
from diamond.runtimes.places import Places, read_json, short, write_json
from diamond.runtimes.records import SUFFIXES, Record, record_data, record_from, stat_of

_CHUNK = 4 * 2**20


def keep_record(places: Places, record: Record) -> Record:
    """Take an image into the store: its file under its sha256, its record, and which recipe it came from."""
    if record.format == "venv":
        write_json(_record_file(places, record), record_data(record))
        remember(places, record)
        return record
    packed = Path(record.file)
    sha256 = file_sha256(packed)
    target = places.store / f"{sha256}{SUFFIXES[record.format]}"
    packed.chmod(0o444)
    packed.replace(target)
    stat = stat_of(target)
    done = replace(record, sha256=sha256, size=stat["size"], file=str(target), stat=stat)
    write_record(places, done)
    return done


def arrived(places: Places, record: Record, file: Path, *, sha256: str = "") -> Record:
    """Take in a file that came from elsewhere, after looking at all of it. Raises `ImageChanged`.

    `sha256` is told by who has read all of the file already, while it came.
    """
    if (sha256 or file_sha256(file)) != record.sha256:
        file.unlink(missing_ok=True)
        raise ImageChanged(
            f"The file that arrived is not {record.sha256[:12]}: it was changed on its way",
            "It was thrown away. Fetch it again.",
        )
    target = places.store / f"{record.sha256}{SUFFIXES[record.format]}"
    file.chmod(0o444)
    file.replace(target)
    done = replace(record, file=str(target), stat=stat_of(target), shared=False)
    write_record(places, done)
    return done


def remove(places: Places, record: Record) -> int:
    """Forget an image and free its bytes; a file that a group shares stays. Gives what was freed."""
    freed = 0
    file = Path(record.file)
    if record.format == "venv":
        freed = record.size
        shutil.rmtree(file, ignore_errors=True)
    elif not record.shared and file.is_file():
        freed = file.stat().st_size
        file.unlink(missing_ok=True)
    (places.store / f"{record.sha256}.json").unlink(missing_ok=True)
    told = read_json(_identity_file(places, record.identity, record.format))
    if told and not Path(told["record"]).exists():
        _identity_file(places, record.identity, record.format).unlink(missing_ok=True)
    return freed


def write_record(places: Places, record: Record) -> None:
    """What is known of an image, and which recipe led to it."""
    write_json(_record_file(places, record), record_data(record))
    remember(places, record)


def remember(places: Places, record: Record) -> None:
    """Let `find` know which image a recipe has led to."""
    file = _identity_file(places, record.identity, record.format)
    write_json(file, {"record": str(_record_file(places, record))})


def find(places: Places, identity: str, formats: List[str]) -> Optional[Record]:
    """The image of a recipe in the first of these formats that is here."""
    for one in formats:
        told = read_json(_identity_file(places, identity, one))
        record = read_json(Path(told["record"])) if told else None
        if record is not None and _is_there(record_from(record)):
            return record_from(record)
    return None


def find_file(places: Places, sha256: str) -> Optional[Record]:
    """The image with this digest."""
    record = read_json(places.store / f"{sha256.split(':')[-1]}.json")
    return record_from(record) if record and Path(record["file"]).exists() else None


def every(places: Places) -> Iterator[Record]:
    for file in [*places.store.glob("*.json"), *places.venvs.glob("*/record.json")]:
        record = read_json(file)
        if record is not None:
            yield record_from(record)


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
        return Path(record.file) / "record.json"
    return places.store / f"{record.sha256}.json"


def _identity_file(places: Places, identity: str, form: str) -> Path:
    return places.identities / f"{short(identity)}.{form}.json"
