"""Runs one local job to its end and writes down how it ended.

Started by `local.py` as a file of its own (`python -I -S`), so that it needs no package, outlives the agent and its upgrade,
and starts within a few milliseconds. Usage: supervisor.py JOB_FOLDER, which holds `job.json`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Set

PR_SET_CHILD_SUBREAPER = 36
CANCEL_GRACE_SECONDS = 5.0
LIMIT_GRACE_SECONDS = 10.0
SWEEP_SECONDS = 2.0
PROC = Path("/proc")
HAS_PROC = (PROC / "self").is_dir()


def main(folder: Path) -> None:
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    wake = wake_on_signals()
    if claim(folder):
        adopt_orphans()
        Supervised(folder, job, wake).run()


def claim(folder: Path) -> bool:
    """One supervisor for one job: the first to link its identity there."""
    mine = folder / f"supervisor.{os.getpid()}"
    mine.write_text(identity(os.getpid()), encoding="utf-8")
    try:
        os.link(mine, folder / "supervisor")
        return True
    except FileExistsError:
        return False
    finally:
        mine.unlink()


def identity(pid: int) -> str:
    """`pid start-time boot`: never mistaken for a later process that got the same number."""
    return f"{pid} {start_time(pid)} {boot()}"


def start_time(pid: int) -> str:
    """Empty when there is no such process, or only its remains."""
    fields = stat_fields(pid)
    if fields is not None:
        return "" if fields[0] in ("Z", "X") else fields[19]
    if HAS_PROC:
        return ""
    asked = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return asked.stdout.decode("ascii", "replace").strip().replace(" ", "_")


def stat_fields(pid: int) -> Optional[List[str]]:
    """/proc/PID/stat after the program's name: state, parent, …, start time at 19."""
    try:
        said = (PROC / str(pid) / "stat").read_text(encoding="ascii", errors="replace")
        return said.rpartition(")")[2].split()
    except OSError:
        return None


def boot() -> str:
    try:
        return (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "-"


def adopt_orphans() -> None:
    """On Linux what a job leaves behind becomes our child, and is found at the end."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wake_on_signals() -> int:
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    return reader


class Supervised:
    """One job from its start to its end."""

    def __init__(self, folder: Path, job: Dict[str, Any], wake: int) -> None:
        self.folder, self.job, self.wake = folder, job, wake
        self.child = 0
        self.code: Optional[int] = None
        self.cause = ""
        self.kill_at: Optional[float] = None
        self.limit_at = time.monotonic() + float(job["walltime_seconds"])

    def run(self) -> None:
        if self.is_cancelled():
            self.cause = "cancelled"
            self.write_end()
            return
        try:
            self.start()
        except OSError as error:
            self.write_end(exit_code=127, message=str(error))
            return
        while not self.reap():
            self.act(self.pause())
        self.sweep()
        self.write_end(**self.ending())

    def start(self) -> None:
        attempt = Path(self.job["folder"])
        environment = {**os.environ, **self.job["environment"]}
        with (attempt / "native.log").open("ab") as log:
            process = subprocess.Popen(
                ["/bin/bash", self.job["script"]],
                cwd=attempt,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.child = process.pid
        process.returncode = 0  # `reap` waits for it, since it must wait for adopted ones too
        put(self.folder, "child", identity(self.child))

    def reap(self) -> bool:
        """True when the script has ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return self.code is not None
            if pid == self.child:
                self.code = exit_status(status)

    def pause(self) -> bool:
        """Waits for a signal or the next deadline; true when we are told to end."""
        until = self.limit_at if self.kill_at is None else self.kill_at
        select.select([self.wake], [], [], max(0.0, min(until - time.monotonic(), 3600)))
        try:
            received: Set[int] = set(os.read(self.wake, 512))
        except BlockingIOError:
            received = set()
        return bool(received & {signal.SIGTERM, signal.SIGINT})

    def act(self, told_to_end: bool) -> None:
        if told_to_end and not self.cause:
            self.end_it("cancelled" if self.is_cancelled() else "terminated", CANCEL_GRACE_SECONDS)
        elif self.kill_at is not None and time.monotonic() >= self.kill_at:
            self.signal_all(signal.SIGKILL)
            self.kill_at = time.monotonic() + 1
        elif self.kill_at is None and time.monotonic() >= self.limit_at:
            self.end_it("time-limit", LIMIT_GRACE_SECONDS)

    def is_cancelled(self) -> bool:
        return (self.folder / "cancel").exists()

    def end_it(self, cause: str, grace_seconds: float) -> None:
        self.cause = cause
        self.kill_at = time.monotonic() + grace_seconds
        self.signal_all(signal.SIGCONT)
        self.signal_all(signal.SIGTERM)

    def signal_all(self, number: int) -> None:
        for pid in self.members():
            send(pid, number)
        if not HAS_PROC:
            send(-self.child, number)

    def members(self) -> List[int]:
        """All that the job started, also what has left its session."""
        parents = process_parents()
        mine = {os.getpid()}
        grown = True
        while grown:
            more = {pid for pid, parent in parents.items() if parent in mine} - mine
            grown = bool(more)
            mine |= more
        return sorted(mine - {os.getpid()})

    def sweep(self) -> None:
        """Nothing of a job outlives its script."""
        deadline = time.monotonic() + SWEEP_SECONDS
        while time.monotonic() < deadline:
            left = self.members()
            if not left:
                break
            self.signal_all(signal.SIGKILL)
            select.select([self.wake], [], [], 0.02)
            self.reap()
        if not HAS_PROC:
            send(-self.child, signal.SIGKILL)

    def ending(self) -> Dict[str, Any]:
        code = self.code if self.code is not None else -signal.SIGKILL
        if code < 0:
            return {"exit_code": 0, "signal": -code}
        return {"exit_code": code}

    def write_end(self, **ending: Any) -> None:
        record = {"cause": self.cause, "at": time.time(), **ending}
        put(self.folder, "end", json.dumps(record))


def process_parents() -> Dict[int, int]:
    """The parent of each living process; empty where there is no /proc."""
    pids = [int(path.name) for path in PROC.iterdir() if path.name.isdigit()] if HAS_PROC else []
    fields = {pid: stat_fields(pid) for pid in pids}
    return {pid: int(has[1]) for pid, has in fields.items() if has and has[0] not in ("Z", "X")}


def exit_status(status: int) -> int:
    """As subprocess has it: the exit code, or minus the signal."""
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def put(folder: Path, name: str, text: str) -> None:
    """A file that is there whole or not at all."""
    aside = folder / f".{name}"
    with aside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
