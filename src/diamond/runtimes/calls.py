"""Running a runtime's programs: their words go line by line to one sink, masked, and they end when nobody wants them."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Deque, List, Mapping, Optional, Pattern, Sequence

from diamond.core.errors import Cancelled

POLL_SECONDS = 0.2
GRACE_SECONDS = 5.0
LINGER_SECONDS = 2.0
"""How long a child of an ended program may hold the pipe open."""
LAST_LINES = 400
"""Enough for all of uv's explanation of a conflict."""
LONGEST_LINE = 16384
READABLE = 0o022
"""For everything that may end up in an image: uv copies files from its cache with their modes, and an agent that was
started over ssh keeps its own files to itself. The folders above stay closed to others."""


@dataclass
class Call:
    """`write` takes whole lines with their line ends. `mask` lists words that must not be seen."""

    write: Callable[[bytes], None]
    cancelled: Callable[[], bool] = lambda: False
    mask: Sequence[str] = ()
    last: Deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))

    def say(self, line: str) -> None:
        """A line of Diamond's own."""
        self._pass_on(line.encode("utf-8", "replace") + b"\n")

    def run(
        self,
        command: Sequence[str],
        *,
        variables: Optional[Mapping[str, str]] = None,
        folder: Optional[Path] = None,
        quietly: bool = False,
        leave_out: Optional[Pattern[bytes]] = None,
    ) -> int:
        """Run to the end; returns the exit code, 128+n for a signal. Raises `Cancelled` once it is gone.

        `quietly` leaves its words out of the log unless it fails; lines that match `leave_out` never get there.
        """
        kept: List[bytes] = []

        def take(line: bytes) -> None:
            if leave_out is None or not leave_out.search(line):
                (kept.append if quietly else self._pass_on)(line)

        child = _start(command, variables or {}, folder)
        try:
            self._follow(child, take)
        finally:
            _end(child)
        if child.returncode:
            for line in kept:
                self._pass_on(line)
        return child.returncode if child.returncode >= 0 else 128 - child.returncode

    def output(
        self,
        command: Sequence[str],
        *,
        variables: Optional[Mapping[str, str]] = None,
        folder: Optional[Path] = None,
    ) -> Optional[str]:
        """What a program prints, or None if it fails; its complaints go to the log then."""
        lines: List[bytes] = []
        child = _start(command, variables or {}, folder)
        try:
            self._follow(child, lines.append)
        finally:
            _end(child)
        if child.returncode == 0:
            return b"".join(lines).decode("utf-8", "replace")
        for line in lines:
            self._pass_on(line)
        return None

    def _follow(self, child: subprocess.Popen[bytes], take: Callable[[bytes], None]) -> None:
        assert child.stdout is not None
        descriptor, partial = child.stdout.fileno(), b""
        ended_at: Optional[float] = None
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while True:
                if self.cancelled():
                    raise Cancelled("Cancelled while the image was being built")
                ready = selector.select(POLL_SECONDS)
                data = os.read(descriptor, 65536) if ready else b""
                *lines, partial = (partial + data).split(b"\n")
                for line in lines:
                    take(line[:LONGEST_LINE] + b"\n")
                if ready and not data:
                    break
                if ended_at is None and child.poll() is not None:
                    ended_at = time.monotonic()
                if not ready and ended_at and time.monotonic() - ended_at > LINGER_SECONDS:
                    break
        if partial:
            take(partial[:LONGEST_LINE] + b"\n")
        child.wait()

    def _pass_on(self, line: bytes) -> None:
        for secret in self.mask:
            if secret:
                line = line.replace(secret.encode(), b"***")
        self.last.append(line.decode("utf-8", "replace").rstrip())
        self.write(line)


def _start(
    command: Sequence[str], variables: Mapping[str, str], folder: Optional[Path]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **variables},
        cwd=folder,
        start_new_session=True,
        umask=READABLE,
    )


def _end(child: subprocess.Popen[bytes]) -> None:
    """TERM to the whole group, KILL after a grace; what an ended program left in its group is killed too."""
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_SECONDS)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdout:
        child.stdout.close()


def own_words() -> List[str]:
    """How this very program is started again: from one file, or from the installed package."""
    file = Path(sys.argv[0])
    if file.suffix == ".pyz":
        return [sys.executable, str(file.absolute()), "build"]
    return [sys.executable, "-m", "diamond.runtimes.builder"]
