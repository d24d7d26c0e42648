"""The manifest of a checkpoint: every file with size and sha256. A folder without one is not a checkpoint."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Dict, Iterable, List, Optional

from diamond.training.checkpoints.errors import Damaged

NAME = "manifest.json"
VERSION = 1
_PIECE_BYTES = 8 << 20


@dataclass(frozen=True)
class StoredFile:
    """One file of a checkpoint, as it was written."""

    name: str
    size: int
    sha256: str


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
        if file_sha256(folder / record.name) != record.sha256:
            raise Damaged(f"{folder.name}: the content of {record.name} was changed")


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for piece in iter(lambda: file.read(_PIECE_BYTES), b""):
            digest.update(piece)
    return digest.hexdigest()


def _check_size(folder: Path, record: StoredFile) -> None:
    try:
        size = (folder / record.name).stat().st_size
    except OSError as error:
        raise Damaged(f"{folder.name}: {record.name} cannot be read ({error})") from error
    if size != record.size:
        raise Damaged(f"{folder.name}: {record.name} has {size} bytes instead of {record.size}")


def _digest(body: Dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
