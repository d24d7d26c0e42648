"""`down`: stop all jobs and daemons, and optionally delete all files."""

from __future__ import annotations

import contextlib
import shutil
import signal
from pathlib import Path

from . import processes
from .daemons import set_nodes, slurm
from .faults import crash_node
from .machine import locked, name_hosts, remove_network
from .shape import RESERVED_NAMES, ClusterShape, LabShape, load
from .storage import unmount_storage


def take_down(root: Path, *, purge: bool) -> bool:
    """Stop a lab; returns whether there was one."""
    if not root.exists():
        return False
    with locked(root / ".lock"):
        lab = load(root)
        if lab:
            stop_everything(lab)
            with locked():
                name_hosts(lab, present=False)
                remove_network(lab)
            if purge:
                delete(lab)
    return lab is not None


def stop_everything(lab: LabShape) -> None:
    answering = [cluster for cluster in lab.clusters if can_ask(lab, cluster)]
    for cluster in answering:
        cancel_jobs(lab, cluster)
    for cluster in lab.clusters:
        stop_login(lab, cluster)
        for node in cluster.node_names:
            crash_node(lab, cluster, node)
    for cluster in answering:
        fail_remaining_jobs(lab, cluster)
    for cluster in answering:  # they save their state in parallel
        if pid := processes.pid_of(lab, cluster.controller):
            processes.kill(pid, signal.SIGTERM)
    last = [*(cluster.controller for cluster in lab.clusters), "slurmdbd", "mariadbd", "munged"]
    for name in [*last, *processes.running(lab)]:
        processes.stop(lab, name)
    for cluster in lab.clusters:
        unmount_storage(cluster)


def can_ask(lab: LabShape, cluster: ClusterShape) -> bool:
    pid = processes.pid_of(lab, cluster.controller)
    if pid:
        processes.kill(pid, signal.SIGCONT)
    return bool(pid and processes.pid_of(lab, "munged"))


def cancel_jobs(lab: LabShape, cluster: ClusterShape) -> None:
    for state in ("PENDING", "RUNNING", "SUSPENDED"):  # scancel accepts one state at a time
        slurm(lab, cluster, "scancel", f"--state={state}", check=False)
    processes.wait_until(lambda: not active_jobs(lab, cluster), 1.5, every=0.1)


def fail_remaining_jobs(lab: LabShape, cluster: ClusterShape) -> None:
    """Fail jobs that did not end; otherwise the next `up` finds nodes busy with them for a minute."""
    if active_jobs(lab, cluster):
        set_nodes(lab, cluster, cluster.node_names, "State=DOWN", "Reason=diamond-lab")
        processes.wait_until(lambda: not active_jobs(lab, cluster), 3, every=0.1)


def active_jobs(lab: LabShape, cluster: ClusterShape) -> list[str]:
    command = ("squeue", "-h", "-o", "%A", "-t", "R,CG,S")
    return slurm(lab, cluster, *command, check=False).stdout.split()


def stop_login(lab: LabShape, cluster: ClusterShape) -> None:
    pid = processes.pid_of(lab, cluster.login)
    sessions = processes.descendants(pid) if pid else []
    processes.stop(lab, cluster.login)
    for session in sessions:
        processes.kill(session, signal.SIGKILL)


def delete(lab: LabShape) -> None:
    """Delete only what a lab creates, and its folder if that is empty then."""
    for name in (*RESERVED_NAMES, *(cluster.name for cluster in lab.clusters)):
        shutil.rmtree(lab.root / name, ignore_errors=True)
    for name in ("lab.json", ".lock"):
        (lab.root / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        lab.root.rmdir()
