"""What an execution learns about its place: the variables that stand for those of a batch system."""

from __future__ import annotations

import json
from typing import Dict, List, Sequence

from diamond.launchers.ranks.pilot_share import SHARES, VISIBLE_GPUS
from diamond.launchers.starters.registry import variables_within
from diamond.pilots.journal import Share
from diamond.pilots.requests import Execution

JOB_ID, SECONDS, NODES = (f"DIAMOND_PILOT_{name}" for name in ("JOB_ID", "SECONDS", "NODES"))


def native_id(pilot: str, attempt: str) -> str:
    """What stands for a batch system's job id."""
    return f"{pilot}.{attempt}"


def launch_environment(
    execution: Execution,
    shares: Sequence[Share],
    *,
    task: str,
    seconds: float,
    starter: str = "",
) -> Dict[str, str]:
    """`starter`: what starts processes on all nodes of the pilot's job."""
    gpus, nodes = _indices(shares[0].gpus), [share.node for share in shares]
    return {
        **variables_within(starter, nodes, execution.tasks_per_node, execution.cpus_per_task),
        JOB_ID: native_id(task, execution.id),
        SECONDS: str(int(seconds)),
        NODES: ",".join(nodes),
        SHARES: json.dumps({share.node: [share.cores, share.gpus] for share in shares}),
        **dict.fromkeys(VISIBLE_GPUS, gpus),
    }


def _indices(numbers: List[int]) -> str:
    return ",".join(map(str, numbers))
