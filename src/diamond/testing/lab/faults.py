"""Make nodes and controllers fail, crash or hang, and repair them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from . import processes
from .daemons import bring_into_service, require_controller, set_nodes, start_controller, start_node
from .shape import ClusterShape, LabError, LabShape

NodeAction = Literal["fail", "crash", "hang", "resume", "start"]
ControllerAction = Literal["stop", "hang", "resume", "start"]


def break_node(lab: LabShape, cluster: ClusterShape, node: str, action: NodeAction) -> None:
    pid = processes.pid_of(lab, node)
    if action == "start":
        start_node(lab, cluster, node)
        bring_into_service(lab, cluster, [node])
    elif not pid:
        raise LabError(f"{node} is not running; start it first")
    elif action in ("fail", "crash"):
        crash_node(lab, cluster, node)
        if action == "fail":
            set_nodes(lab, cluster, [node], "State=DOWN", "Reason=failed", check=True)
    else:
        number = signal.SIGSTOP if action == "hang" else signal.SIGCONT
        for slurmd in slurmd_pids(pid):
            processes.kill(slurmd, number)


def break_controller(lab: LabShape, cluster: ClusterShape, action: ControllerAction) -> None:
    pid = processes.pid_of(lab, cluster.controller)
    if action == "start":
        start_controller(lab, cluster)
        require_controller(lab, cluster)
    elif not pid:
        raise LabError(f"the controller of {cluster.name} is not running; start it first")
    elif action == "stop":
        processes.stop(lab, cluster.controller)
    else:
        processes.kill(pid, signal.SIGSTOP if action == "hang" else signal.SIGCONT)


def crash_node(lab: LabShape, cluster: ClusterShape, node: str) -> None:
    """Kill a node and everything on it without warning, and empty its disks.

    If a dead job's script stayed in the spool, slurmd would refuse to run that job again.
    """
    pid = processes.pid_of(lab, node)
    victims = set(processes.descendants(pid)) if pid else set()
    if not lab.isolated:
        victims |= {*step_processes(cluster, node), *job_processes(cluster, node)} - {os.getpid()}
    processes.stop(lab, node, signal.SIGKILL)
    for victim in victims:
        processes.kill(victim, signal.SIGKILL)
    processes.wait_until(lambda: not any(map(processes.is_alive, victims)), 5)
    for folder in ("spool", "locals"):
        shutil.rmtree(cluster.root / folder / node, ignore_errors=True)


def slurmd_pids(pid: int) -> Iterator[int]:
    """Only the daemon itself: jobs keep running while it hangs."""
    for process in [pid, *processes.descendants(pid)]:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{process}/comm").read_text().strip() == "slurmd":
                yield process


def step_processes(cluster: ClusterShape, node: str) -> Iterator[int]:
    """The slurmstepd processes that listen on sockets in the node's spool, and their children."""
    for path in (cluster.root / "spool" / node).glob(f"{node}_*"):
        with socket.socket(socket.AF_UNIX) as link, contextlib.suppress(OSError):
            link.settimeout(0.5)
            link.connect(str(path))
            raw = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            pid = struct.unpack("3i", raw)[0]
            yield from (pid, *processes.descendants(pid))


def job_processes(cluster: ClusterShape, node: str) -> Iterator[int]:
    """Processes whose environment says that a job of this node started them."""
    wanted = {f"SLURM_CONF={cluster.conf}".encode(), f"SLURMD_NODENAME={node}".encode()}
    for pid in processes.all_pids():
        with contextlib.suppress(OSError):
            if wanted <= set(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")):
                yield pid
