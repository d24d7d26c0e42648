"""Start and query munged, slurmctld and slurmd, and bring nodes into service."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .processes import (
    call,
    clean_env,
    enter_network,
    log_tail,
    pid_of,
    require,
    start,
    wait_until,
)
from .shape import ClusterShape, LabError, LabShape
from .storage import node_binds

IN_SERVICE = ("idle", "allocated", "mixed", "completing", "planned", "reserved")
OUT_OF_SERVICE = ("down", "drained", "draining")


def slurm(
    lab: LabShape, cluster: ClusterShape, *command: str, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a Slurm command as root, without the caller's own SLURM_ and SQUEUE_ settings."""
    env = {**clean_env(lab), "SLURM_CONF": str(cluster.conf)}
    # By `env`, since Python would look for the program on its own PATH.
    return call("env", *enter_network(lab), *command, check=check, env=env, timeout=30)


def start_munge(lab: LabShape) -> None:
    if pid_of(lab, "munged"):
        return
    folder = lab.root / "munge"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    if not (folder / "key").exists():
        (folder / "key").touch(mode=0o600)
        (folder / "key").write_bytes(os.urandom(128))
    # --force: munged rejects folders below one that others may write to, such as /tmp.
    start(
        lab,
        "munged",
        [
            "munged",
            "--foreground",
            "--force",
            f"--socket={lab.munge_socket}",
            f"--key-file={folder}/key",
            f"--pid-file={folder}/munged.pid",
            f"--seed-file={folder}/seed",
            f"--log-file={lab.root}/log/munged.log",
            "--num-threads=4",
        ],
    )
    command = ("munge", "-S", lab.munge_socket, "-n", "-o", "/dev/null")
    require(lab, "munged", lambda: call(*command, check=False).returncode == 0)


def start_controller(lab: LabShape, cluster: ClusterShape) -> None:
    if not pid_of(lab, cluster.controller):
        command = ["slurmctld", "-D", "-f", str(cluster.conf)]
        start(lab, cluster.controller, command, {"SLURM_CONF": str(cluster.conf)})


def require_controller(lab: LabShape, cluster: ClusterShape) -> None:
    def answers() -> bool:
        return "is UP" in slurm(lab, cluster, "scontrol", "ping", check=False).stdout

    require(lab, cluster.controller, answers)


def start_node(lab: LabShape, cluster: ClusterShape, node: str) -> None:
    if pid_of(lab, node):
        return
    (cluster.root / "spool" / node).mkdir(exist_ok=True)
    local = cluster.root / "locals" / node
    local.mkdir(exist_ok=True)
    local.chmod(0o1777)
    command = ["slurmd", "-D", "-N", node, "-f", str(cluster.conf)]
    if lab.isolated:
        binds = [(local, cluster.root / "local"), *node_binds(lab, cluster)]
        command = [
            "unshare",
            "--uts",
            "--pid",
            "--mount-proc",
            "--fork",
            "--kill-child=SIGKILL",
            "sh",
            "-c",
            f'{namespace_setup(node, binds)} && "$@" & wait $!',
            "diamond-node",
            *command,
        ]
    start(lab, node, command, {"SLURM_CONF": str(cluster.conf)})


def namespace_setup(host: str, binds: Sequence[tuple[Path, Path]]) -> str:
    """Shell code that gives a new namespace its host name and its own folders."""
    mounts = [shlex.join(["mount", "--bind", str(here), str(there)]) for here, there in binds]
    return " && ".join([shlex.join(["hostname", host]), *mounts])


def node_states(lab: LabShape, cluster: ClusterShape) -> dict[str, str]:
    lines = slurm(lab, cluster, "sinfo", "-h", "-N", "-o", "%N %T", check=False).stdout
    return dict(line.split() for line in lines.splitlines())


def bring_into_service(lab: LabShape, cluster: ClusterShape, nodes: Sequence[str]) -> None:
    """Wait until nodes are in service, and resume those that are down."""
    states: dict[str, str] = {}

    def unfit() -> dict[str, str]:
        return {node: states.get(node, "") for node in nodes if states.get(node) not in IN_SERVICE}

    def ready() -> bool:
        states.update(node_states(lab, cluster))
        down = [node for node, state in unfit().items() if state.rstrip("*") in OUT_OF_SERVICE]
        if down:
            set_nodes(lab, cluster, down, "State=RESUME")
        return not unfit()

    if not wait_until(ready, 30, every=0.1):
        log = "".join(log_tail(lab, node, 8) for node in list(unfit())[:2])
        raise LabError(f"nodes not in service: {unfit()}\n{log}")


def set_nodes(
    lab: LabShape, cluster: ClusterShape, nodes: Sequence[str], *changes: str, check: bool = False
) -> None:
    slurm(lab, cluster, "scontrol", "update", f"NodeName={','.join(nodes)}", *changes, check=check)
