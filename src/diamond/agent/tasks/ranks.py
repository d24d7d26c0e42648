"""What the agent writes for an attempt with several ranks, and what it learns from those that failed."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Any

from diamond.agent.disk import read_json, write_whole
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.folders import AttemptFolder
from diamond.core.order import Order
from diamond.launchers.script import Started
from diamond.launchers.starters.plan import LaunchPlan, plan_text
from diamond.runtimes.base import Entered

FAILURES_TO_LEAVE_OUT = 2
_RANK_PYTHON = """\
#!/bin/sh
# Stands for Python where torchrun or accelerate starts a rank: the shim around it, by the launcher's own Python.
exec "/proc/$PPID/exe" -E -S {shim} rank-of-launcher "$@"
"""
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "WANDB_MODE": "offline",
}
"""So that libraries do not wait for hubs that a compute node cannot reach."""


def ranks_program(order: Order, training: str) -> str:
    """The file that oversees the ranks; '' for a single process."""
    if order.launch.kind == "single" or order.build is not None:
        return ""
    return str(Path(training) / "diamond" / "launchers" / "ranks" / "__main__.py")


def write_launch(
    folder: AttemptFolder,
    order: Order,
    *,
    entered: Entered,
    started: Started,
    profile: Profile,
    program: str,
    starter: str,
) -> None:
    """`launch.json`, and the file that stands for Python, beside the batch script."""
    rank_python = folder.path / "rank.sh"
    write_whole(rank_python, _RANK_PYTHON.format(shim=shlex.quote(program)).encode(), mode=0o700)
    own = order.environment.variables if order.environment else {}
    plan = LaunchPlan(
        kind=order.launch.kind,
        nodes=order.resources.nodes,
        ranks_per_node=order.resources.tasks_per_node,
        cpus_per_rank=order.resources.cpus_per_task,
        command=[*entered.prefix, *started.words],
        starts_ranks=order.launch.starts_ranks,
        inside=list(entered.prefix),
        with_variables=list(started.with_variables),
        binds=own.get("DIAMOND_BIND") != "none",
        rank_python=str(rank_python),
        starter=starter,
        mpi=str(profile.facts.get("mpi") or ""),
        interface=str(profile.facts.get("interface") or ""),
        hang_seconds=float(order.launch.hang_seconds),
    )
    write_whole(folder.path / "launch.json", plan_text(plan).encode())


def default_variables(profile: Profile) -> dict[str, str]:
    """What a site wishes of programs that say nothing else themselves."""
    return {**_offline(profile), **_write_budget(profile)}


def _offline(profile: Profile) -> dict[str, str]:
    internet = profile.facts.get("internet")
    offline = isinstance(internet, dict) and internet.get("compute") is False
    return dict(OFFLINE) if offline else {}


def _write_budget(profile: Profile) -> dict[str, str]:
    megabytes = profile.facts.get("write_mb_per_second")
    if not isinstance(megabytes, (int, float)) or megabytes <= 0:
        return {}
    return {"DIAMOND_WRITE_BUDGET": str(int(1e6 * megabytes))}


def culprit_of(run_folder: Path) -> dict[str, Any]:
    """Which rank ended a run, as its overseer wrote it; {} if none is to blame."""
    return read_json(run_folder / "culprit.json") or {}


def warning_of(run_folder: Path) -> str:
    """What the overseer of a run that went well found wrong; '' if nothing."""
    return str((read_json(run_folder / "warning.json") or {}).get("message", ""))


def nodes_to_leave_out(folder: AttemptFolder) -> list[str]:
    """Nodes on which ranks of this task were killed or hung at least twice."""
    attempts = folder.path.parent
    culprits = [culprit_of(file.parent) for file in attempts.glob("*/runs/*/culprit.json")]
    blamed = Counter(
        str(each["node"]) for each in culprits if each.get("blames_node") and each.get("node")
    )
    return sorted(node for node, count in blamed.items() if count >= FAILURES_TO_LEAVE_OUT)
