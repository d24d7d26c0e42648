"""The processes of a run on this node: alive or not, CPU time, memory. From /proc, else from `ps`."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Mapping, Optional

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    parent: int
    cpu_seconds: float
    private_bytes: int
    shared_bytes: int = 0
    ended: bool = False


@dataclass(frozen=True)
class Usage:
    """One sample of a process tree. Memory shared among processes counts once."""

    at: float
    cpu_seconds: Dict[int, float] = field(default_factory=dict)
    memory_bytes: int = 0

    def cpu_percent_since(self, before: Usage) -> float:
        """100 means one core; a process that ended in between is not counted."""
        spent = sum(
            seconds - before.cpu_seconds.get(pid, 0.0) for pid, seconds in self.cpu_seconds.items()
        )
        return 100 * max(0.0, spent) / max(self.at - before.at, 0.001)


def is_alive(pid: int) -> bool:
    """Whether the process is running; a zombie is not."""
    if PROC.joinpath("self").exists():
        process = _from_proc(pid)
        return process is not None and not process.ended
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def tree_usage(pid: int) -> Usage:
    """What the process and its descendants use now."""
    processes = all_processes()
    return _usage({member: processes[member] for member in tree_of(pid, processes)})


def run_usage(pid: int, given: Mapping[str, str]) -> Usage:
    """The same for everything of this run on this node: the batch system, not the batch script, is the parent of ranks.

    They are known by the variable DIAMOND_ATTEMPT, which each inherits. Several nodes of a lab share one machine: a
    program with another node's DIAMOND_NODE_RANK does not count.
    """
    processes = all_processes()
    variables = {member: _variables(member) for member in processes}
    attempt = f"DIAMOND_ATTEMPT={given.get('DIAMOND_ATTEMPT') or None}".encode()
    roots = [pid, *(member for member in processes if attempt in variables[member])]
    members = {member for root in roots for member in tree_of(root, processes)}
    node = f"DIAMOND_NODE_RANK={given.get('DIAMOND_NODE_RANK') or 0}".encode()
    own = [member for member in members if _is_on(node, variables[member])]
    return _usage({member: processes[member] for member in own if member != os.getpid()})


def _variables(pid: int) -> List[bytes]:
    """None of somebody else's process, whose environment cannot be read."""
    try:
        return (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _is_on(node: bytes, variables: List[bytes]) -> bool:
    return all(
        variable == node for variable in variables if variable.startswith(b"DIAMOND_NODE_RANK=")
    )


def _usage(tree: Dict[int, Process]) -> Usage:
    memory = sum(process.private_bytes for process in tree.values())
    memory += max((process.shared_bytes for process in tree.values()), default=0)
    seconds = {member: process.cpu_seconds for member, process in tree.items()}
    return Usage(at=time.monotonic(), cpu_seconds=seconds, memory_bytes=memory)


def tree_of(pid: int, processes: Dict[int, Process]) -> List[int]:
    """The process and all its known descendants."""
    children: Dict[int, List[int]] = {}
    for member, process in processes.items():
        children.setdefault(process.parent, []).append(member)
    members, pending = [], [pid] if pid in processes else []
    while pending:
        member = pending.pop()
        members.append(member)
        pending.extend(children.get(member, []))
    return members


def all_processes() -> Dict[int, Process]:
    if not PROC.joinpath("self").exists():
        return processes_from_ps(_ask_ps())
    pids = [int(name) for name in os.listdir(PROC) if name.isdigit()]  # noqa: PTH208
    read = {pid: _from_proc(pid) for pid in pids}
    return {pid: process for pid, process in read.items() if process is not None}


def processes_from_ps(text: str) -> Dict[int, Process]:
    """From `ps -A -o pid=,ppid=,time=,rss=`; an unexpected line is skipped."""
    processes: Dict[int, Process] = {}
    for line in text.splitlines():
        columns = line.split()
        if len(columns) == 4 and columns[0].isdigit() and columns[3].isdigit():
            resident = int(columns[3]) * 1024
            processes[int(columns[0])] = Process(
                int(columns[1]), _clock_seconds(columns[2]), resident
            )
    return processes


def _from_proc(pid: int) -> Optional[Process]:
    """None if the process is gone. The name in `stat` may contain blanks and brackets."""
    try:
        stat = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        statm = (PROC / str(pid) / "statm").read_text().split()
    except OSError:
        return None
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    resident, shared = int(statm[1]) * page, int(statm[2]) * page
    return Process(
        parent=int(stat[1]),
        cpu_seconds=(int(stat[11]) + int(stat[12])) / ticks,
        private_bytes=resident - shared,
        shared_bytes=shared,
        ended=stat[0] in "ZX",
    )


def _ask_ps() -> str:
    command = ["ps", "-A", "-o", "pid=,ppid=,time=,rss="]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def _clock_seconds(text: str) -> float:
    """[DD-]HH:MM:SS or MM:SS.cc"""
    days, _, clock = text.rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds + 86400 * int(days or 0)
