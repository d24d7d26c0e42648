"""Reading inside one folder and nowhere else (`runtimes/below.py`): a symlink is listed but never followed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from diamond.agent.output.digests import Digests
from diamond.core.errors import BadRequest
from diamond.runtimes.below import is_plain_file, opened_below, steps_of

MAX_ITEMS = 10_000
MAX_READ = 4 * 2**20


def list_files(
    root: Path, path: str, start: int = 0, most: int = MAX_ITEMS
) -> tuple[list[dict[str, Any]], int | None]:
    """What a folder holds from `start` on, or the one file that `path` names; then where to continue, if there is more."""
    with opened_below(root, path, _real_name) as descriptor:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            return [_item(path, os.fstat(descriptor))], None
        names = sorted(_names(descriptor))
        end = max(0, start) + most
        entries = [(name, _look(descriptor, name)) for name in names[max(0, start) : end]]
    prefix = "/".join(steps_of(path))
    items = [_item(f"{prefix}/{name}".lstrip("/"), facts) for name, facts in entries if facts]
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
    with opened_below(root, path, _real_name) as descriptor:
        if not is_plain_file(descriptor):
            raise BadRequest(f"{path!r} is not a file", "Only plain files can be fetched.")
        yield descriptor


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
