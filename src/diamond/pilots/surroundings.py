"""What an execution is told of its place: the variables that stand for a batch system's."""

from __future__ import annotations

import json
from typing import Dict, List, Sequence

from diamond.pilots.journal import Share
from diamond.pilots.requests import Execution

JOB_ID, SECONDS, NODES, SHARES = (
    f"DIAMOND_PILOT_{name}" for name in ("JOB_ID", "SECONDS", "NODES", "SHARES")
)
VISIBLE_GPUS = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


def native_id(pilot: str, attempt: str) -> str:
    """What stands for a batch system's job id."""
    return f"{pilot}.{attempt}"


def launch_environment(
    execution: Execution, shares: Sequence[Share], *, task: str, seconds: float
) -> Dict[str, str]:
    gpus = _indices(shares[0].gpus)
    return {
        JOB_ID: native_id(task, execution.id),
        SECONDS: str(int(seconds)),
        NODES: ",".join(share.node for share in shares),
        SHARES: json.dumps({share.node: [share.cores, share.gpus] for share in shares}),
        **dict.fromkeys(VISIBLE_GPUS, gpus),
    }


def _indices(numbers: List[int]) -> str:
    return ",".join(map(str, numbers))
