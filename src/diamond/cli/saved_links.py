"""Saved ssh connections to endpoints: one small file each in $DIAMOND_HOME/endpoints."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from diamond.core.errors import NotFound


@dataclass(frozen=True)
class SavedLink:
    """What `endpoint connect` needs; `key` is only valid for this endpoint."""

    name: str
    endpoint: str
    """The endpoint's id, which is also the name of the agent's folder there."""
    url: str
    key: str = field(repr=False)
    ssh_host: str = ""
    ssh_config: str = ""
    ssh_options: list[str] = field(default_factory=list)
    python: str = ""


def links_folder(home: Path) -> Path:
    folder = home / "endpoints"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def save_link(home: Path, link: SavedLink) -> None:
    write_private(links_folder(home) / f"{link.name}.json", json.dumps(asdict(link)))


def load_link(home: Path, name: str) -> SavedLink:
    try:
        read = json.loads((links_folder(home) / f"{name}.json").read_text())
        return SavedLink(**read)
    except (OSError, ValueError, TypeError):
        raise NotFound(
            f"This machine has no saved connection to {name}",
            f"Add it: diamond endpoint add {name} --ssh HOST. If {name} is this machine: diamond endpoint start {name}",
        ) from None


def forget_link(home: Path, name: str) -> None:
    for ending in ("json", "key", "pid"):
        (links_folder(home) / f"{name}.{ending}").unlink(missing_ok=True)


def write_private(path: Path, text: str) -> Path:
    """Write a file that others can never read, not even for a moment."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    return temporary.replace(path)


def bridge_pid(home: Path, name: str) -> int | None:
    """The process id of an endpoint's running bridge, which holds a lock while it lives."""
    import fcntl

    path = links_folder(home) / f"{name}.pid"
    try:
        with path.open("r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return None
            except OSError:
                return int(file.read() or 0) or None
    except (OSError, ValueError):
        return None


def lock_pid_file(home: Path, name: str) -> object:
    """Mark this process as the endpoint's bridge for as long as the returned object exists."""
    import fcntl

    file = (links_folder(home) / f"{name}.pid").open("a+")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file
