"""Whether data fits: bytes and inodes, before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

from diamond.core.errors import NoRoom
from diamond.core.units import show_bytes

SPARE_BYTES = 64 << 20
SPARE_FILES = 100
NO_QUOTA = 2**62


def require_room(
    folder: Path,
    *,
    size: int,
    entries: int,
    quota_bytes: int = NO_QUOTA,
    quota_files: int = NO_QUOTA,
) -> None:
    """Raises `NoRoom`. The quotas: what is left of them."""
    there = folder
    while not there.exists():
        there = there.parent
    facts = os.statvfs(there)
    free_bytes = facts.f_bavail * facts.f_frsize
    free_files = facts.f_favail if facts.f_files else entries + SPARE_FILES
    _compare(there, "bytes", size + SPARE_BYTES, min(free_bytes, quota_bytes))
    _compare(there, "files", entries + SPARE_FILES, min(free_files, quota_files))


def _compare(folder: Path, what: str, needed: int, free: int) -> None:
    if needed <= free:
        return
    if what == "bytes":
        raise NoRoom(
            f"The data needs {show_bytes(needed)} in {folder}, and {show_bytes(free)} are free there",
            "Remove copies that you no longer need, or choose another machine.",
        )
    raise NoRoom(
        f"The data needs {needed} inodes (files and folders) in {folder}, and {free} are free there",
        "Use `layout: archive`: one file for all of it. Or remove copies that you no longer need.",
    )
