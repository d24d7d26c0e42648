"""Timestamps from the same clock and the same code for every arm.

bash writes `$EPOCHREALTIME` without a fork, so a stamp costs about 20 µs once bash runs (2 ms).
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from bench.waiting import wait_for

QUESTIONS = ("squeue", "sacct", "sinfo", "scontrol", "sacctmgr")


class Stamps:
    """A folder with wrappers for PATH, a Slurm Prolog, programs that write stamps, and their stamps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.prolog = folder / "prolog"
        self.bin.mkdir(parents=True)
        folder.chmod(0o777)
        self._executable(self.bin / "sbatch", exec_after(self.log("sbatch"), real("sbatch")))
        self._executable(self.prolog, stamp_line(self.log("prolog")))

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def count_questions(self) -> None:
        """Also stamp each status query, under its own name."""
        for name in QUESTIONS:
            self._executable(self.bin / name, exec_after(self.log(name), real(name)))

    def program(self, name: str, body: str) -> Path:
        """A bash program in this folder."""
        return self._executable(self.folder / name, body)

    def times(self, name: str) -> list[float]:
        path = self.log(name)
        return [float(word) for word in path.read_text().split()] if path.exists() else []

    def questions(self, *, since: float, until: float) -> dict[str, int]:
        """How often each command was run between two times."""
        return {
            name: sum(since <= at < until for at in self.times(name))
            for name in QUESTIONS
            if self.log(name).exists()
        }

    def _executable(self, path: Path, body: str) -> Path:
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
        return path


def stamp_line(path: Path) -> str:
    return f"printf '%s\\n' \"$EPOCHREALTIME\" >>'{path}'"


def exec_after(path: Path, program: str) -> str:
    return f"{stamp_line(path)}\nexec '{program}' \"$@\""


def real(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise SystemExit(f"bench: {program} is not installed; run: diamond lab up")
    return found


def stamp_in(path: Path, *, within: float = 60) -> float:
    """Wait for the stamp that a program will write."""
    return float(wait_for(lambda: path.exists() and path.read_text().strip(), within=within))


def next_stamp(read: Callable[[], list[float]], *, known: int, within: float = 60) -> float:
    """Wait for the first stamp that is not yet known."""
    wait_for(lambda: len(read()) > known, within=within)
    return read()[known]


def now() -> float:
    return time.time()
