"""Image files that pass through the service from one endpoint to another: bytes come in order, and may be read meanwhile.

Nothing is hashed here: who gets a file compares all of it with its digest, and what is found wrong is dropped (`drop`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from diamond.core.errors import BadRequest

KEEP_SECONDS = 86400.0
"""A file that was not requested for this long is removed; its endpoints still have it."""


class ImageFiles:
    """Beside the blobs, not among them: they are large, and here for a while only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def have(self, sha256: str) -> int:
        """How many bytes are here."""
        try:
            return self._path(sha256).stat().st_size
        except FileNotFoundError:
            return 0

    def idle_seconds(self, sha256: str) -> float:
        """Since bytes last came; large while none ever did."""
        try:
            return time.time() - self._path(sha256).stat().st_mtime
        except FileNotFoundError:
            return float("inf")

    def append(self, sha256: str, offset: int, parts: Sequence[bytes], size: int) -> int:
        """Take bytes that fit where the file stands; the answer is where it now stands. Blocks."""
        have, length = self.have(sha256), sum(map(len, parts))
        if offset != have or offset + length > size:
            return have
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._path(sha256).open("ab") as sink:
            sink.writelines(parts)
        return offset + length

    def read(self, sha256: str, offset: int, length: int) -> bytes:
        """A range of what is here. Blocks."""
        with self._path(sha256).open("rb") as source:
            return os.pread(source.fileno(), length, offset)

    def want(self, sha256: str) -> None:
        """It is young again."""
        if self.have(sha256):
            os.utime(self._path(sha256))

    def drop(self, sha256: str) -> None:
        self._path(sha256).unlink(missing_ok=True)

    def prune(self, now: float) -> None:
        for path in self._folder.glob("*"):
            if now - path.stat().st_mtime > KEEP_SECONDS:
                path.unlink(missing_ok=True)

    def _path(self, sha256: str) -> Path:
        plain = sha256.removeprefix("sha256:")
        if len(plain) != 64 or set(plain) - set("0123456789abcdef"):
            raise BadRequest(f"{sha256!r} is not a digest", "Digests have 64 letters of 0-9a-f.")
        return self._folder / plain
