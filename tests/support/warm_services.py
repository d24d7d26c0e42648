"""Services that start at once: forked from a process that has imported them already.

Importing the service takes two seconds of a core, and the suite starts some two hundred. Each is still a process of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path


class Forked:
    """What tests use of a `Popen`, for a process that is not a child of this one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        try:
            self._handle = os.pidfd_open(pid)
        except ProcessLookupError:
            self._handle = -1

    def poll(self) -> int | None:
        """None while it runs; how it ended is in its log."""
        return 0 if self._has_ended(0) else None

    def wait(self, timeout: float | None = None) -> int:
        if not self._has_ended(timeout):
            raise subprocess.TimeoutExpired("diamond.service", timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        if self._handle >= 0 and not self._has_ended(0):
            signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _has_ended(self, timeout: float | None) -> bool:
        return self._handle < 0 or bool(select.select([self._handle], [], [], timeout)[0])

    def __del__(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)


def fork_service(words: Sequence[str], environ: Mapping[str, str], log: Path) -> Forked:
    """As `python -m diamond.service WORDS`, with its output in `log`."""
    parent = _parent()
    assert parent.stdin and parent.stdout
    order = {
        "words": [*words],
        "environ": dict(environ),
        "log": str(log),
        "folder": str(Path.cwd()),
    }
    parent.stdin.write(json.dumps(order).encode() + b"\n")
    parent.stdin.flush()
    return Forked(int(parent.stdout.readline()))


@cache
def _parent() -> subprocess.Popen[bytes]:
    tests = str(Path(__file__).parents[1])
    path = os.pathsep.join([str(Path(tests).parent / "src"), tests])
    process = subprocess.Popen(
        [sys.executable, "-m", "support.warm_services"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    atexit.register(process.kill)
    return process


def main() -> int:
    """Fork one service for each line of standard input."""
    import diamond.service.app  # noqa: F401
    from diamond.service.__main__ import main as serve

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(order["environ"], Path(order["log"]), order["folder"])
            return serve(order["words"])
        print(pid, flush=True)
    return 0


def _become(environ: Mapping[str, str], log: Path, folder: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for source, target in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(out)


if __name__ == "__main__":
    sys.exit(main())
