"""The processes of this node, as the kernel lists them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from typing import Dict, Iterable, Set, Tuple

PR_SET_CHILD_SUBREAPER = 36
MARK = "DIAMOND_PILOT_JOB_ID"
"""By this variable a process that left its session is still known to belong to its execution."""


def adopt_orphans() -> None:
    """What our children leave behind becomes our own child: nothing escapes."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_all(*, only_executions: bool = False) -> None:
    """Everything below this process, by SIGKILL; `only_executions`: what belongs to one."""
    for _ in range(20):
        left = {pid for pid in descendants() if not only_executions or mark_of(pid)}
        if not left:
            return
        kill_together(left)
        time.sleep(0.01)


def kill_together(pids: Iterable[int]) -> None:
    """Stopped first: a shell that sees its child die would start its next command."""
    together = list(pids)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in together:
            send(pid, number)


def children() -> Set[int]:
    """Of this process; everything is looked at where the kernel keeps no such list."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return {int(word) for word in file.read().split()}
    except OSError:
        parents, _ = processes()
        return {pid for pid, parent in parents.items() if parent == os.getpid()}


def descendants() -> Set[int]:
    parents, _ = processes()
    mine = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        grown = bool(more)
        mine |= more
    return mine - {os.getpid()}


def processes() -> Tuple[Dict[int, int], Dict[int, int]]:
    """Parent and session of each living process."""
    parents: Dict[int, int] = {}
    sessions: Dict[int, int] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", errors="replace") as file:  # noqa: PTH123
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in ("Z", "X"):
            parents[int(name)], sessions[int(name)] = int(fields[1]), int(fields[3])
    return parents, sessions


def mark_of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError:
        return ""
    head = MARK.encode() + b"="
    return next(
        (e[len(head) :].decode(errors="replace") for e in text.split(b"\0") if e.startswith(head)),
        "",
    )


def send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
