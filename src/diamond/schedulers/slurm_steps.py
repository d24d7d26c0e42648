"""One more step in a running job of Slurm: `srun --overlap`."""

from __future__ import annotations

import re
import shutil
from typing import List

from diamond.core.errors import Refused

OVERLAP_SINCE = (20, 11)
_VERSION = re.compile(r"slurm\S* (\d+)\.(\d+)", re.IGNORECASE)


def require_overlap(version: str) -> None:
    """`version` as `srun --version` prints it; one that cannot be read passes, and srun itself answers."""
    match = _VERSION.search(version)
    if match and (int(match[1]), int(match[2])) < OVERLAP_SINCE:
        raise Refused(
            f"Slurm {match[1]}.{match[2]} cannot open a shell in a running job: "
            "`srun --overlap` came with Slurm 20.11",
            "If the site lets you sign in to nodes that run your jobs, use ssh from its login node.",
        )


def step_words(native_id: str, *, node: str, terminal: bool) -> List[str]:
    """It shares the job's cores, memory and GPUs with the steps that run. Without `--mem=0` it would wait for memory on 20.11."""
    srun = shutil.which("srun") or "srun"  # by our own PATH: the login's may lack the batch system
    command = [srun, f"--jobid={native_id}", "--overlap", "--nodes=1", "--ntasks=1", "--mem=0"]
    command += ["--quiet", "--mpi=none", "--export=ALL"]
    command += [f"--nodelist={node}"] if node else ["--relative=0"]
    return [*command, "--pty"] if terminal else command
