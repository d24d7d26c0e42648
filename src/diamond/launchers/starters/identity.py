"""Which of a run's processes this is, as its starter says."""

from __future__ import annotations

import os
import socket
from typing import Dict, Mapping, NamedTuple, Optional, Sequence

from diamond.launchers.starters import srun, torchrun
from diamond.launchers.starters.base import Names, RankVariables
from diamond.launchers.starters.mpirun import HYDRA, OPEN_MPI

_SOURCES: Sequence[RankVariables] = (torchrun.VARIABLES, OPEN_MPI, srun.VARIABLES, HYDRA)
"""What the innermost launcher sets comes first: inside a Slurm job, mpirun's processes inherit SLURM_PROCID=0
from the batch script.
"""


SET_FOR_RANKS = frozenset(
    (
        *(name for names in torchrun.VARIABLES for name in names),
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
    """Of this process; it is the only one where nothing says otherwise."""
    per_node = _number(variables, ("DIAMOND_RANKS_PER_NODE",)) or 1
    for source in _SOURCES:
        rank = _number(variables, source.rank)
        if rank is not None:
            return _read(variables, source, rank, per_node)
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


def imitated_variables(me: Identity, given: Mapping[str, str]) -> Dict[str, str]:
    """For a library that learns its rank only from the variables of a batch system, where there is none."""
    return srun.imitated_variables(me, given)


def node_name(variables: Mapping[str, str]) -> str:
    """By the batch system's name for it, if there is one."""
    return variables.get(srun.NODE_NAME) or socket.gethostname()


def cpus_on_node(variables: Mapping[str, str]) -> int:
    """How many CPUs of this node the batch system gave the job; 0: it does not say."""
    return _number(variables, (srun.CPUS_ON_NODE,)) or 0


def without_identity(variables: Mapping[str, str]) -> Dict[str, str]:
    """For the processes of a launcher, which must not take the batch script's identity for their own."""
    own = {name for names in torchrun.VARIABLES for name in names}
    return {name: value for name, value in variables.items() if name not in own}


def _read(
    variables: Mapping[str, str],
    source: RankVariables,
    rank: int,
    per_node: int,
) -> Identity:
    size = _number(variables, source.world_size)
    local = _number(variables, source.local_rank)
    local_size = _number(variables, source.local_world_size)
    number = _number(variables, source.node_rank)
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
