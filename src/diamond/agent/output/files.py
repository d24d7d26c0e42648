"""Reading inside one folder and nowhere else: each step of a path is opened from the one before it.

A symlink is listed but never followed, `..` is never taken: nothing outside can be reached, also not
by a program that swaps a folder for a link between two looks.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from diamond.agent.output.digests import Digests
from diamond.core.errors import BadRequest, NotFound

MAX_ITEMS = 10_000
MAX_READ = 4 * 2**20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def list_files(
    root: Path, path: str, start: int = 0, most: int = MAX_ITEMS
) -> tuple[list[dict[str, Any]], int | None]:
    """What a folder holds from `start` on, or the one file that `path` names; then where to go on, if there is more."""
    with _opened(root, path) as descriptor:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            return [_item(path, os.fstat(descriptor))], None
        names = sorted(_names(descriptor))
        end = max(0, start) + most
        found = [(name, _look(descriptor, name)) for name in names[max(0, start) : end]]
    prefix = "/".join(_steps(path))
    items = [_item(f"{prefix}/{name}".lstrip("/"), facts) for name, facts in found if facts]
    return items, end if end < len(names) else None


def stat_file(
    root: Path, path: str, digests: Digests, alive: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Size, time and digest of a file; `alive` is called while a large one is read."""
    with _opened_file(root, path) as descriptor:
        digest = digests.of(descriptor, alive)
        facts = os.fstat(descriptor)
    return {"size": facts.st_size, "modified": facts.st_mtime, "sha256": digest}


def read_file(root: Path, path: str, offset: int, length: int) -> bytes:
    """A range of a file; shorter at its end."""
    with _opened_file(root, path) as descriptor:
        return os.pread(descriptor, max(0, min(length, MAX_READ)), max(0, offset))


@contextlib.contextmanager
def _opened_file(root: Path, path: str) -> Iterator[int]:
    with _opened(root, path) as descriptor:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise BadRequest(f"{path!r} is not a file", "Only plain files can be fetched.")
        yield descriptor


@contextlib.contextmanager
def _opened(root: Path, path: str) -> Iterator[int]:
    """A descriptor of what `path` names below `root`."""
    descriptor = os.open(root, _FOLDER)
    try:
        steps = _steps(path)
        for position, step in enumerate(steps):
            flags = _FILE if position == len(steps) - 1 else _FOLDER
            inner = os.open(_real_name(descriptor, step), flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    except OSError as error:
        why = "a link, which is not followed" if error.errno == errno.ELOOP else error.strerror
        raise NotFound(
            f"{path!r} cannot be read in the run directory ({why})",
            "List what is there with: diamond files TASK",
        ) from error
    finally:
        os.close(descriptor)


def _real_name(folder: int, step: str) -> str:
    """Of a name that is not UTF-8 only what is shown of it comes back."""
    if "\ufffd" not in step:
        return step
    return next((name for name in _names(folder) if _shown(name) == step), step)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _steps(path: str) -> list[str]:
    steps = [step for step in path.split("/") if step not in ("", ".")]
    if ".." in steps or path.startswith("/") or "\0" in path:
        raise BadRequest(f"{path!r} leads out of the run directory", "Name a path inside of it.")
    return steps


def _look(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None


def _item(path: str, facts: os.stat_result) -> dict[str, Any]:
    kind = "file"
    if stat.S_ISDIR(facts.st_mode):
        kind = "folder"
    elif stat.S_ISLNK(facts.st_mode):
        kind = "link"
    return {"path": _shown(path), "kind": kind, "size": facts.st_size, "modified": facts.st_mtime}
