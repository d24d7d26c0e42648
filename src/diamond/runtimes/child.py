"""One child process: its words go to a file and to a person, and it ends when nobody wants it any more."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Callable, List, Mapping, Sequence

from diamond.core.errors import Cancelled

POLL_SECONDS = 0.2
GRACE_SECONDS = 5.0


def run_child(
    command: Sequence[str],
    *,
    log: Path,
    say: Callable[[str], None],
    cancelled: Callable[[], bool],
    variables: Mapping[str, str],
    keep_open: Sequence[int] = (),
) -> int:
    """Run to the end and return the exit code; raises `Cancelled` once the child and its children are gone.

    `keep_open` are descriptors the child inherits: a lock then lasts as long as anybody writes under it.
    """
    with log.open("ab") as sink:
        start = sink.tell()
        child = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, **variables},
            start_new_session=True,
            pass_fds=tuple(keep_open),
        )
        try:
            _follow(child, log=log, offset=start, say=say, cancelled=cancelled)
        finally:
            _end(child)
    return child.returncode


def last_lines(log: Path, count: int = 15) -> List[str]:
    """The last lines of output, without blank ones."""
    with log.open("rb") as source:
        source.seek(max(0, log.stat().st_size - 32768))
        lines = source.read().decode("utf-8", "replace").splitlines()
    return [line.rstrip() for line in lines if line.strip()][-count:]


def _follow(
    child: subprocess.Popen[bytes],
    *,
    log: Path,
    offset: int,
    say: Callable[[str], None],
    cancelled: Callable[[], bool],
) -> None:
    with log.open("rb") as source:
        source.seek(offset)
        partial = b""
        ended = False
        while not ended:
            if cancelled():
                raise Cancelled("Cancelled while the environment was being made")
            with suppress(subprocess.TimeoutExpired):
                child.wait(POLL_SECONDS)
                ended = True
            *lines, partial = (partial + source.read()).split(b"\n")
            for line in lines:
                say(line.decode("utf-8", "replace").rstrip())


def _end(child: subprocess.Popen[bytes]) -> None:
    """TERM to the whole group, KILL after a grace; nothing to do after a normal end."""
    if child.poll() is not None:
        return
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
