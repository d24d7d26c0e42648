"""Other versions of Slurm: each in a Debian of its own, with its daemons and commands offered to this machine."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.apptainer import mirror
from support.slurm import skip_without_lab_support

CACHE = Path("/var/cache/diamond-tests/slurm")
SUITES = {"20.11": "bullseye", "24.11": "trixie", "26.05": "sid"}
"""Which Debian has which version; the tests' own machine has a further one (22.05 in Debian 12)."""
PACKAGES = ("slurmctld", "slurmd", "slurm-client", "slurmdbd")
CLIENTS = ("sbatch", "squeue", "sacct", "scancel", "scontrol", "sinfo", "srun", "sacctmgr", "sstat")
DAEMONS = ("slurmctld", "slurmdbd")
MOUNTS = ("proc", "sys", "dev", "tmp")
# Jobs see the same PATH inside the root, where the program is at hand.
WRAPPER = """#!/bin/sh
[ -d {root} ] || exec {program} "$@"
exec chroot {root} /bin/sh -c 'cd "$0" 2>/dev/null || cd /; exec "$@"' "$PWD" {program} "$@"
"""
# A node has process ids of its own, so its /proc must be seen in the root too.
NODE = """#!/bin/sh
[ "$1" != -D ] || mount -t proc proc {root}/proc
exec chroot {root} /usr/sbin/slurmd "$@"
"""


@contextlib.contextmanager
def other_slurm(version: str) -> Iterator[Path]:
    """A folder of programs that run this version; skips with the reason where it cannot be had."""
    skip_without_lab_support()
    root = _root(SUITES[version])
    with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp") as folder, _mounted(root):
        programs = Path(folder)
        programs.chmod(0o755)
        _write_programs(programs, root)
        yield programs


def _write_programs(folder: Path, root: Path) -> None:
    every = [*(f"/usr/bin/{name}" for name in CLIENTS), *(f"/usr/sbin/{name}" for name in DAEMONS)]
    for program in every:
        _write(folder / Path(program).name, WRAPPER.format(root=root, program=program))
    _write(folder / "slurmd", NODE.format(root=root))


def _root(suite: str) -> Path:
    """Made once, in about a minute; kept for the next time."""
    root = CACHE / suite
    if root.is_dir():
        return root
    if not shutil.which("mmdebstrap"):
        pytest.skip("mmdebstrap is not installed: apt-get install mmdebstrap")
    CACHE.mkdir(parents=True, exist_ok=True)
    new = CACHE / f"{suite}.new"
    shutil.rmtree(new, ignore_errors=True)
    words = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    words += ["--aptopt=Acquire::Check-Valid-Until false", suite, str(new), mirror()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(new, ignore_errors=True)
        pytest.skip(f"no root of Debian {suite} could be made: {done.stderr[-400:]}")
    return new.rename(root)


@contextlib.contextmanager
def _mounted(root: Path) -> Iterator[None]:
    """The machine's own /tmp, so that both see the lab and the attempts under the same paths."""
    with contextlib.ExitStack() as stack:
        for name in MOUNTS:
            how = "--rbind" if name == "sys" else "--bind"  # with its control groups
            subprocess.run(
                ["mount", "--make-rslave", how, f"/{name}", str(root / name)], check=True
            )
            stack.callback(subprocess.run, ["umount", "-Rl", str(root / name)], check=False)
        yield


def _write(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)
