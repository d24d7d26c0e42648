"""The small files of an ended task in one file: a study or a pipeline leaves thousands of tasks, and inodes have a quota.

Packed are tasks that come in numbers: trials, and what ran in a pilot. Whoever needs the files again unpacks them first.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diamond.runtimes.below import below, steps_of

PACKED = "closed.tar"
TRIAL = "trial"
"""The kind of the tasks of a study."""
_STAYS = frozenset({PACKED, "task.json", "run", "moved", "clean-asked", "purge-told"})
"""At the top of a task's folder: read without its attempts."""
_HOLDS_A_JOB_BACK = frozenset({"claim/owner", "over", "tombstone"})
"""A batch system may put an ended job back in its queue. Its script looks for these before it starts anything."""
_ONE_AT_A_TIME = threading.Lock()


def comes_in_numbers(task_json: dict[str, Any]) -> bool:
    return task_json.get("kind") == TRIAL or runs_in_pilot(task_json)


def runs_in_pilot(task_json: dict[str, Any]) -> bool:
    """There the journal of the pilot keeps a claimed attempt from starting twice."""
    return bool(((task_json.get("order") or {}).get("placement") or {}).get("pilot"))


def is_packed(task_folder: str) -> bool:
    return os.path.exists(f"{task_folder}/{PACKED}")  # noqa: PTH110


def pack(task_folder: Path, *, in_pilot: bool) -> None:
    """Logs and the run directory stay. Killed in between, it is done again."""
    with _ONE_AT_A_TIME:
        if not is_packed(str(task_folder)):
            _write(task_folder)
        for place in _leaving(task_folder, in_pilot):
            place.unlink()
        for place in sorted(_folders(task_folder), reverse=True):
            with contextlib.suppress(OSError):  # it still holds a log
                place.rmdir()


def unpack(task_folder: Path) -> None:
    """Put back what is not there; what is there is newer or the same."""
    with _ONE_AT_A_TIME:
        if not is_packed(str(task_folder)):
            return
        with tarfile.open(task_folder / PACKED) as archive:
            for member in archive:
                _restore(archive, member, task_folder)
        (task_folder / PACKED).unlink()


def _write(task_folder: Path) -> None:
    aside = task_folder / f".{PACKED}.{os.getpid()}.new"
    with open(aside, "wb", opener=_private) as file:
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            for place in [*sorted(_folders(task_folder)), *_leaving(task_folder, in_pilot=True)]:
                archive.add(place, str(place.relative_to(task_folder)), recursive=False)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(task_folder / PACKED)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _folders(task_folder: Path) -> Iterator[Path]:
    for place, names, _ in os.walk(task_folder):
        if Path(place) == task_folder:
            names[:] = [name for name in names if name not in _STAYS]
        for name in names:
            if not Path(place, name).is_symlink():
                yield Path(place, name)


def _leaving(task_folder: Path, in_pilot: bool) -> Iterator[Path]:
    """The files and links that the archive holds in their place."""
    for folder in [task_folder, *_folders(task_folder)]:
        for place in sorted(folder.iterdir()):
            is_file = place.is_symlink() or place.is_file()
            if is_file and not _is_kept(place, task_folder, in_pilot):
                yield place


def _is_kept(place: Path, task_folder: Path, in_pilot: bool) -> bool:
    if place.parent == task_folder:
        return place.name in _STAYS or place.name.startswith(f".{PACKED}")
    _, _, name = str(place.relative_to(task_folder / "attempts")).partition("/")
    return name.endswith(".log") or (not in_pilot and name in _HOLDS_A_JOB_BACK)


def _restore(archive: tarfile.TarFile, member: tarfile.TarInfo, task_folder: Path) -> None:
    place = below(task_folder, *steps_of(member.name))
    if member.isdir():
        place.mkdir(mode=0o700, exist_ok=True)
    elif place.is_symlink() or place.exists():
        return
    elif member.issym():
        place.symlink_to(member.linkname)
    elif (content := archive.extractfile(member)) is not None:
        aside = place.with_name(
            f".{PACKED}.{os.getpid()}.new"
        )  # killed in between, it is done again
        aside.write_bytes(content.read())
        aside.chmod(stat.S_IMODE(member.mode) & 0o700)
        os.utime(aside, (member.mtime, member.mtime))
        aside.replace(place)
