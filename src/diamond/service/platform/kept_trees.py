"""Trees that the service itself keeps: a folder for each, by the digest of its manifest. Who may read one is decided elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from diamond.core.errors import NotFound
from diamond.runtimes.below import below, opened_below


class KeptTrees:
    """Complete trees bear their digest; what arrives has the name of its transfer until it is verified."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def arriving(self, transfer: str) -> Path:
        place = below(self._folder, "arriving", transfer)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        return place

    def settle(self, transfer: str, digest: str) -> None:
        """What arrived is verified: from now on it is the tree. Settling twice is fine. Blocks."""
        target = self._root(digest)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not target.exists():
            with contextlib.suppress(FileExistsError, OSError):
                (self.arriving(transfer) / "tree").rename(target)
        if not target.is_dir():
            raise NotFound(f"The copy of {digest[:12]} could not be kept", "Is the disk full?")
        self.clear(transfer)

    def clear(self, transfer: str) -> None:
        _remove(self.arriving(transfer))

    def arrivals(self) -> list[str]:
        """Transfers that have left something here."""
        folder = self._folder / "arriving"
        return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []

    def has(self, digest: str) -> bool:
        return self._root(digest).is_dir()

    @contextlib.contextmanager
    def open(self, digest: str, path: str) -> Iterator[int]:
        """A descriptor of one of its files. Raises `NotFound`. Blocks."""
        with opened_below(self._root(digest), path) as descriptor:
            yield descriptor

    def folder(self, digest: str) -> Path:
        """Where a complete tree is. Raises `NotFound`."""
        root = self._root(digest)
        if not root.is_dir():
            raise NotFound(f"The copy of {digest[:12]} is gone", "Keep it again from an endpoint.")
        return root

    def drop(self, digest: str) -> None:
        _remove(self._root(digest))

    def _root(self, digest: str) -> Path:
        return below(self._folder, digest[:2], digest)


def _remove(folder: Path) -> None:
    """Its folders are read-only, so that nobody changes what is kept."""
    for root, folders, _ in os.walk(folder):
        for name in folders:
            (Path(root) / name).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
