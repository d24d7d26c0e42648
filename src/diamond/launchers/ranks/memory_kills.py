"""How often the kernel has killed processes in this control group because memory ran out."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Iterator

GROUPS = Path("/sys/fs/cgroup")


def memory_kills(groups: Path = GROUPS, own: Path = Path("/proc/self/cgroup")) -> int:
    """0 where that cannot be learned. A program killed like that has no time to say so itself."""
    for file in _candidates(groups, own):
        with contextlib.suppress(OSError, ValueError):
            pairs = [line.split() for line in file.read_text().splitlines()]
            return int(dict(pair for pair in pairs if len(pair) == 2).get("oom_kill", 0))
    return 0


def _candidates(groups: Path, own: Path) -> Iterator[Path]:
    """Inside a container the group's own name may not exist; then the top folder is this group."""
    with contextlib.suppress(OSError):
        for line in own.read_text().splitlines():
            _, controllers, name = line.split(":", 2)
            if "memory" in controllers.split(","):
                yield from _files(groups / "memory", name, "memory.oom_control")
            elif not controllers:
                yield from _files(groups, name, "memory.events")


def _files(root: Path, name: str, file: str) -> Iterator[Path]:
    yield root / name.lstrip("/") / file
    yield root / file
