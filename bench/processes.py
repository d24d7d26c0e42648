"""Long-lived processes of a measurement: started, observed, and ended with it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
STOP_SECONDS = 15


@contextlib.contextmanager
def running(
    words: Sequence[str], *, env: Mapping[str, str], log: Path, cwd: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the block; its output goes to `log`.

    In its own session, like a daemon: Linux divides the cores among sessions (sched_autogroup).
    """
    with log.open("ab") as file:
        process = subprocess.Popen(
            list(words),
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def is_alive(process: subprocess.Popen[bytes], log: Path) -> bool:
    """True, or end the measurement with the last output of the process."""
    if process.poll() is not None:
        words = log.read_text(errors="replace")[-3000:]
        raise SystemExit(f"bench: {process.args!r} ended with {process.returncode}\n{words}")
    return True


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def memory_mb(pid: int) -> float:
    """Resident memory now, in MB of 2**20 bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)


def cpu_seconds(pid: int) -> float:
    """CPU time used by a process and by its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(value) for value in fields[11:15]) / TICKS
