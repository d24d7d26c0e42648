"""How to reach an endpoint again: one small file for each, in $DIAMOND_HOME/endpoints."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from diamond.core.errors import NotFound


@dataclass(frozen=True)
class SavedLink:
    """What `endpoint connect` needs; `key` is good for this endpoint alone."""

    name: str
    endpoint: str
    """Its id: the agent's folder over there is called so."""
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
            f"This machine has no connection to {name} written down",
            f"Add it here: diamond endpoint add {name} --ssh HOST. Is it this very machine? diamond endpoint start {name}",
        ) from None


def forget_link(home: Path, name: str) -> None:
    for ending in ("json", "key", "pid"):
        (links_folder(home) / f"{name}.{ending}").unlink(missing_ok=True)


def write_private(path: Path, text: str) -> Path:
    """Never readable by others, not even for a moment."""
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.unlink(missing_ok=True)
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    return aside.replace(path)


def bridge_pid(home: Path, name: str) -> int | None:
    """The live bridge of an endpoint, by a lock that ends with it."""
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
    """Say that this process is the endpoint's bridge, for as long as the answer is kept."""
    import fcntl

    file = (links_folder(home) / f"{name}.pid").open("a+")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file
