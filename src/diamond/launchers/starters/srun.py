"""Slurm's `srun`: starts processes on all nodes of a Slurm job."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from typing import TYPE_CHECKING, Dict, List, Mapping

from diamond.launchers.starters.base import (
    END_NOW,
    RankVariables,
    Starter,
    send_signal,
    with_node_number,
)
from diamond.launchers.starters.mpirun import MPIRUN, Mpirun

if TYPE_CHECKING:
    from diamond.launchers.starters.identity import Identity
    from diamond.launchers.starters.plan import LaunchPlan

SRUN = "srun"
JOB = "SLURM_JOB_ID"
NODE_NAME = "SLURMD_NODENAME"
CPUS_ON_NODE = "SLURM_CPUS_ON_NODE"
VARIABLES = RankVariables(
    rank=("SLURM_PROCID",),
    world_size=("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"),
    local_rank=("SLURM_LOCALID",),
    node_rank=("SLURM_NODEID",),
)
_MEMORY_KILL = re.compile(
    r"^(slurmstepd|srun): error: .*(oom[-_ ]kill|out of memory|exceeded .*memory limit)",
    re.IGNORECASE,
)
"""It names a node or a step, but no process."""


class Srun:
    gives_cores = True

    def __init__(self, pmi: str = "none") -> None:
        self._pmi = pmi

    def command(self, plan: LaunchPlan, program: List[str]) -> List[str]:
        if plan.is_per_node:
            cpus = plan.cpus_per_rank * plan.ranks_per_node
            return [*self._srun_command(plan, 1, cpus), *with_node_number("$SLURM_NODEID", program)]
        return [*self._srun_command(plan, plan.ranks_per_node, plan.cpus_per_rank), *program]

    def for_mpi(self, wanted: str) -> Starter:
        """As the site says; else PMIx where it works; else mpirun; else PMI-2."""
        if wanted:
            return Mpirun(self) if wanted == MPIRUN else Srun(wanted)
        if _pmix_works():
            return Srun("pmix")
        from shutil import (
            which,  # Ranks import this file too, and shutil would cost each of them 10 ms.
        )

        return Mpirun(self) if which(MPIRUN) else Srun("pmi2")

    def signal(self, process: subprocess.Popen[bytes], number: int) -> None:
        """srun takes TERM as an order to kill at once, so Slurm itself is asked to signal the processes."""
        job = os.environ.get(JOB, "")
        if number not in (signal.SIGTERM, signal.SIGINT, END_NOW) or not job:
            send_signal(process, number)
            return
        with contextlib.suppress(OSError):
            name = "QUIT" if number == END_NOW else "TERM"
            subprocess.Popen(["scancel", "--quiet", f"--signal={name}", job])

    def reports_memory_kill(self, line: str) -> bool:
        return bool(_MEMORY_KILL.search(line))

    def _srun_command(self, plan: LaunchPlan, per_node: int, cpus: int) -> List[str]:
        """`--cpus-per-task` is not inherited from the job since Slurm 22.05."""
        return [
            SRUN,
            f"--nodes={plan.nodes}",
            f"--ntasks={plan.nodes * per_node}",
            f"--ntasks-per-node={per_node}",
            f"--cpus-per-task={cpus}",
            "--kill-on-bad-exit=1",
            "--export=ALL",
            "--input=none",
            "--quiet",
            f"--mpi={self._pmi}",
        ]


def imitated_variables(me: Identity, given: Mapping[str, str]) -> Dict[str, str]:
    """Those that srun would set; none in a Slurm job, which has its own."""
    if JOB in given:
        return {}
    return {
        JOB: "1",
        "SLURM_STEP_NODELIST": "localhost",
        "SLURM_NTASKS": str(me.world_size),
        "SLURM_PROCID": str(me.rank),
        "SLURM_LOCALID": str(me.local_rank),
    }


def _pmix_works() -> bool:
    """By trying it: `srun --mpi=list` names a plugin whose library may be missing (seen on 22.05)."""
    done = subprocess.run(
        [SRUN, "--mpi=pmix", "--nodes=1", "--ntasks=1", "--quiet", "true"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode == 0
