"""What is known of an image: a small JSON record beside its file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Dict, List

SUFFIXES = {"squashfs": ".sqfs", "docker-archive": ".tar", "venv": ""}


@dataclass(frozen=True)
class Record:
    identity: str
    format: str
    runtime: str
    """The one that built it."""
    sha256: str
    """Of the file, in hex; of the installed list for a virtual environment."""
    size: int
    platform: str
    file: str
    """The file, or the folder of a virtual environment; absolute."""
    base: Dict[str, str] = field(default_factory=dict)
    """`reference` as the person wrote it, and `digest`."""
    python: str = ""
    packages: Dict[str, Dict[str, str]] = field(default_factory=dict)
    """`python` and `system`: names with versions."""
    variables: Dict[str, str] = field(default_factory=dict)
    labels: Dict[str, str] = field(default_factory=dict)
    path: List[str] = field(default_factory=list)
    """Folders in front of PATH inside."""
    built: Dict[str, Any] = field(default_factory=dict)
    """`at`, `host`, `user`, `build`, `seconds`."""
    stat: Dict[str, int] = field(default_factory=dict)
    """Size, times and inode as they were when the file was last verified in full."""
    native: str = ""
    """The id that the runtime itself knows it by (podman, docker)."""
    shared: bool = False
    """Whether the file lies in a folder that a group of people writes."""
    version: int = 1


def record_data(record: Record) -> Dict[str, Any]:
    return asdict(record)


def record_from(data: Dict[str, Any]) -> Record:
    known = Record.__dataclass_fields__
    return Record(**{name: value for name, value in data.items() if name in known})


def stat_of(path: Path) -> Dict[str, int]:
    """What changes when somebody touches the file."""
    found = path.stat()
    return {
        "size": found.st_size,
        "mtime_ns": found.st_mtime_ns,
        "ctime_ns": found.st_ctime_ns,
        "inode": found.st_ino,
    }
