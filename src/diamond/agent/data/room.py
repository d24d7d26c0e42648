"""Whether a tree fits here: what is free, and what the quota leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diamond.data.room import NO_QUOTA, require_room


def check_room(folder: Path, folders_fact: Any, *, size: int, entries: int) -> None:
    """Raises `NoRoom`. `folders_fact`: the profile's fact `folders` (keep, work, tmp), which knows quotas."""
    quota_bytes, quota_files = left_of_quota(str(folder), folders_fact)
    require_room(
        folder, size=size, entries=entries, quota_bytes=quota_bytes, quota_files=quota_files
    )


def left_of_quota(folder: str, known: Any) -> tuple[int, int]:
    """Bytes and files, as they were last probed; of the folder that holds this one."""
    free_bytes = free_files = NO_QUOTA
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
