"""Where an agent keeps things: keep (not purged), work (scratch), tmp (of this node)."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.agent.disk import read_json
from diamond.core.errors import BadRequest

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Folders:
    keep: Path
    work: Path
    tmp: Path

    @property
    def tasks(self) -> Path:
        return self.work / "tasks"

    @property
    def inbox(self) -> Path:
        return self.work / "inbox"

    @property
    def blobs(self) -> Path:
        return self.work / "blobs"

    @property
    def secrets(self) -> Path:
        return self.keep / "secrets"

    @property
    def settings(self) -> Path:
        return self.keep / "settings.json"

    @property
    def profile(self) -> Path:
        return self.keep / "profile.json"

    def make(self) -> None:
        """Make what is missing; only the owner may look inside."""
        for folder in (self.keep, self.secrets, self.work, self.tasks, self.inbox, self.blobs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def as_data(self) -> dict[str, str]:
        return {"keep": str(self.keep), "work": str(self.work), "tmp": str(self.tmp)}


def choose_folders(environment: Mapping[str, str], home: Path, endpoint: str = "") -> Folders:
    """`$DIAMOND_KEEP`, `$DIAMOND_WORK`, `$DIAMOND_TMP`, else `settings.json`, else what the site offers.

    Each endpoint has its own folders: clusters of one site may share a home, and one user may be
    served by two Diamonds.
    """
    own = environment.get("DIAMOND_KEEP") or _of_endpoint(home / ".diamond-agent", endpoint)
    keep = Path(own).absolute()
    chosen = _from_settings(keep)
    work = environment.get("DIAMOND_WORK") or chosen.get("work") or _scratch(environment, keep)
    tmp = environment.get("DIAMOND_TMP") or chosen.get("tmp") or tempfile.gettempdir()
    return Folders(keep=keep, work=Path(work).absolute(), tmp=Path(tmp).absolute())


def safe_id(value: Any) -> str:
    """An id that may become the name of a folder."""
    text = str(value)
    if not _ID.fullmatch(text):
        raise BadRequest(f"{text[:80]!r} is not an id", "Ids are letters, digits, - and _.")
    return text


def _of_endpoint(root: Path, endpoint: str) -> Path:
    """The folder of the endpoint named, or of the only one that is paired here."""
    if endpoint:
        return root / safe_id(endpoint)
    paired = sorted(file.parent for file in root.glob("*/agent.json"))
    if len(paired) == 1:
        return paired[0]
    if not paired:
        raise BadRequest("This machine is not paired yet", "Run: agent.pyz pair --url ADDRESS")
    raise BadRequest(
        "Several endpoints are paired here; say which",
        f"Add --endpoint and one of: {', '.join(folder.name for folder in paired)}",
    )


def _from_settings(keep: Path) -> dict[str, str]:
    folders = (read_json(keep / "settings.json") or {}).get("folders")
    return {k: str(v) for k, v in folders.items() if v} if isinstance(folders, dict) else {}


def _scratch(environment: Mapping[str, str], keep: Path) -> str:
    for name in ("SCRATCH", "WORK"):
        place = environment.get(name, "")
        if place and Path(place).is_dir() and os.access(place, os.W_OK):
            return str(Path(place) / "diamond" / keep.name)
    return str(keep / "work")
