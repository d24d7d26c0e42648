"""Start, find and stop processes.

A pid file contains "pid start-time", so that a recycled pid is never mistaken for one of ours.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .shape import LabError, LabShape

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CLEAN_ENV = {"PATH": SYSTEM_PATH, "LANG": "C.UTF-8"}
IN_ROOT_FOLDER = 'umask 022; cd /; exec "$@"'
LISTENING = "0A"

Words = Sequence[str | Path]


def find_program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}")


def call(
    *command: str | Path,
    check: bool = True,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; a timeout counts as exit status 124."""
    texts = [str(word) for word in command]
    try:
        done = subprocess.run(
            texts,
            capture_output=True,
            text=True,
            env=env,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(texts, 124, "", f"no answer after {timeout} s")
    if check and done.returncode:
        problem = done.stderr.strip() or done.stdout.strip()
        raise LabError(f"{shlex.join(texts)} failed ({done.returncode}): {problem}")
    return done


def wait_until(condition: Callable[[], object], seconds: float, *, every: float = 0.05) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True


def enter_network(lab: LabShape) -> list[str]:
    """The prefix that runs a command on the lab's network."""
    return ["nsenter", f"--net=/run/netns/{lab.netns}"] if lab.netns else []


def clean_env(lab: LabShape) -> dict[str, str]:
    """What daemons and commands of the lab see: its own Slurm first, if it has one."""
    own = lab.options.programs
    return {**CLEAN_ENV, "PATH": f"{own}:{SYSTEM_PATH}"} if own else dict(CLEAN_ENV)


def start(lab: LabShape, name: str, command: Words, env: Mapping[str, str] | None = None) -> None:
    """Start a daemon in its own session, without the caller's environment."""
    texts = [*enter_network(lab), "sh", "-c", IN_ROOT_FOLDER, "sh", *map(str, command)]
    texts[0] = find_program(texts[0]) or texts[0]
    log = os.open(lab.root / "log" / f"{name}.out", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    pid = os.posix_spawn(
        texts[0],
        texts,
        {**clean_env(lab), **(env or {})},
        setsid=True,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, log, 1),
            (os.POSIX_SPAWN_DUP2, log, 2),
        ],
    )
    os.close(log)
    pid_file(lab, name).write_text(f"{pid} {stat_of(pid)[2]}\n")


def pid_of(lab: LabShape, name: str) -> int | None:
    """The pid of a daemon while it runs."""
    try:
        pid, started = pid_file(lab, name).read_text().split()
    except (FileNotFoundError, ValueError):
        return None
    state, _, since = stat_of(int(pid))
    return int(pid) if since == started and state not in "ZX" else None


def running(lab: LabShape) -> dict[str, int]:
    names = sorted(path.name[:-4] for path in (lab.root / "run").glob("*.pid"))
    return {name: pid for name in names if (pid := pid_of(lab, name))}


def stop(lab: LabShape, name: str, number: int = signal.SIGTERM, *, seconds: float = 10) -> None:
    """Stop a daemon, even a hung one; kill it after a while."""
    if pid := pid_of(lab, name):
        kill(pid, signal.SIGCONT)
        kill(pid, number)
        if not wait_until(lambda: pid_of(lab, name) is None, seconds):
            kill(pid, signal.SIGKILL)
            wait_until(lambda: pid_of(lab, name) is None, 5)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    pid_file(lab, name).unlink(missing_ok=True)


def require(lab: LabShape, name: str, ready: Callable[[], bool], *, seconds: float = 30) -> None:
    """Wait for a daemon to be ready; raises with its log if it is not."""
    wait_until(lambda: ready() or pid_of(lab, name) is None, seconds)
    if not ready():
        how = "is not ready" if pid_of(lab, name) else "exited immediately"
        raise LabError(f"{name} {how}\n{log_tail(lab, name)}")


def listens(lab: LabShape, name: str, port: int) -> bool:
    """Whether a port is open on the daemon's network."""
    pid, wanted = pid_of(lab, name), f":{port:04X}"
    with contextlib.suppress(OSError):
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                _, local, _, state = line.split()[:4]
                if local.endswith(wanted) and state == LISTENING:
                    return True
    return False


def log_tail(lab: LabShape, name: str, lines: int = 15) -> str:
    text = ""
    for path in (lab.root / "log" / f"{name}.out", lab.root / "log" / f"{name}.log"):
        if path.exists() and path.stat().st_size:
            tail = path.read_text(errors="replace").splitlines()[-lines:]
            text += "\n".join([f"--- {path}", *tail, ""])
    return text


def kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def is_alive(pid: int) -> bool:
    return stat_of(pid)[0] not in "ZX"


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for process in all_pids():
        children.setdefault(stat_of(process)[1], []).append(process)
    result, left = [], [pid]
    while left:
        new = children.get(left.pop(), [])
        result += new
        left += new
    return result


def all_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def stat_of(pid: int) -> tuple[str, int, str]:
    """State, parent and start time of a process; ('X', -1, '') when it is gone."""
    try:
        parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "X", -1, ""
    return parts[0], int(parts[1]), parts[19]


def pid_file(lab: LabShape, name: str) -> Path:
    return lab.root / "run" / f"{name}.pid"
