"""The words that start all ranks of a run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import List

from diamond.launchers.ranks.plan import Plan

ACCELERATE = """\
accelerate() {
  if [ "$1" = launch ]; then
    shift
    diamond_ranks=$((PET_NNODES * PET_NPROC_PER_NODE))
    case "$diamond_ranks $*" in
      "1 "* | *--multi?gpu* | *--cpu* | *--tpu* | *--use?deepspeed* | *--use?fsdp* | *--config?file*) ;;
      *) set -- --multi_gpu "$@" ;;
    esac
    set -- launch --num_machines "$PET_NNODES" --machine_rank "$PET_NODE_RANK" \\
      --num_processes "$diamond_ranks" --main_process_ip "$PET_MASTER_ADDR" \\
      --main_process_port "$PET_MASTER_PORT" "$@"
    diamond_python=$(type -P accelerate 2>/dev/null)
    diamond_python=${diamond_python%/*}/python
    if [ "$diamond_ranks" = 1 ] && [ -x "$diamond_python" ]; then
      "$diamond_python" -c "$diamond_accelerate" "$@"
      return
    fi
  fi
  command accelerate "$@"
}
export diamond_accelerate='import os, sys
sys.executable, sys.argv[0] = os.environ["DIAMOND_RANK_PYTHON"], "accelerate"
from accelerate.commands.accelerate_cli import main
main()'
"""
"""accelerate takes the shape of a job from its options alone; those that a person writes herself come later and win.

Without `--multi_gpu` it starts one process where it sees no GPU. A single process it starts by `sys.executable`,
whatever PYTHON_EXEC says, and turns each bad exit code into 1: the shim takes Python's place there.
"""
OWN_LAUNCHERS = {
    "torchrun": 'if command -v torchrun >/dev/null; then exec torchrun "$@"; fi; exec python3 -m torch.distributed.run "$@"',
    "accelerate": ACCELERATE + 'accelerate launch "$@"',
}
"""For a command that is the program of one rank: its launcher, inside what the program runs in."""


NODE = ["bash", "-c", 'export PET_NODE_RANK=$SLURM_NODEID; exec "$@"', "bash"]
"""In front of a node's command: bash is there ten times as soon as Python."""


def starting_words(plan: Plan) -> List[str]:
    mpi = _mpi_way(plan) if plan.kind == "mpi" else "none"
    if mpi == "mpirun":
        return [*_mpirun(plan), *_shim("rank"), *plan.command]
    if plan.is_per_node:
        return (
            [*_srun(plan, mpi), *NODE, *_node_command(plan)]
            if plan.starter
            else _node_command(plan)
        )
    ranks = [*_shim("rank"), *plan.command]
    return (
        [*_srun(plan, mpi), *ranks] if plan.starter else [*_shim("fork"), str(plan.ranks), *ranks]
    )


def _shim(act: str) -> List[str]:
    """By this very Python: looking for another costs each rank time. `-E -S`: nothing of a person's is loaded."""
    return [sys.executable, "-E", "-S", str(Path(__file__).with_name("__main__.py")), act]


def _node_command(plan: Plan) -> List[str]:
    if plan.starts_ranks:
        return plan.command
    launcher = ["sh", "-c", OWN_LAUNCHERS[plan.kind], "sh"]
    option = "--no-python" if plan.kind == "torchrun" else "--no_python"
    inner = plan.command[len(plan.inside) :]
    words = [*plan.inside, *plan.with_variables, *launcher, option, plan.rank_python]
    return [*words, "--program", *inner]


def _srun(plan: Plan, mpi: str) -> List[str]:
    """`--cpus-per-task` is not inherited from the job since Slurm 22.05; one bad exit ends all."""
    per_node = 1 if plan.is_per_node else plan.ranks_per_node
    cpus = plan.cpus_per_rank * (plan.ranks_per_node if plan.is_per_node else 1)
    return [
        "srun",
        f"--nodes={plan.nodes}",
        f"--ntasks={plan.nodes * per_node}",
        f"--ntasks-per-node={per_node}",
        f"--cpus-per-task={cpus}",
        "--kill-on-bad-exit=1",
        "--export=ALL",
        "--input=none",
        "--quiet",
        f"--mpi={mpi}",
    ]


def _mpirun(plan: Plan) -> List[str]:
    """It takes its nodes from the batch system by itself. Open MPI would bind each of two ranks to one core."""
    words = ["mpirun", "-np", str(plan.ranks)]
    if not _is_open_mpi():
        return [*words, "-ppn", str(plan.ranks_per_node)]
    return [
        *words,
        "--oversubscribe",
        "--allow-run-as-root",
        "--bind-to",
        "none",
        "--map-by",
        f"ppr:{plan.ranks_per_node}:node",
    ]


def _is_open_mpi() -> bool:
    """Else Hydra, of MPICH and Intel MPI, which knows none of these options."""
    try:
        said = subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, check=False).stdout
    except OSError:
        return True
    return b"Open MPI" in said or b"OpenRTE" in said


def _mpi_way(plan: Plan) -> str:
    """What the site says; else PMIx where it works; else mpirun; else PMI-2."""
    if plan.mpi:
        return plan.mpi
    if plan.starter == "srun" and _pmix_works():
        return "pmix"
    return "mpirun" if shutil.which("mpirun") or plan.starter != "srun" else "pmi2"


def _pmix_works() -> bool:
    """By trying it: `srun --mpi=list` names a plugin whose library may be missing (seen on 22.05)."""
    words = ["srun", "--mpi=pmix", "--nodes=1", "--ntasks=1", "--quiet", "true"]
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode == 0
