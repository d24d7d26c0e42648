"""Runs one local job to its end and writes down how it ended.

Started by `local.py` as a file of its own (`python -I -S`): it needs no package and outlives the agent and its upgrade.
Usage: supervisor.py JOB_FOLDER ATTEMPT_FOLDER SCRIPT SECONDS. It imports so little because each job waits for it: with
pathlib, json and subprocess a job started 30 ms later.
"""
# ruff: noqa: PTH105, PTH108, PTH110, PTH112, PTH118, PTH123, PTH208, SIM105

from __future__ import annotations

import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional

PR_SET_CHILD_SUBREAPER = 36
CANCEL_GRACE_SECONDS = 5.0
LIMIT_GRACE_SECONDS = 10.0
SWEEP_SECONDS = 2.0
NOT_STARTED = 127
HAS_PROC = os.path.isdir("/proc/self")


def main(folder: str, attempt: str, script: str, seconds: str) -> None:
    wake = wake_on_signals()
    if claim(folder):
        job = Supervised(folder, wake, float(seconds))
        job.run(attempt, script)


def claim(folder: str) -> bool:
    """One supervisor for one job: the first to link its identity there."""
    mine = os.path.join(folder, f"supervisor.{os.getpid()}")
    with open(mine, "w", encoding="utf-8") as file:
        file.write(identity(os.getpid()))
    try:
        os.link(mine, os.path.join(folder, "supervisor"))
        return True
    except FileExistsError:
        return False
    finally:
        os.unlink(mine)


def identity(pid: int) -> str:
    """`pid start-time boot`: never mistaken for a later process that got the same number."""
    return f"{pid} {start_time(pid)} {boot()}"


def start_time(pid: int) -> str:
    """Empty when there is no such process, or only its remains."""
    fields = stat_fields(pid)
    if fields is not None:
        return "" if fields[0] in ("Z", "X") else fields[19]
    return "" if HAS_PROC else start_time_by_ps(pid)


def start_time_by_ps(pid: int) -> str:
    import subprocess

    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    asked = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return asked.stdout.decode("ascii", "replace").strip().replace(" ", "_")


def stat_fields(pid: int) -> Optional[List[str]]:
    """/proc/PID/stat after the program's name: state, parent, …, start time at 19."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return "-"


def adopt_orphans() -> None:
    """On Linux what a job leaves behind becomes our child, and is found at the end."""
    if sys.platform == "linux":
        import ctypes

        try:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        except (OSError, AttributeError):
            pass


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

    def __init__(self, folder: str, wake: int, seconds: float) -> None:
        self.folder, self.wake = folder, wake
        self.child = 0
        self.code: Optional[int] = None
        self.cause = ""
        self.kill_at: Optional[float] = None
        self.limit_at = time.monotonic() + seconds

    def run(self, attempt: str, script: str) -> None:
        if self.is_cancelled():
            self.cause = "cancelled"
            self.write_end()
            return
        self.start(attempt, script)
        while not self.reap():
            self.act(self.pause())
        self.sweep()
        self.write_end()

    def start(self, attempt: str, script: str) -> None:
        self.child = os.fork()
        if self.child == 0:
            become_job(self.folder, attempt, script)
        adopt_orphans()

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
        """Waits for a signal or the next deadline; true when asked to end."""
        until = self.limit_at if self.kill_at is None else self.kill_at
        select.select([self.wake], [], [], max(0.0, min(until - time.monotonic(), 3600)))
        try:
            received = set(os.read(self.wake, 512))
        except BlockingIOError:
            received = set()
        return bool(received & {signal.SIGTERM, signal.SIGINT})

    def act(self, told_to_end: bool) -> None:
        if told_to_end and not self.cause:
            grace = 0.0 if self.is_killed() else CANCEL_GRACE_SECONDS
            self.end_it("cancelled" if self.is_cancelled() else "terminated", grace)
        elif self.kill_at is not None and time.monotonic() >= self.kill_at:
            self.signal_all(signal.SIGKILL)
            self.kill_at = time.monotonic() + 1
        elif self.kill_at is None and time.monotonic() >= self.limit_at:
            self.end_it("time-limit", LIMIT_GRACE_SECONDS)

    def is_cancelled(self) -> bool:
        return os.path.exists(os.path.join(self.folder, "cancel"))

    def is_killed(self) -> bool:
        return os.path.exists(os.path.join(self.folder, "kill"))

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
        while self.members() and time.monotonic() < deadline:
            self.signal_all(signal.SIGKILL)
            select.select([self.wake], [], [], 0.02)
            self.reap()
        if not HAS_PROC:
            send(-self.child, signal.SIGKILL)

    def write_end(self) -> None:
        """`cause exit-code signal time`, with - for what there is not."""
        code = self.code
        exited = "-" if code is None else max(0, code)
        signalled = -code if code is not None and code < 0 else "-"
        text = f"{self.cause or '-'} {exited} {signalled} {time.time():.3f}"
        put(self.folder, "end", text, durable=True)


def become_job(folder: str, attempt: str, script: str) -> None:
    """In the child: a new session, its folder, its log, and then bash. Never returns."""
    try:
        os.setsid()
        put(folder, "child", identity(os.getpid()), durable=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.chdir(attempt)
        log = os.open("native.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(log, stream)
        os.execv("/bin/bash", ["/bin/bash", script])
    except BaseException as error:
        os.write(2, f"diamond: the job could not be started: {error}\n".encode())
    finally:
        os._exit(NOT_STARTED)


def process_parents() -> Dict[int, int]:
    """The parent of each living process; empty where there is no /proc."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()] if HAS_PROC else []
    fields = {pid: stat_fields(pid) for pid in pids}
    return {pid: int(has[1]) for pid, has in fields.items() if has and has[0] not in ("Z", "X")}


def exit_status(status: int) -> int:
    """The exit code, or minus the signal."""
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def put(folder: str, name: str, text: str, *, durable: bool) -> None:
    """A file that is there whole or not at all."""
    aside = os.path.join(folder, "." + name)
    with open(aside, "w", encoding="utf-8") as file:
        file.write(text)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    os.replace(aside, os.path.join(folder, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
