"""A file system that source and goal both see: proved by a file with a nonce, or by the inodes of all files."""

from __future__ import annotations

import os
from pathlib import Path

from diamond.agent.data.carriers import WayFailed, new_nonce
from diamond.agent.data.places import Place, TreePlaces
from diamond.core.data_messages import Introduction
from diamond.core.errors import BadRequest, DiamondError, NotFound
from diamond.data.walking import fingerprint_of
from diamond.runtimes.below import below


def leave_mark(places: TreePlaces, transfer: str, path: str) -> tuple[str, str]:
    """A file with a fresh nonce on the file system of `path`; two empty texts if that is not the one of Diamond's own folder."""
    mark, nonce = mark_of(places, transfer), new_nonce()
    mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    mark.write_text(nonce)
    if mark.stat().st_dev != os.stat(path).st_dev:  # noqa: PTH116
        mark.unlink()
        return "", ""
    return str(mark), nonce


def mark_of(places: TreePlaces, transfer: str) -> Path:
    return below(places.root, "marks", transfer)


def require_same_files(source: Introduction) -> None:
    """Raises `WayFailed` unless this machine sees the very files of the source."""
    if not source.path.startswith("/"):
        raise WayFailed("its path cannot be named")
    if source.mark:
        _require_mark(source)
        return
    try:
        seen = fingerprint_of(source.path)
    except (NotFound, BadRequest, OSError):
        raise WayFailed("this machine does not see its files") from None
    if not source.fingerprint or seen != source.fingerprint:
        raise WayFailed("other files are under that path here")


def _require_mark(source: Introduction) -> None:
    try:
        seen = Path(source.mark).read_text()
        same = Path(source.mark).stat().st_dev == os.stat(source.path).st_dev  # noqa: PTH116
    except (OSError, ValueError):
        raise WayFailed("this machine does not see its files") from None
    if not source.nonce or seen != source.nonce:
        raise WayFailed("another file system is under that path here")
    if not same:
        raise WayFailed("another file system is under the path of its files here")


def place_at(source: Introduction, tree: str, result: dict[str, object]) -> Place:
    """A place that leads to the source's own files, once they were read here and have the digest that is wanted."""
    if result.get("digest") != tree:
        raise DiamondError(
            f"{source.path} has other bytes than its source registered",
            "Check it there: diamond data check NAME",
        )
    return Place(
        tree=tree,
        layout="files",
        path=source.path,
        managed=False,
        shared=True,
        fingerprint=str(result["fingerprint"]),
        is_settled=bool(result["is_settled"]),
        size=int(str(result["size"])),
        files=int(str(result["files"])),
        entries=int(str(result["entries"])),
    )
