"""Image files that pass through the service from one endpoint to another: they come in order, and are checked when whole."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.core.errors import BadRequest

KEEP_SECONDS = 86400.0
"""A file that nobody wanted for so long goes: its endpoints have it."""
_BLOCK = 4 << 20


@dataclass
class _Growing:
    """What was hashed so far of a file on its way in."""

    size: int = 0
    digest: Any = field(default_factory=hashlib.sha256)


class ImageFiles:
    """Beside the blobs, not among them: they are large, and here for a while only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._growing: dict[str, _Growing] = {}

    def whole(self, sha256: str) -> Path | None:
        path = self._folder / _name(sha256)
        return path if path.is_file() else None

    def have(self, sha256: str) -> int:
        """How many bytes are here."""
        return _size(self.whole(sha256) or self._part(sha256))

    def idle_seconds(self, sha256: str) -> float:
        """Since bytes last came; large while none ever did."""
        try:
            return time.time() - self._part(sha256).stat().st_mtime
        except FileNotFoundError:
            return float("inf")

    def append(self, sha256: str, offset: int, data: bytes, size: int) -> int:
        """Take bytes that fit where the file stands; the answer is where it now stands. Blocks."""
        if self.whole(sha256) or offset != self.have(sha256) or offset + len(data) > size:
            return self.have(sha256)
        part = self._part(sha256)
        part.parent.mkdir(parents=True, exist_ok=True)
        with part.open("ab") as sink:
            sink.write(data)
        growing = self._hashed(sha256, offset)
        growing.digest.update(data)
        growing.size += len(data)
        if growing.size == size:
            self._finish(sha256, growing)
        return offset + len(data)

    def read(self, sha256: str, offset: int, length: int) -> bytes:
        """A range of what is here so far. Blocks."""
        path = self.whole(sha256) or self._part(sha256)
        try:
            with path.open("rb") as source:
                os.utime(path) if offset == 0 and path == self.whole(sha256) else None
                return os.pread(source.fileno(), length, offset)
        except FileNotFoundError:
            return b""

    def prune(self, now: float) -> None:
        for path in self._folder.glob("*"):
            if now - path.stat().st_mtime > KEEP_SECONDS:
                path.unlink(missing_ok=True)

    def _hashed(self, sha256: str, upto: int) -> _Growing:
        """After a restart the bytes that are here are read once more."""
        growing = self._growing.setdefault(sha256, _Growing())
        if growing.size != upto:
            growing = self._growing[sha256] = _Growing()
            for at in range(0, upto, _BLOCK):
                growing.digest.update(self.read(sha256, at, min(_BLOCK, upto - at)))
            growing.size = upto
        return growing

    def _finish(self, sha256: str, growing: _Growing) -> None:
        self._growing.pop(sha256, None)
        part = self._part(sha256)
        if growing.digest.hexdigest() != _name(sha256):
            part.unlink(missing_ok=True)
            raise BadRequest(f"The bytes of {sha256} have another digest", "Send them again.")
        part.rename(self._folder / _name(sha256))

    def _part(self, sha256: str) -> Path:
        return self._folder / f"{_name(sha256)}.part"


def _name(sha256: str) -> str:
    plain = sha256.removeprefix("sha256:")
    if len(plain) != 64 or set(plain) - set("0123456789abcdef"):
        raise BadRequest(f"{sha256!r} is not a digest", "Digests have 64 letters of 0-9a-f.")
    return plain


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
