"""Writes the answers of real daemons beside it: `python record_slurm.py 20.11` for each version, as root, from the folder `tests`.

Jobs end in every way that takes no more than a minute, or wait for several reasons; then the adapter's own questions are asked.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from diamond.schedulers.slurm import _squeue
from diamond.schedulers.slurm_calls import clean_environment
from diamond.schedulers.slurm_nodes import NODE_FORMAT
from diamond.schedulers.slurm_parsing import SACCT_FORMAT
from diamond.testing.lab import Lab
from support.slurm import open_folder
from support.slurm_roots import other_slurm

HERE = Path(__file__).parent / "recorded"
JOBS = {
    "ok": (["--time=5"], "true"),
    "code": (["--time=5"], "exit 7"),
    "killed": (["--time=5"], "kill -9 $$"),
    "memory": (
        ["--time=5", "--mem=50"],
        "head -c 300000000 /dev/zero | tail -c 290000000 >/dev/null",
    ),
    "late": (["--partition=short", "--time=1"], "sleep 300"),
    "taken back": (["--time=5"], "sleep 300"),
    "running": (["--time=5"], "sleep 300"),
    "on hold": (["--time=5", "--hold"], "true"),
    "array": (["--time=5", "--array=3-5", "--hold"], "true"),
    "later": (["--time=5", "--begin=now+1hour"], "true"),
    "large": (["--time=5", "--nodes=4", "--exclusive"], "true"),
}


def main(version: str) -> None:
    with other_slurm(version) as programs, open_folder() as folder:
        lab = Lab.up(
            folder,
            clusters="alpha",
            nodes=4,
            gpus=0,
            users="",
            programs=str(programs),
            set=["TaskPlugin=task/cgroup", "ProctrackType=proctrack/cgroup"],
        )
        own = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        conf = lab.cluster("alpha").env()["SLURM_CONF"]
        record(HERE / version, {**clean_environment(own), "SLURM_CONF": conf}, folder)


def record(target: Path, env: dict[str, str], folder: Path) -> None:
    def ask(*words: str) -> str:
        done = subprocess.run(
            ["env", *words], env=env, cwd=folder, capture_output=True, text=True, check=True
        )
        return done.stdout

    ids = {name: submit(ask, folder, name) for name in JOBS}
    time.sleep(5)
    ask("scancel", ids["taken back"])
    while "TIMEOUT" not in ask("squeue", "-h", "-t", "all", "-j", ids["late"], "-o", "%T"):
        time.sleep(1)
    time.sleep(5)
    target.mkdir(exist_ok=True)
    answers = {
        "squeue": ask(*_squeue()),
        "sacct": ask("sacct", "-X", "-n", "-P", f"--format={SACCT_FORMAT}"),
        "sinfo": ask("sinfo", "--noheader", "--exact", "-O", NODE_FORMAT),
        "partitions": ask("scontrol", "show", "partition", "-o"),
        "config": ask("scontrol", "show", "config"),
    }
    host = re.compile(rf"\b{re.escape(socket.gethostname().split('.')[0])}\b")
    for name, text in answers.items():
        plain = host.sub("head", text.replace(str(folder), "/lab"))
        (target / f"{name}.txt").write_text(plain)


def submit(ask: object, folder: Path, name: str) -> str:
    options, program = JOBS[name]
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".sh", delete=False) as file:
        file.write(f"#!/bin/bash\n{program}\n")
    assert callable(ask)
    return str(ask("sbatch", "--parsable", f"--job-name={name}", *options, file.name)).strip()


if __name__ == "__main__":
    main(sys.argv[1])
