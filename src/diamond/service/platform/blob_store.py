"""Bytes by content: a small protocol, and the folder that serves it now."""

from __future__ import annotations

import hashlib
import math
import os
import re
import shutil
import tarfile
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from diamond.core.errors import BadRequest, NotFound
from diamond.core.ids import new_id

PREFIX = "sha256:"
_HEX = re.compile(r"[0-9a-f]{64}")
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Blob:
    digest: str
    """Plain hex."""
    size: int


class BlobStore(Protocol):
    """Digests are `sha256:<hex>`. A blob never changes, so every call may be repeated."""

    def missing(self, digests: Iterable[str]) -> list[str]:
        """Those that are not here, in the given order."""

    def add_tar(self, archive: Path) -> list[Blob]:
        """Take in each member of a tar under its digest; raises BadRequest for one whose bytes are others."""

    def find(self, digest: str) -> Path:
        """The file that holds it; raises NotFound."""

    def add(self, source: Path, digest: str) -> None:
        """Take in a file whose digest is known."""

    def stream_tar(self, digests: list[str]) -> Iterator[bytes]:
        """A tar of these blobs, member names the plain hex; raises NotFound before the first byte."""

    def prune(self, keep: Container[str], before: float) -> int:
        """Remove what is not to be kept (plain hex) and was neither sent nor asked for since; how many that were."""


class FolderBlobStore:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def missing(self, digests: Iterable[str]) -> list[str]:
        """One that is here is wanted again: it counts as sent now."""
        return [digest for digest in digests if not _touch(self._path(digest))]

    def add_tar(self, archive: Path) -> list[Blob]:
        try:
            # Not compressed: a few kilobytes could unpack to terabytes.
            with tarfile.open(archive, "r:") as tar:
                return [self._add(tar, member) for member in tar]
        except (tarfile.TarError, EOFError) as error:
            raise BadRequest(f"This is not a whole tar archive: {error}") from None

    def find(self, digest: str) -> Path:
        path = self._path(digest)
        if not path.is_file():
            raise NotFound(f"{digest} is not here", "It may have been removed from the service.")
        return path

    def add(self, source: Path, digest: str) -> None:
        target = self._path(digest)
        if _touch(target):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.parent / new_id("b")
        shutil.copyfile(source, aside)
        aside.rename(target)

    def stream_tar(self, digests: list[str]) -> Iterator[bytes]:
        absent = self.missing(digests)
        if absent:
            raise NotFound(f"{len(absent)} blobs are not here, {absent[0]} among them")
        return self._tar(digests)

    def prune(self, keep: Container[str], before: float) -> int:
        removed = 0
        for path in self._folder.glob("sha256/*/*"):
            if path.name not in keep and _written(path) < before:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def _add(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> Blob:
        source = tar.extractfile(member) if member.isfile() else None
        if source is None:
            raise BadRequest(f"{member.name!r} in the archive is not a plain file")
        target = self._path(member.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.parent / new_id("b")
        digest = hashlib.sha256()
        try:
            with aside.open("wb") as out:
                while block := source.read(_BLOCK):
                    digest.update(block)
                    out.write(block)
            if digest.hexdigest() != target.name:
                raise BadRequest(f"The bytes of {member.name!r} have another digest")
            if not _touch(
                target
            ):  # Sent again: it is young, and not removed before its owner is noted.
                aside.rename(target)
        finally:
            aside.unlink(missing_ok=True)
        return Blob(target.name, member.size)

    def _tar(self, digests: list[str]) -> Iterator[bytes]:
        for digest in digests:
            path = self._path(digest)
            info = tarfile.TarInfo(path.name)
            info.size = path.stat().st_size
            yield info.tobuf(tarfile.USTAR_FORMAT)
            with path.open("rb") as source:
                while block := source.read(_BLOCK):
                    yield block
            yield bytes(-info.size % tarfile.BLOCKSIZE)
        yield bytes(2 * tarfile.BLOCKSIZE)

    def _path(self, digest: str) -> Path:
        plain = digest.removeprefix(PREFIX)
        if not _HEX.fullmatch(plain):
            raise BadRequest(
                f"{digest!r} is not a digest", "Digests are sha256: and 64 letters of 0-9a-f."
            )
        return self._folder / "sha256" / plain[:2] / plain


def _touch(path: Path) -> bool:
    """Whether it is there; from now on it is young."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def make_private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
