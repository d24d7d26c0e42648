"""Steps that a chain of attempts repeats, and its gaps, on a real Slurm whose time limit is far too short."""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bench
from bench.claim import Claim, Findings, Options
from bench.jobs import PARTITION
from bench.numbers import median
from bench.stack import Stack, slurm_stack
from diamond.sdk.models import Task

PROGRAM = Path(bench.__file__).with_name("chain_training.py")

FULL_ATTEMPTS = 5
STEP_SECONDS, INTERVAL = 0.25, 20
WALLTIME_SECONDS = 60
LONGEST_SECONDS = {"yes": WALLTIME_SECONDS - 20, "no": 92}
"""Seconds of steps in one attempt: the stop flag appears at least 20 s before the limit; Slurm kills up to 35 s after it."""
PATIENCE_SECONDS = 300
"""For one attempt and its gap."""


@dataclass(frozen=True)
class Chain:
    task: Task
    repeated: int
    lost_at_once: int
    """The highest cost of one ending."""


def measure(options: Options) -> Findings:
    findings, attempts = Findings(), options.samples(FULL_ATTEMPTS)
    with slurm_stack(options.folder, stamped=False) as stack:
        flag = run(stack, options.folder, follows_flag="yes", attempts=attempts)
        kill = run(stack, options.folder, follows_flag="no", attempts=attempts)
    for words, chain in (("stop flag", flag), ("killed at the limit", kill)):
        findings.add(f"{words}: attempts", str(len(began(chain))))
        findings.add(f"{words}: gaps", gap_words(chain))
    findings.add("stop flag: steps repeated", str(flag.repeated), "0", flag.repeated == 0)
    findings.add(
        "killed at the limit: steps repeated after one ending, at most",
        f"{kill.lost_at_once} ({kill.repeated} in all)",
        f"≤ {INTERVAL} (one interval)",
        kill.lost_at_once <= INTERVAL,
    )
    findings.note(
        f"A torch training with `diamond.training.Checkpointer` on a limit of {WALLTIME_SECONDS} s, a step every {STEP_SECONDS} s, a checkpoint every "
        f"{INTERVAL} steps. With the flag, it saves during the steps and uses the measured lead. Without, it waits for each save, because a kill "
        "during an overlapping save would also lose those steps. Slurm kills up to 35 s late. The follow-up is queued ahead; a gap is from the program's end "
        "to the next one's start, which then loads torch."
    )
    return findings


def run(stack: Stack, folder: Path, *, follows_flag: str, attempts: int) -> Chain:
    """More steps than fewer attempts could do."""
    total = int((attempts - 0.8) * LONGEST_SECONDS[follows_flag] / STEP_SECONDS)
    client = stack.service.client()
    task = client.run(spec(follows_flag, total), folder=folder / "stamps").task.id
    deadline = time.monotonic() + (attempts + 3) * PATIENCE_SECONDS
    while not (found := client.task(task)).is_final:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{task} is {found.state}: {found.message}")
        time.sleep(1.0)
    if found.state != "succeeded":
        raise RuntimeError(f"{task} {found.state}: {found.reason} {found.message}")
    done = [int(line) for line in (Path(found.run_dir) / "run" / "done").read_text().split()]
    back = [last - first + 1 for last, first in itertools.pairwise(done) if first <= last]
    return Chain(found, len(done) - total, max(back, default=0))


def spec(follows_flag: str, total: int) -> dict[str, Any]:
    # -P: next to the program is a numbers.py, which torch would import instead of Python's own.
    words = [sys.executable, "-P", PROGRAM, follows_flag, total, STEP_SECONDS, INTERVAL]
    return {
        "name": f"chain-{follows_flag}",
        "run": [str(word) for word in words],
        "on": "cluster",
        "partition": PARTITION,
        "resources": {"walltime": "1m", "memory": "1GB"},
        "continue": {"on": ["exit-75", "wall-time"]},
        "budget": "100 node-hours",
    }


def began(chain: Chain) -> list[dict[str, Any]]:
    return [one for one in chain.task.attempts if one["started"] is not None]


def gap_words(chain: Chain) -> str:
    gaps = [one["gap"] for one in began(chain)[1:]]
    if not gaps:
        return "none"
    return f"median {median(gaps):.1f} s, longest {max(gaps):.1f} s (n={len(gaps)})"


CLAIM = Claim("chain", "A run of several attempts with wall-time kills: steps repeated", measure)
