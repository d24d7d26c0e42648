"""Paths below a root, and nowhere else: the one way to reach what a service or a manifest names.

A name is one step of a path. `..`, absolute paths, NUL and links are never followed out of the root; reading opens
each step from the one before it, so that also a program that swaps a folder for a link between two looks gains nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import Callable, Iterator, List

from diamond.core.errors import BadRequest, NotFound

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
Named = Callable[[int, str], str]


def below(root: Path, *names: str) -> Path:
    """The place that these names lead to. Raises `BadRequest` for anything but a plain name, or a link on the way."""
    place = root
    for name in names:
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise BadRequest(f"{name[:80]!r} leads out of {root}", "Name something inside of it.")
        place = place / name
        if place.is_symlink():
            raise BadRequest(f"{place} is a link, which is not followed", "Remove the link.")
    return place


def is_below(root: Path, place: str) -> bool:
    """Whether a path that was written down still is in the folder, also once links are followed."""
    path = Path(place)
    if not path.is_absolute() or ".." in path.parts or root not in path.parents:
        return False
    real = Path(os.path.realpath(root))
    return real in Path(os.path.realpath(path)).parents


def steps_of(path: str) -> List[str]:
    """The names in a relative path. Raises `BadRequest` for one that leads out."""
    steps = [step for step in path.split("/") if step not in ("", ".")]
    if ".." in steps or path.startswith("/") or "\0" in path:
        raise BadRequest(f"{path!r} leads out of the run directory", "Name a path inside of it.")
    return steps


def _as_named(folder: int, step: str) -> str:
    return step


@contextlib.contextmanager
def opened_below(root: Path, path: str, named: Named = _as_named) -> Iterator[int]:
    """A descriptor of what `path` names below `root`. `named` finds the real name of a step in its open folder."""
    descriptor = os.open(root, _FOLDER)
    try:
        steps = steps_of(path)
        for position, step in enumerate(steps):
            flags = _FILE if position == len(steps) - 1 else _FOLDER
            inner = os.open(named(descriptor, step), flags, dir_fd=descriptor)
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


def is_plain_file(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)
