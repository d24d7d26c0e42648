"""`launch.json`: how the ranks of an attempt are started, written by the agent and read in the job."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import List

PER_NODE = ("torchrun", "accelerate")
"""Kinds whose own launcher runs once on each node and starts the ranks there."""


@dataclass(frozen=True)
class LaunchPlan:
    kind: str
    nodes: int = 1
    ranks_per_node: int = 1
    cpus_per_rank: int = 1
    command: List[str] = field(default_factory=list)
    """The words that start the program, inside whatever it runs in."""
    starts_ranks: bool = False
    """The command itself calls torchrun or accelerate."""
    inside: List[str] = field(default_factory=list)
    """Words that enter the image; empty without one."""
    with_variables: List[str] = field(default_factory=list)
    """Words behind those that start a command with the variables of the spec."""
    binds: bool = True
    """False: the spec leaves all cores to all ranks."""
    rank_python: str = ""
    """A file that stands for Python where a launcher starts the ranks."""
    starter: str = ""
    """What starts processes on all nodes of the job, by its name in `starters.registry`; empty: a job is one node."""
    mpi: str = ""
    """How MPI programs are started, as the site says it; empty: found out."""
    interface: str = ""
    hang_seconds: float = 0.0

    @property
    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    @property
    def is_per_node(self) -> bool:
        return self.kind in PER_NODE


def plan_text(plan: LaunchPlan) -> str:
    return json.dumps({"version": 1, **asdict(plan)}, indent=1) + "\n"


def read_plan(path: str) -> LaunchPlan:
    """Fields of a newer version are ignored."""
    data = json.loads(Path(path).read_text())
    known = LaunchPlan.__dataclass_fields__
    return LaunchPlan(**{key: value for key, value in data.items() if key in known})
