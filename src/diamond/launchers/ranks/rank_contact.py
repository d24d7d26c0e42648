"""Whether a rank's processes are connected to the others: seen from outside, by the kernel's list of connections.

torch and jax meet at MASTER_PORT, whatever starts them. A rank that has loaded one of them and never connects there
trains alone, and its program may still end well.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import List, Set

PROC = Path("/proc")
LIBRARIES = ("libtorch_cpu", "jaxlib/")
"""Parts of the file names of libraries with which ranks meet at MASTER_PORT."""
NEEDED_LOOKS = 4
_ESTABLISHED = "01"


class RankContact:
    """Looks now and then; a rank counts as alone if it had the library at several looks and was never connected."""

    def __init__(self, group: int, port: int) -> None:
        self._group, self._port = group, port
        self._looks_alone = 0
        self.is_connected = False

    @property
    def is_alone(self) -> bool:
        return not self.is_connected and self._looks_alone >= NEEDED_LOOKS

    def look(self) -> None:
        if self.is_connected:
            return
        members = _members(self._group)
        wanted = _sockets_at(self._port)
        if wanted and any(_sockets_of(pid) & wanted for pid in members):
            self.is_connected = True
        elif any(_has_library(pid) for pid in members):
            self._looks_alone += 1


def seconds_to_next_look(age: float) -> float:
    """Often at first, so that a short program is seen while it is connected."""
    return 1.0 if age < 10.0 else 3.0 if age < 120.0 else 15.0


def _sockets_at(port: int) -> Set[str]:
    """The inodes of established connections from or to a port."""
    end = f":{port:04X}"
    inodes = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in (PROC / "net" / table).read_text().splitlines()[1:]:
                columns = line.split()
                if columns[3] == _ESTABLISHED and (
                    columns[1].endswith(end) or columns[2].endswith(end)
                ):
                    inodes.add(columns[9])
    return inodes


def _members(group: int) -> List[int]:
    """The processes of a process group."""
    members = []
    for name in os.listdir(str(PROC)):  # noqa: PTH208
        with contextlib.suppress(OSError):
            if name.isdigit() and os.getpgid(int(name)) == group:
                members.append(int(name))
    return members


def _sockets_of(pid: int) -> Set[str]:
    folder = f"{PROC}/{pid}/fd"
    inodes = set()
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208
            with contextlib.suppress(OSError):
                target = os.readlink(f"{folder}/{name}")  # noqa: PTH115  # pathlib has it since 3.9
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    return inodes


def _has_library(pid: int) -> bool:
    with contextlib.suppress(OSError):
        text = (PROC / str(pid) / "maps").read_text(errors="replace")
        return any(name in text for name in LIBRARIES)
    return False
