"""How often the kernel has killed for want of memory, in the control group of this process."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Iterator

GROUPS = Path("/sys/fs/cgroup")


def memory_kills(groups: Path = GROUPS, own: Path = Path("/proc/self/cgroup")) -> int:
    """0 where nothing can be learned. Such a kill leaves a program no time for a word of its own."""
    for place in _places(groups, own):
        with contextlib.suppress(OSError, ValueError):
            pairs = [line.split() for line in place.read_text().splitlines()]
            return int(dict(pair for pair in pairs if len(pair) == 2).get("oom_kill", 0))
    return 0


def _places(groups: Path, own: Path) -> Iterator[Path]:
    """Inside a container the group's own name may lead nowhere, and the top is this group."""
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
