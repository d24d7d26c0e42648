"""Who gets what of this machine: pure arithmetic on capacity and jobs."""

from __future__ import annotations

from typing import Dict, List

from diamond.core.errors import Refused
from diamond.core.order import Resources
from diamond.core.units import show_bytes
from diamond.schedulers.local_machine import Capacity
from diamond.schedulers.local_store import LocalJob


def check_fits(have: Capacity, asked: Resources) -> None:
    """Raises `Refused`, with what the machine has, for a job that could never start."""
    kinds = {"", have.gpu_type}
    faults = {
        "it is one node": asked.nodes > 1,
        f"it has {have.cores} cores": asked.cpus_per_node > have.cores,
        f"it has {_size(have.memory_mb)} of memory": asked.memory_mb > have.memory_mb,
        f"it has {len(have.gpus)} GPUs": asked.gpus_per_node > len(have.gpus),
        f"its GPUs are {have.gpu_type}": bool(have.gpus) and asked.gpu_type not in kinds,
    }
    said = [fault for fault, is_so in faults.items() if is_so]
    if said:
        raise Refused(
            f"This machine cannot run the job: {', '.join(said)}",
            "Ask for less under `resources:`, or run it on a cluster with `on:`.",
        )


def missing_resources(have: Capacity, job: LocalJob, busy: List[LocalJob]) -> str:
    """What is missing for a job to start beside the busy ones, in words."""
    if job.cores > have.cores - sum(other.cores for other in busy):
        return f"{job.cores} of the machine's {have.cores} cores"
    if job.memory_mb > have.memory_mb - sum(other.memory_mb for other in busy):
        return f"{_size(job.memory_mb)} of memory"
    if job.gpus > len(have.gpus) - sum(other.gpus for other in busy):
        return f"{job.gpus} of the machine's {len(have.gpus)} GPUs"
    return ""


def share(have: Capacity, job: LocalJob, busy: List[LocalJob]) -> Dict[str, str]:
    """The variables that tell a job its share; they are also how its GPUs are remembered."""
    taken = {index for other in busy for index in _gpus_of(other)}
    mine = [index for index in have.gpus if index not in taken][: job.gpus]
    visible = {"CUDA_VISIBLE_DEVICES": ",".join(mine)} if have.gpus else {}
    return {
        "DIAMOND_LOCAL_JOB_ID": job.id,
        "DIAMOND_LOCAL_SECONDS": str(job.walltime_seconds),
        "OMP_NUM_THREADS": str(job.threads or job.cores),
        **visible,
    }


def left_over(have: Capacity, busy: List[LocalJob]) -> Dict[str, int]:
    """The value of the fact `free`, but for the length of the queue."""
    return {
        "nodes_idle": 0 if busy else 1,
        "nodes_total": 1,
        "cpus_idle": max(0, have.cores - sum(job.cores for job in busy)),
        "gpus_idle": max(0, len(have.gpus) - sum(job.gpus for job in busy)),
    }


def _gpus_of(job: LocalJob) -> List[str]:
    return [index for index in job.environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if index]


def _size(megabytes: int) -> str:
    return show_bytes(megabytes * 2**20)
