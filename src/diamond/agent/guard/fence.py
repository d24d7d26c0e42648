"""Two agents never act at once: a generation from the service, and a look at it before each act."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

from diamond.agent.disk import read_words, write_whole


class Superseded(Exception):
    """A newer agent of this endpoint is acting; this one must stop."""


class Fence:
    """`$KEEP/generation` and `$KEEP/agent.pid`."""

    def __init__(self, keep: Path) -> None:
        self._file = keep / "generation"
        self._pid_file = keep / "agent.pid"
        self.generation = 0

    def newest(self) -> int:
        """The newest generation known on this machine."""
        fields = read_words(self._file)
        return int(fields[0]) if fields and fields[0].isdigit() else 0

    def take(self, generation: int) -> None:
        """Act under this generation from now on."""
        self.generation = generation
        write_whole(self._file, f"{generation}\n".encode(), durable=True)

    def check(self) -> None:
        """Raise `Superseded` when a newer agent has taken over; to be called before each act."""
        newest = self.newest()
        if newest > self.generation:
            raise Superseded(f"generation {newest} is acting; this agent has {self.generation}")

    def sign(self) -> None:
        """Write down that this process is the acting agent."""
        line = f"{os.getpid()} {socket.gethostname()} {process_start(os.getpid())}\n"
        write_whole(self._pid_file, line.encode())

    def acting(self) -> tuple[int, str]:
        """Process id and host of the acting agent; (0, '') when there is none to be seen."""
        fields = read_words(self._pid_file)
        if len(fields) < 3 or not fields[0].isdigit():
            return 0, ""
        pid, host, start = int(fields[0]), fields[1], fields[2]
        if host == socket.gethostname() and process_start(pid) != start:
            return 0, ""
        return pid, host

    def wait_for_predecessor(self, pid: int, host: str, seconds: float = 3.0) -> None:
        """Give an older agent on this host the time to see the new generation and stop."""
        start, end = process_start(pid), time.monotonic() + seconds
        if not pid or pid == os.getpid() or host != socket.gethostname():
            return
        while process_start(pid) == start != "-" and time.monotonic() < end:
            time.sleep(0.05)


def process_start(pid: int) -> str:
    """When a process began, in the kernel's own count, which distinguishes it from a later one with its id; '-' if unknown."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "-"
    return text.rpartition(")")[2].split()[19]
