"""Which starter a run has."""

from __future__ import annotations

from typing import Callable, Dict, List, Sequence

from diamond.launchers.starters import srun
from diamond.launchers.starters.base import Starter, shim
from diamond.launchers.starters.fork import Fork
from diamond.launchers.starters.mpirun import MPIRUN, Mpirun
from diamond.launchers.starters.per_node import node_command
from diamond.launchers.starters.plan import LaunchPlan
from diamond.launchers.starters.srun import SRUN, Srun

STARTERS: Dict[str, Callable[[], Starter]] = {"": Fork, SRUN: Srun, MPIRUN: Mpirun}
"""By the name that a scheduler adapter gives under `script_variables().starter`; '': a job is one node."""


def choose_starter(plan: LaunchPlan) -> Starter:
    """Raises `LookupError` for a name that no file here stands for."""
    if plan.starter not in STARTERS:
        known = ", ".join(name for name in STARTERS if name)
        raise LookupError(f"there is no starter {plan.starter!r}; known are {known}")
    starter = STARTERS[plan.starter]()
    return starter.for_mpi(plan.mpi) if plan.kind == "mpi" else starter


def node_starters(name: str, *, cores: int) -> Dict[str, List[str]]:
    """Each node of the job that this process is in, with the words that start one more process there."""
    return STARTERS[name]().on_each_node(cores)


def variables_within(name: str, nodes: Sequence[str], per_node: int, cpus: int) -> Dict[str, str]:
    """What a program learns that has these nodes of its job, and on each so many ranks with so many CPUs."""
    return srun.variables_within(nodes, per_node, cpus) if name == SRUN else {}


def starting_command(plan: LaunchPlan, starter: Starter) -> List[str]:
    """What starts all ranks of a run: a shim around each, or on each node the launcher that starts them."""
    program = node_command(plan) if plan.is_per_node else [*shim("rank"), *plan.command]
    return starter.command(plan, program)
