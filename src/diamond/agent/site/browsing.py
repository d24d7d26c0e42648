"""Folders of this machine, for a person who looks for data: names only, below the places where data is, never hidden ones."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from diamond.core.errors import Forbidden, NotFound

AT_ONCE = 500
MOST_NAMES = 100_000
"""A folder with more is shown in part."""
VARIABLES = ("HOME", "WORK", "SCRATCH", "DATA", "PROJECT", "PROJECTS", "STORE")
"""Sites name people's folders by these."""
TOPS = (
    "/data",
    "/datasets",
    "/scratch",
    "/work",
    "/project",
    "/projects",
    "/group",
    "/mnt",
    "/srv",
)
OF_THE_SYSTEM = ("/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/tmp", "/usr", "/var")
WITHOUT_FILES = frozenset(
    [
        "autofs",
        "bpf",
        "cgroup",
        "cgroup2",
        "configfs",
        "debugfs",
        "devpts",
        "devtmpfs",
        "fusectl",
        "hugetlbfs",
        "mqueue",
        "nsfs",
        "overlay",
        "proc",
        "pstore",
        "ramfs",
        "rpc_pipefs",
        "securityfs",
        "squashfs",
        "sysfs",
        "tmpfs",
        "tracefs",
    ]
)
MOUNTS = Path("/proc/self/mounts")


def starting_points(
    listed: list[str] | None,
    variables: Mapping[str, str],
    mounts: str,
    is_folder: Callable[[str], bool] = os.path.isdir,
) -> list[str]:
    """Where data may be: the folders that the machine's policy lists, or else a person's own and the file systems.

    `mounts` is the text of /proc/self/mounts.
    """
    if listed is not None:
        return [path for path in listed if is_folder(path)]
    own = [variables[name] for name in VARIABLES if variables.get(name, "").startswith("/")]
    mounted = [path for path, kind in _mounts(mounts) if kind not in WITHOUT_FILES]
    found = dict.fromkeys(os.path.normpath(path) for path in [*own, *TOPS, *mounted])
    return [path for path in found if not _is_of_the_system(path) and is_folder(path)]


def browse(path: str, start: int, roots: list[str], check: Callable[[str], None]) -> dict[str, Any]:
    """One page of a folder below one of the roots; '' lists the roots. `check` raises for what the policy keeps back."""
    if not path:
        return {"folder": "", "items": [_folder(root) for root in roots], "next": None}
    real = os.path.realpath(Path(os.path.expandvars(path)).expanduser())
    _require_below(path, real, roots)
    check(real)
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise NotFound(
            f"{path} cannot be opened: {error.strerror}", "Choose another folder."
        ) from None
    try:
        names = _names(descriptor)
        end = max(start, 0) + AT_ONCE
        shown = names[max(start, 0) : end]
        items = [item for name in shown if (item := _item(descriptor, name)) is not None]
    finally:
        os.close(descriptor)
    return {
        "folder": real,
        "items": items,
        "next": end if end < len(names) else None,
        "is_cut": len(names) >= MOST_NAMES,
    }


def read_mounts() -> str:
    try:
        return MOUNTS.read_text(errors="replace")
    except OSError:
        return ""


def _require_below(path: str, real: str, roots: list[str]) -> None:
    """By where it really is: a link cannot lead out. Hidden folders hold keys and settings."""
    for root in map(os.path.realpath, roots):
        if real == root or f"{real}/".startswith(root.rstrip("/") + "/"):
            if any(
                step.startswith(".")
                for step in os.path.relpath(real, root).split("/")
                if step != "."
            ):
                raise Forbidden(f"{path[:200]} is hidden", "Type its path if your data is there.")
            return
    raise Forbidden(
        f"{path[:200]} is outside of the folders that can be browsed",
        f"Begin at one of: {', '.join(roots)}"
        if roots
        else "The policy of this machine lists none.",
    )


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MOST_NAMES)]
    return sorted(name for name in names if not name.startswith("."))


def _item(folder: int, name: str) -> dict[str, Any] | None:
    """What it is; a link counts as what it leads to."""
    try:
        facts = os.stat(name, dir_fd=folder)
    except OSError:
        return None
    is_folder = stat.S_ISDIR(facts.st_mode)
    if not is_folder and not stat.S_ISREG(facts.st_mode):
        return None
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return {
        "name": shown,
        "kind": "folder" if is_folder else "file",
        "size": None if is_folder else facts.st_size,
        "modified": facts.st_mtime,
        "is_usable": shown == name and shown.isprintable() and ":" not in shown,
    }


def _folder(path: str) -> dict[str, Any]:
    return {"name": path, "kind": "folder", "size": None, "modified": None, "is_usable": True}


def _mounts(text: str) -> list[tuple[str, str]]:
    parts = [line.split(" ") for line in text.splitlines()]
    return [(_unescaped(part[1]), part[2]) for part in parts if len(part) > 2]


def _unescaped(path: str) -> str:
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(code, letter)
    return path


def _is_of_the_system(path: str) -> bool:
    return path == "/" or any(f"{path}/".startswith(f"{top}/") for top in OF_THE_SYSTEM)
