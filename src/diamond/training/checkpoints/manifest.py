"""The manifest of a checkpoint: every file with size and sha256. A folder without one is not a checkpoint."""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional

from diamond.training.checkpoints.errors import Damaged

NAME = "manifest.json"
VERSION = 1
PIECE_BYTES = 8 << 20
MOST_THREADS = 4
Read = Callable[[int, int], Any]
"""The bytes from an offset on, so many."""


@dataclass(frozen=True)
class StoredFile:
    """One file of a checkpoint, as it was written."""

    name: str
    size: int
    sha256: str
    piece_bytes: int = 0
    """Above 0, `sha256` is the digest over those of pieces of this size, which several cores share; else of the whole file."""


@dataclass(frozen=True)
class Manifest:
    step: int
    claim: int
    world_size: int
    created: float
    """Seconds since the epoch."""
    files: List[StoredFile]
    metric: Optional[float] = None
    about: Dict[str, str] = field(default_factory=dict)
    """Versions and who wrote it, for people."""

    @property
    def total_bytes(self) -> int:
        return sum(record.size for record in self.files)


def encode(manifest: Manifest) -> bytes:
    """Readable JSON; `digest` covers everything else."""
    body = {"version": VERSION, **asdict(manifest)}
    return json.dumps({**body, "digest": _digest(body)}, indent=1, sort_keys=True).encode()


def read(folder: Path) -> Manifest:
    """The manifest of a checkpoint; raises Damaged if it is missing or incomplete."""
    try:
        body = json.loads((folder / NAME).read_bytes())
        claimed = body.pop("digest")
        if body.pop("version") != VERSION or claimed != _digest({"version": VERSION, **body}):
            raise Damaged(f"{folder.name}: the manifest was changed")
        files = [StoredFile(**record) for record in body.pop("files")]
        return Manifest(files=files, **body)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{folder.name}: no readable manifest ({error})") from error


def verify(folder: Path, records: Iterable[StoredFile]) -> None:
    """Compare files with the manifest, sizes first because that is cheap; raises Damaged."""
    records = list(records)
    for record in records:
        _check_size(folder, record)
    for record in records:
        if file_sha256(folder / record.name, record.piece_bytes) != record.sha256:
            raise Damaged(f"{folder.name}: the content of {record.name} was changed")


def file_sha256(path: Path, piece_bytes: int = 0) -> str:
    with path.open("rb") as file:
        if piece_bytes > 0:
            size = os.fstat(file.fileno()).st_size
            hashing = PieceHashing(
                size, lambda offset, length: os.pread(file.fileno(), length, offset), piece_bytes
            )
            return hashing.result()
        digest = hashlib.sha256()
        for piece in iter(lambda: file.read(PIECE_BYTES), b""):
            digest.update(piece)
    return digest.hexdigest()


class PieceHashing:
    """Hashes pieces at the same time as something else: one core hashes half as fast as a disk of today writes."""

    def __init__(self, size: int, read: Read, piece_bytes: int = PIECE_BYTES) -> None:
        self._pool = ThreadPoolExecutor(min(MOST_THREADS, _cores()))
        self._digests = [
            self._pool.submit(_piece_digest, read, offset, min(piece_bytes, size - offset))
            for offset in range(0, size, piece_bytes)
        ]

    def result(self) -> str:
        """Waits for all pieces."""
        with self._pool:
            digests = [digest.result() for digest in self._digests]
        return hashlib.sha256(b"".join(digests)).hexdigest()


def reader(image: memoryview, tail: bytes) -> Read:
    """Of a file that is `image`, then `tail`."""

    def read(offset: int, length: int) -> Any:
        end = offset + length - len(image)
        if end <= 0:
            return image[offset : offset + length]
        return bytes(image[offset:]) + tail[max(0, end - length) : end]

    return read


def _piece_digest(read: Read, offset: int, length: int) -> bytes:
    return hashlib.sha256(read(offset, length)).digest()


def _cores() -> int:
    """Those that this process may use: a job rarely has all of a node."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check_size(folder: Path, record: StoredFile) -> None:
    try:
        size = (folder / record.name).stat().st_size
    except OSError as error:
        raise Damaged(f"{folder.name}: {record.name} cannot be read ({error})") from error
    if size != record.size:
        raise Damaged(f"{folder.name}: {record.name} has {size} bytes instead of {record.size}")


def _digest(body: Dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
