"""Which process this is among those of the run, and where they meet. From the launcher's variables."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Tuple

from diamond.frames.errors import FramesError
from diamond.training.context import run_dir

_VARIABLES = (
    ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"),
)
"""The innermost launcher first. Slurm's own are not asked: without a launcher, they describe the batch script."""
_RUN = (
    "DIAMOND_ATTEMPT",
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "PMIX_NAMESPACE",
    "MASTER_PORT",
    "SLURM_JOB_ID",
)


@dataclass(frozen=True)
class Ranks:
    rank: int
    world: int
    on_node: int
    """Ranks that share this node's memory."""


def own_ranks(given: Mapping[str, str] = os.environ) -> Ranks:
    for rank, world, on_node in _VARIABLES:
        if given.get(rank, "").isdigit() and given.get(world, "").isdigit():
            return _checked(
                Ranks(int(given[rank]), int(given[world]), _number(given.get(on_node, "")))
            )
    return Ranks(0, 1, 1)


def meeting_file(given: Mapping[str, str] = os.environ) -> Path:
    """The file through which the ranks of this run find each other, in a folder that all nodes see."""
    metrics = given.get("DIAMOND_METRICS", "")
    folder = Path(metrics).parent if metrics else run_dir()
    run = "\n".join(f"{name}={given.get(name, '')}" for name in _RUN)
    return folder / f".frames-{hashlib.sha256(run.encode()).hexdigest()[:12]}.json"


def own_cores() -> int:
    """The cores of this rank: what the launcher has bound or asked for, at most those of the machine."""
    threads = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, int(threads)) if threads.isdigit() else (cores or 1))


def memory_bytes(ranks: Ranks) -> int:
    """What a rank may use for frames: half of what the job may use on the node, divided among its ranks there."""
    return _limit_of_node() // 2 // max(1, ranks.on_node)


def _limit_of_node() -> int:
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    megabytes = os.environ.get("SLURM_MEM_PER_NODE", "")
    if megabytes.isdigit() and int(megabytes):
        limits.append(int(megabytes) << 20)
    return min(limits + [limit for limit in map(_read_limit, _group_files()) if limit])


def _group_files() -> Tuple[Path, ...]:
    """Of control groups: version 2 in this process's own group, version 1 likewise."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return ()
    files = []
    for line in lines:
        _, names, path = line.split(":", 2)
        if not names:
            files.append(Path("/sys/fs/cgroup") / path.lstrip("/") / "memory.max")
        elif "memory" in names.split(","):
            root = Path("/sys/fs/cgroup/memory")
            files.append(root / path.lstrip("/") / "memory.limit_in_bytes")
    return tuple(files)


def _read_limit(file: Path) -> int:
    """0 if there is none."""
    try:
        text = file.read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() and int(text) < 1 << 60 else 0


def _checked(ranks: Ranks) -> Ranks:
    if not 0 <= ranks.rank < ranks.world:
        raise FramesError(
            f"rank {ranks.rank} is not below the number of ranks, {ranks.world}: check RANK and WORLD_SIZE"
        )
    return ranks


def _number(text: str) -> int:
    return int(text) if text.isdigit() and int(text) else 1
