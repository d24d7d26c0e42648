"""Slurm's `srun`: starts processes on all nodes of a Slurm job."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from typing import TYPE_CHECKING, Dict, List, Mapping, Sequence

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
PILOT_NODES = "DIAMOND_PILOT_NODES"
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
    def __init__(self, pmi: str = "none") -> None:
        self._pmi = pmi

    @property
    def gives_cores(self) -> bool:
        """Inside a pilot Slurm knows nothing of the shares: there each rank keeps to its own."""
        return PILOT_NODES not in os.environ

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
        """srun takes TERM as an order to kill at once, so Slurm itself is asked to signal the processes. Not inside a pilot:
        the job is the pilot's, and the signal would reach whatever else runs in it."""
        job = os.environ.get(JOB, "")
        is_end = number in (signal.SIGTERM, signal.SIGINT, END_NOW)
        if is_end and PILOT_NODES in os.environ:
            send_signal(process, signal.SIGTERM)
            return
        if not is_end or not job:
            send_signal(process, number)
            return
        with contextlib.suppress(OSError):
            name = "QUIT" if number == END_NOW else "TERM"
            subprocess.Popen(["scancel", "--quiet", f"--signal={name}", job])

    def on_each_node(self, cores: int) -> Dict[str, List[str]]:
        """`--overlap`: later steps share its cores. Without `--mem=0` it would hold the job's memory on 20.11."""
        from diamond.core.native import node_names

        words = [
            SRUN,
            "--overlap",
            "--nodes=1",
            "--ntasks=1",
            f"--cpus-per-task={cores}",
            "--mem=0",
        ]
        words += ["--cpu-bind=none", "--export=ALL", "--quiet", "--mpi=none"]
        nodes = node_names(os.environ.get("SLURM_JOB_NODELIST", ""))
        return {node: [*words, f"--nodelist={node}"] for node in nodes}

    def reports_memory_kill(self, line: str) -> bool:
        return bool(_MEMORY_KILL.search(line))

    def _srun_command(self, plan: LaunchPlan, per_node: int, cpus: int) -> List[str]:
        """`--cpus-per-task` is not inherited from the job since Slurm 22.05."""
        inside = os.environ.get(PILOT_NODES, "")
        return [
            SRUN,
            f"--nodes={plan.nodes}",
            f"--ntasks={plan.nodes * per_node}",
            f"--ntasks-per-node={per_node}",
            f"--cpus-per-task={cpus}",
            *(
                ["--overlap", "--mem=0", "--cpu-bind=none", f"--nodelist={inside}"]
                if inside
                else []
            ),
            "--kill-on-bad-exit=1",
            "--export=ALL",
            "--input=none",
            "--quiet",
            f"--mpi={self._pmi}",
        ]


def variables_within(nodes: Sequence[str], per_node: int, cpus: int) -> Dict[str, str]:
    """For a program that has a part of a job: what Slurm would tell it of a job of its own, so that MPI's `mpirun` starts its
    processes there. `SLURM_OVERLAP`: its steps share the nodes with others (srun reads it from 21.08 on)."""
    count, ranks = len(nodes), f"{per_node}(x{len(nodes)})" if len(nodes) > 1 else str(per_node)
    cores = per_node * cpus
    names = ",".join(nodes)
    return {
        "SLURM_OVERLAP": "1",
        "SLURM_JOB_NODELIST": names,
        "SLURM_NODELIST": names,
        "SLURM_JOB_NUM_NODES": str(count),
        "SLURM_NNODES": str(count),
        "SLURM_NTASKS": str(count * per_node),
        "SLURM_NPROCS": str(count * per_node),
        "SLURM_NTASKS_PER_NODE": str(per_node),
        "SLURM_TASKS_PER_NODE": ranks,
        "SLURM_CPUS_PER_TASK": str(cpus),
        "SLURM_CPUS_ON_NODE": str(cores),
        "SLURM_JOB_CPUS_PER_NODE": f"{cores}(x{count})" if count > 1 else str(cores),
        NODE_NAME: nodes[0],
    }


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
