"""MPI's own `mpirun`: Open MPI's, or Hydra's of MPICH and Intel MPI. It takes the nodes of the job from the batch system."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING, Dict, List, Optional

from diamond.launchers.starters.base import (
    END_NOW,
    RankVariables,
    Starter,
    send_signal,
    with_node_number,
)

if TYPE_CHECKING:
    from diamond.launchers.starters.plan import LaunchPlan

MPIRUN = "mpirun"
OPEN_MPI = RankVariables(
    rank=("OMPI_COMM_WORLD_RANK",),
    world_size=("OMPI_COMM_WORLD_SIZE",),
    local_rank=("OMPI_COMM_WORLD_LOCAL_RANK",),
    local_world_size=("OMPI_COMM_WORLD_LOCAL_SIZE",),
)
HYDRA = RankVariables(
    rank=("PALS_RANKID", "PMI_RANK", "PMIX_RANK"),
    world_size=("PMI_SIZE",),
    local_rank=("PALS_LOCAL_RANKID", "MPI_LOCALRANKID", "PMI_LOCAL_RANK"),
    local_world_size=("MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"),
    node_rank=("PALS_NODEID",),
)


class Mpirun:
    """`system`: what starts the processes of other programs in such a job; it passes signals on to these too."""

    gives_cores = False

    def __init__(self, system: Optional[Starter] = None) -> None:
        self._system = system

    def command(self, plan: LaunchPlan, program: List[str]) -> List[str]:
        if plan.is_per_node:
            numbered = with_node_number("${OMPI_COMM_WORLD_RANK:-$PMI_RANK}", program)
            return [*_mpirun_command(plan.nodes, 1), *numbered]
        return [*_mpirun_command(plan.ranks, plan.ranks_per_node), *program]

    def for_mpi(self, wanted: str) -> Starter:
        return self

    def signal(self, process: subprocess.Popen[bytes], number: int) -> None:
        if self._system is not None:
            self._system.signal(process, number)
        else:  # mpirun would not pass QUIT on; TERM makes it end all its processes.
            send_signal(process, signal.SIGTERM if number == END_NOW else number)

    def on_each_node(self, cores: int) -> Dict[str, List[str]]:
        """The batch system's own starter knows the nodes; plain MPI starts things on this one alone."""
        return (
            self._system.on_each_node(cores)
            if self._system is not None
            else {os.uname().nodename: []}
        )

    def reports_memory_kill(self, line: str) -> bool:
        return self._system is not None and self._system.reports_memory_kill(line)


def _mpirun_command(count: int, per_node: int) -> List[str]:
    """Open MPI would bind each of two ranks to one core; Hydra knows none of its options."""
    command = [MPIRUN, "-np", str(count)]
    if not _is_open_mpi():
        return [*command, "-ppn", str(per_node)]
    return [
        *command,
        "--oversubscribe",
        "--allow-run-as-root",
        "--bind-to",
        "none",
        "--map-by",
        f"ppr:{per_node}:node",
    ]


def _is_open_mpi() -> bool:
    try:
        said = subprocess.run([MPIRUN, "--version"], stdout=subprocess.PIPE, check=False).stdout
    except OSError:
        return True
    return b"Open MPI" in said or b"OpenRTE" in said
