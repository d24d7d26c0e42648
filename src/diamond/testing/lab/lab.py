"""A lab and its clusters, for Python: up, run, break, down."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from . import faults, shutdown, startup
from .daemons import node_states
from .login import session_env
from .machine import locked
from .processes import clean_env, descendants, enter_network, pid_of, running
from .shape import ClusterShape, LabError, LabShape, UpOptions, checked_root, load

DEFAULT_FOLDER = Path("/tmp/diamond-lab")
IN_FOLDER = 'cd -- "$0" 2>/dev/null || cd; exec "$@"'


class NodeStatus(TypedDict):
    name: str
    slurmd: bool
    state: str


class ClusterStatus(TypedDict):
    name: str
    like: str
    conf: str
    controller: bool
    login: bool
    nodes: list[NodeStatus]


class LabStatus(TypedDict):
    dir: str
    complete: bool
    isolated: bool
    netns: str | None
    ssh_config: str | None
    clusters: list[ClusterStatus]
    processes: dict[str, int]


class Lab:
    """Real Slurm clusters in one folder of this machine."""

    def __init__(self, folder: str | Path = DEFAULT_FOLDER) -> None:
        root = checked_root(folder)
        shape = load(root)
        if shape is None:
            raise LabError(f"no lab in {root}; run: diamond lab up {root}")
        self.shape: LabShape = shape

    @classmethod
    def up(cls, folder: str | Path = DEFAULT_FOLDER, **options: Unpack[UpOptions]) -> Lab:
        """Start everything that is not running. Safe to repeat, and from several processes at once."""
        startup.bring_up(checked_root(folder), options)
        return cls(folder)

    @property
    def root(self) -> Path:
        return self.shape.root

    @property
    def ssh_config(self) -> Path:
        """For `ssh -F`; it has a Host entry per cluster."""
        return self.shape.ssh_config

    @property
    def clusters(self) -> list[Cluster]:
        return [Cluster(self.shape, shape) for shape in self.shape.clusters]

    def cluster(self, name: str) -> Cluster:
        return Cluster(self.shape, self.shape.cluster(name))

    def status(self) -> LabStatus:
        clusters = [cluster.status() for cluster in self.clusters]
        up = running(self.shape)
        return LabStatus(
            dir=str(self.root),
            complete=self.expected() <= set(up),
            isolated=self.shape.isolated,
            netns=self.shape.netns,
            ssh_config=str(self.ssh_config) if self.shape.options.ssh else None,
            clusters=clusters,
            processes=up,
        )

    def expected(self) -> set[str]:
        """The names of all daemons of this lab."""
        shape, names = self.shape, {"munged"}
        names |= {"mariadbd", "slurmdbd"} if shape.options.accounting else set()
        for cluster in shape.clusters:
            names |= {cluster.controller, *cluster.node_names}
            names |= {cluster.login} if shape.options.ssh else set()
        return names

    def down(self, *, purge: bool = False) -> None:
        """Cancel all jobs and stop everything; records are kept unless purged."""
        shutdown.take_down(self.root, purge=purge)


class Cluster:
    """One cluster of a lab."""

    def __init__(self, lab: LabShape, shape: ClusterShape) -> None:
        self.lab, self.shape = lab, shape

    @property
    def name(self) -> str:
        return self.shape.name

    def env(self) -> dict[str, str]:
        """The environment with which sbatch, squeue and so on use this cluster."""
        env = {
            "SLURM_CONF": str(self.shape.conf),
            "DIAMOND_LAB_DIR": str(self.lab.root),
            "DIAMOND_LAB_CLUSTER": self.name,
        }
        if self.lab.options.ssh:
            env["DIAMOND_LAB_SSH_CONFIG"] = str(self.lab.ssh_config)
        return env

    def home(self, user: str) -> Path:
        """The folder on this machine that the user sees as home on the cluster."""
        if self.shape.is_strict:
            return self.shape.root / "home" / user
        return Path(user_entry(user).pw_dir)

    def run(
        self,
        command: Sequence[str | Path],
        *,
        user: str | None = None,
        node: str | int | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        check: bool = True,
        timeout_seconds: float | None = 120,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the cluster; `check` raises CalledProcessError."""
        return subprocess.run(
            self.command(command, user=user, node=node, cwd=cwd),
            env={**self.command_env(user), **(env or {})},
            check=check,
            timeout=timeout_seconds,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )

    def command(
        self,
        arguments: Sequence[str | Path],
        *,
        user: str | None = None,
        node: str | int | None = None,
        cwd: str | Path | None = None,
    ) -> list[str]:
        """The command line to run a command on the login node or a compute node, as a user.

        It runs in `cwd` if that user may enter it, else in their home.
        """
        enter = self.enter_node(self.shape.node(node)) if node else self.enter_login()
        folder = str(cwd or current_folder())
        within = ["sh", "-c", IN_FOLDER, folder, *map(str, arguments)]
        return [*enter, *(become(user) if user else []), *within]

    def command_env(self, user: str | None) -> dict[str, str]:
        """A clean environment for a user; for root the caller's own."""
        if user is None:
            slurm_prefixes = ("SLURM_", "SBATCH_", "SQUEUE_", "SINFO_", "SACCT_")
            mine = {k: v for k, v in os.environ.items() if not k.startswith(slurm_prefixes)}
            return {**mine, **self.env()}
        entry = user_entry(user)
        who = {"HOME": entry.pw_dir, "USER": user, "LOGNAME": user, "SHELL": entry.pw_shell}
        return {
            **clean_env(self.lab),
            **who,
            **self.env(),
            **session_env(self.lab, self.shape, user),
        }

    def enter_login(self) -> list[str]:
        pid = pid_of(self.lab, self.shape.login)
        if pid and self.lab.isolated:
            return ["nsenter", f"--target={pid}", "--mount", "--uts", "--net"]
        return enter_network(self.lab)

    def enter_node(self, node: str) -> list[str]:
        pid = pid_of(self.lab, node)
        if pid is None:
            raise LabError(f"{node} is not running")
        if not self.lab.isolated:
            return enter_network(self.lab)
        first = descendants(pid)[0]
        return ["nsenter", f"--target={first}", "--mount", "--uts", "--net", "--pid"]

    def break_node(self, node: str | int, action: faults.NodeAction) -> None:
        with locked(self.lab.root / ".lock"):
            faults.break_node(self.lab, self.shape, self.shape.node(node), action)

    def break_controller(self, action: faults.ControllerAction) -> None:
        with locked(self.lab.root / ".lock"):
            faults.break_controller(self.lab, self.shape, action)

    def status(self) -> ClusterStatus:
        up = running(self.lab)
        answers = self.shape.controller in up and "munged" in up
        states = node_states(self.lab, self.shape) if answers else {}
        return ClusterStatus(
            name=self.name,
            like=self.shape.like,
            conf=str(self.shape.conf),
            controller=self.shape.controller in up,
            login=self.shape.login in up,
            nodes=[
                NodeStatus(name=node, slurmd=node in up, state=states.get(node, "unknown"))
                for node in self.shape.node_names
            ],
        )


def become(user: str) -> list[str]:
    entry = user_entry(user)
    return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--init-groups"]


def user_entry(user: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(user)
    except KeyError:
        raise LabError(f"no user {user!r}") from None


def current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")
