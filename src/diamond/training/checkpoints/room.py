"""Whether the file system has space for the checkpoints to keep, checked before the first is written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from diamond.training.checkpoints.errors import NoRoom


@dataclass(frozen=True)
class Room:
    """What is free for this user, in bytes and files; a file system that does not count files reports 0 of 0."""

    free_bytes: int
    free_files: int
    counts_files: bool


def room_at(path: Path) -> Room:
    status = os.statvfs(path)
    return Room(status.f_bavail * status.f_frsize, status.f_favail, status.f_files > 0)


def check_room(room: Room, *, checkpoint_bytes: int, checkpoint_files: int, count: int) -> None:
    """Raise NoRoom unless `count` more checkpoints fit."""
    need_bytes, need_files = checkpoint_bytes * count, checkpoint_files * count
    if need_bytes > room.free_bytes:
        raise NoRoom(
            f"{count} checkpoints of {size(checkpoint_bytes)} need {size(need_bytes)}, and {size(room.free_bytes)} "
            "are free. Choose another folder, free some space, or keep fewer (keep=1)."
        )
    if room.counts_files and need_files > room.free_files:
        raise NoRoom(
            f"{count} checkpoints of {checkpoint_files} files need {need_files} files, and {room.free_files} may "
            "still be made. Remove files, choose another folder, or keep fewer (keep=1)."
        )


def size(count: float) -> str:
    """1 500 000 -> '1.5 MB'."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.4g} {unit}"
        count /= 1000
    return f"{count:.4g} TB"
