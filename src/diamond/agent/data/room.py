"""Whether a tree fits: bytes and inodes, before anything is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from diamond.core.errors import NoRoom
from diamond.core.units import show_bytes

SPARE_BYTES = 64 << 20
SPARE_FILES = 100


def check_room(folder: Path, folders_fact: Any, *, size: int, entries: int) -> None:
    """Raises `NoRoom`. `folders_fact`: the profile's fact `folders` (keep, work, tmp), which knows quotas."""
    there = folder
    while not there.exists():
        there = there.parent
    facts = os.statvfs(there)
    free_bytes = facts.f_bavail * facts.f_frsize
    free_files = facts.f_favail if facts.f_files else entries + SPARE_FILES
    quota_bytes, quota_files = _quota(str(folder), folders_fact)
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


def _quota(folder: str, known: Any) -> tuple[int, int]:
    """What is free by the quota, as it was last probed; of the folder that holds this one."""
    free_bytes = free_files = 2**62
    for one in known.values() if isinstance(known, dict) else []:
        if not isinstance(one, dict):
            continue
        path = str(one.get("path") or "")
        if path and (folder == path or folder.startswith(path.rstrip("/") + "/")):
            if isinstance(one.get("free_bytes"), int):
                free_bytes = min(free_bytes, int(one["free_bytes"]))
            if isinstance(one.get("free_files"), int):
                free_files = min(free_files, int(one["free_files"]))
    return free_bytes, free_files
