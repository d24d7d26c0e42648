"""SHA-256 of files, remembered so that an unchanged file is not read again."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

CHUNK = 1 << 20
SETTLED_SECONDS = 2.0
"""A file written this recently could change again within its time stamp, and is not remembered."""


class HashMemory:
    """Digests of one folder's files, in one small file of the cache."""

    def __init__(self, cache: Optional[Path], folder: Path) -> None:
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]
        self._file = cache / f"code-{name}.json" if cache else None
        self._known = self._load()
        self._new: Dict[str, List[Any]] = {}

    def digest(self, path: str, file: Path, stat: os.stat_result) -> str:
        """The hex digest of `file`, read only when size, time or inode have changed."""
        mark = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
        known = self._known.get(path)
        digest = str(known[3]) if known and known[:3] == mark else hash_file(file)
        if time.time() - stat.st_mtime > SETTLED_SECONDS:
            self._new[path] = [*mark, digest]
        return digest

    def save(self) -> None:
        """Keep what was learned; a cache that cannot be written does no harm."""
        if self._file is None or self._new == self._known:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            aside = self._file.with_name(f"{self._file.name}.{os.getpid()}")
            aside.write_text(json.dumps(self._new), encoding="utf-8")
            aside.replace(self._file)
        except OSError:
            return

    def _load(self) -> Dict[str, List[Any]]:
        try:
            read = json.loads(self._file.read_text(encoding="utf-8")) if self._file else {}
        except (OSError, ValueError):
            return {}
        return read if isinstance(read, dict) else {}


def hash_file(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while True:
            chunk = stream.read(CHUNK)
            if not chunk:
                return digest.hexdigest()
            digest.update(chunk)
