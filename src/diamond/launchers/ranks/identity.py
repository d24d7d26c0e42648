"""Which process this is among all of a run, by whatever started it."""

from __future__ import annotations

import os
import socket
from typing import Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

Names = Sequence[str]
_RANK, _SIZE, _LOCAL, _LOCAL_SIZE, _NODE = range(5)
_SOURCES: Sequence[Tuple[Names, Names, Names, Names, Names]] = (
    (
        ("RANK",),
        ("WORLD_SIZE",),
        ("LOCAL_RANK",),
        ("LOCAL_WORLD_SIZE",),
        ("GROUP_RANK", "NODE_RANK"),
    ),
    (
        ("OMPI_COMM_WORLD_RANK",),
        ("OMPI_COMM_WORLD_SIZE",),
        ("OMPI_COMM_WORLD_LOCAL_RANK",),
        ("OMPI_COMM_WORLD_LOCAL_SIZE",),
        (),
    ),
    (
        ("SLURM_PROCID",),
        ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"),
        ("SLURM_LOCALID",),
        (),
        ("SLURM_NODEID",),
    ),
    (
        ("PALS_RANKID", "PMI_RANK", "PMIX_RANK"),
        ("PMI_SIZE",),
        ("PALS_LOCAL_RANKID", "MPI_LOCALRANKID", "PMI_LOCAL_RANK"),
        ("MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"),
        ("PALS_NODEID",),
    ),
)
"""Variables for rank, number of ranks, both on the node, and the node's number.

What a launcher sets for each process comes first: inside a Slurm job, mpirun's processes inherit the
batch script's own SLURM_PROCID of 0.
"""


SET_FOR_RANKS = frozenset(
    (
        *(name for names in _SOURCES[0] for name in names),
        *("MASTER_ADDR", "MASTER_PORT", "PYTHON_EXEC", "TF_CONFIG"),
        *("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR"),
        *("PET_MASTER_PORT", "PET_RDZV_ID", "PET_SIGNALS_TO_HANDLE", "JAX_COORDINATOR_ADDRESS"),
        *("JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "DIAMOND_BIND"),
    )
)
"""What the launcher tells the ranks: a spec that sets one of them would make them miss each other."""


class Identity(NamedTuple):
    """Not a dataclass: each rank would pay 15 ms for the import."""

    rank: int
    world_size: int
    local_rank: int
    local_world_size: int
    node_rank: int
    node: str


def identity(variables: Mapping[str, str]) -> Identity:
    """Of this process; alone where nothing says otherwise."""
    per_node = _number(variables, ("DIAMOND_RANKS_PER_NODE",)) or 1
    for source in _SOURCES:
        rank = _number(variables, source[_RANK])
        if rank is not None:
            return _told(variables, source, rank, per_node)
    return Identity(0, 1, 0, 1, 0, node_name(variables))


def torch_variables(me: Identity) -> Dict[str, str]:
    """What torchrun would have set."""
    return {
        "RANK": str(me.rank),
        "WORLD_SIZE": str(me.world_size),
        "LOCAL_RANK": str(me.local_rank),
        "LOCAL_WORLD_SIZE": str(me.local_world_size),
        "NODE_RANK": str(me.node_rank),
        "GROUP_RANK": str(me.node_rank),
    }


def node_name(variables: Mapping[str, str]) -> str:
    """As the batch system calls this node."""
    return variables.get("SLURMD_NODENAME") or socket.gethostname()


def without_identity(variables: Mapping[str, str]) -> Dict[str, str]:
    """For the processes of a launcher, which must not take the batch script's own place for theirs."""
    own = {name for source in _SOURCES[:1] for names in source for name in names}
    return {name: value for name, value in variables.items() if name not in own}


def _told(
    variables: Mapping[str, str],
    source: Tuple[Names, Names, Names, Names, Names],
    rank: int,
    per_node: int,
) -> Identity:
    size = _number(variables, source[_SIZE])
    local = _number(variables, source[_LOCAL])
    local_size = _number(variables, source[_LOCAL_SIZE])
    number = _number(variables, source[_NODE])
    return Identity(
        rank,
        size if size is not None else max(rank + 1, per_node),
        local if local is not None else rank % per_node,
        local_size if local_size is not None else per_node,
        number if number is not None else rank // per_node,
        node_name(variables),
    )


def _number(variables: Mapping[str, str], names: Names) -> Optional[int]:
    for name in names:
        if variables.get(name, "").isdigit():
            return int(variables[name])
    return None


def own_identity() -> Identity:
    return identity(os.environ)
