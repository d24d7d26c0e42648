"""Manifests of trees, by their digest. Who may read one is decided elsewhere (`service/trees`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from diamond.core.errors import BadRequest, NotFound, TooMany
from diamond.data.manifest import MOST_BYTES, Summary, summarize

KEEP_PARTS_SECONDS = 86400.0
MOST_PARTS = 8
"""Of one endpoint at once."""


class ManifestFiles:
    """A part that somebody sends is theirs alone until its digest is verified."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def have(self, sender: str, digest: str) -> int:
        """How much of what this endpoint sends is here."""
        try:
            return self._part(sender, digest).stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, sender: str, digest: str, offset: int, parts: Sequence[bytes]) -> int:
        """Take bytes that fit where the part stands; the answer is where it now stands. Blocks."""
        part = self._part(sender, digest)
        have, length = self.have(sender, digest), sum(map(len, parts))
        if offset != have:
            return have
        if offset + length > MOST_BYTES:
            raise BadRequest(f"A manifest has at most {MOST_BYTES} bytes")
        part.parent.mkdir(parents=True, exist_ok=True)
        others = [one for one in self._folder.glob(f"{sender}-*.part") if one != part]
        if len(others) >= MOST_PARTS:
            raise TooMany(
                f"{MOST_PARTS} manifests of this endpoint are on their way already",
                "Finish them first: what is left of them is removed after a day.",
            )
        with part.open("ab") as sink:
            sink.writelines(parts)
        return offset + length

    def finish(self, sender: str, digest: str) -> Summary:
        """The whole part is here: check it and keep it. Raises `BadRequest`. Blocks."""
        part = self._part(sender, digest)
        try:
            summary = summarize(part)
            if summary.digest != digest:
                raise BadRequest(f"The manifest of {digest[:12]} has another digest")
        except BadRequest:
            part.unlink(missing_ok=True)
            raise
        target = self._path(digest)
        target.parent.mkdir(parents=True, exist_ok=True)
        part.replace(target)
        return summary

    def find(self, digest: str) -> Path:
        path = self._path(digest)
        if not path.is_file():
            raise NotFound(f"The manifest of {digest[:12]} is not here")
        return path

    def read(self, digest: str, offset: int, length: int) -> bytes:
        """A range of it. Blocks."""
        with self.find(digest).open("rb") as source:
            return os.pread(source.fileno(), length, offset)

    def drop(self, digest: str) -> None:
        self._path(digest).unlink(missing_ok=True)

    def prune_parts(self, now: float) -> None:
        for part in self._folder.glob("*.part"):
            if now - part.stat().st_mtime > KEEP_PARTS_SECONDS:
                part.unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        plain = _checked(digest)
        return self._folder / plain[:2] / plain

    def _part(self, sender: str, digest: str) -> Path:
        return self._folder / f"{sender}-{_checked(digest)}.part"


def _checked(digest: str) -> str:
    if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        raise BadRequest(f"{digest[:80]!r} is not a digest", "Digests have 64 letters of 0-9a-f.")
    return digest
