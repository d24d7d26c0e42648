"""Where images and everything about them is on an endpoint, and small files that are whole or absent."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional


@dataclass(frozen=True)
class ImageFolders:
    """`$WORK/images` and the tmp folder of this node."""

    root: Path
    tmp: Path

    @property
    def store(self) -> Path:
        return self.root / "store"

    @property
    def identities(self) -> Path:
        return self.root / "identities"

    @property
    def venvs(self) -> Path:
        return self.root / "venvs"

    @property
    def bases(self) -> Path:
        return self.root / "bases"

    @property
    def locks(self) -> Path:
        return self.root / "locks"

    @property
    def layers(self) -> Path:
        return self.root / "layers"

    @property
    def building(self) -> Path:
        return self.root / "building"

    @property
    def blobs(self) -> Path:
        return self.root.parent / "blobs"

    @property
    def cache(self) -> Path:
        return self.root.parent / "cache"

    def make(self) -> None:
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for place in (self.store, self.identities, self.venvs, self.bases, self.locks):
            place.mkdir(exist_ok=True)
        self.layers.mkdir(exist_ok=True)
        self.building.mkdir(exist_ok=True)


def short(digest: str) -> str:
    """A folder's name for a digest: long enough never to meet twice, short enough for mount options."""
    return digest.split(":")[-1][:24]


def read_json(path: Path) -> Optional[Dict[str, Any]]:
    """The object in a file; None when it is not there or not whole."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def write_json(path: Path, value: Any) -> None:
    write_whole(path, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())


def write_whole(path: Path, content: bytes) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    aside.write_bytes(content)
    aside.replace(path)


def link_or_copy(source: Path, target: Path) -> None:
    """The same bytes at another place; a link where the file system allows it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
