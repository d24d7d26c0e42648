"""Steps that a chain of attempts does twice, on a real Slurm whose time limit is far too short for it; and its gaps."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.jobs import PARTITION
from bench.numbers import median
from bench.stack import Stack, slurm_stack
from diamond.sdk.models import Task

FULL_ATTEMPTS = 5
STEP_SECONDS, INTERVAL = 0.25, 20
WALLTIME_SECONDS, LATEST_KILL_SECONDS = 60, 100
PROGRAM = """\
heeds=$1 total=$2
mkdir -p ckpt
save() {{ echo "$1" >ckpt/.new; mv ckpt/.new "ckpt/$1"; }}
n=0
[ -z "$DIAMOND_RESUME_FROM" ] || n=${{DIAMOND_RESUME_FROM##*/}}
while [ "$n" -lt "$total" ]; do
  n=$((n + 1))
  echo "$n" >>done
  printf '{{"step": %d, "time": 0}}\\n' "$n" >>"$DIAMOND_METRICS"
  [ $((n % {interval})) -ne 0 ] || save "$n"
  [ "$heeds" = no ] || [ ! -e "$DIAMOND_STOP_FILE" ] || {{ save "$n"; exit 75; }}
  sleep {pause}
done
"""


@dataclass(frozen=True)
class Chain:
    task: Task
    repeated: int
    lost_at_once: int
    """The most that one ending cost."""


def measure(options: Options) -> Findings:
    findings, attempts = Findings(), options.samples(FULL_ATTEMPTS)
    with slurm_stack(options.folder, stamped=False) as stack:
        flag = run(stack, options.folder, heeds="yes", attempts=attempts)
        kill = run(stack, options.folder, heeds="no", attempts=attempts)
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
        f"A limit of {WALLTIME_SECONDS} s, a step every {STEP_SECONDS} s, a checkpoint every {INTERVAL} steps. Slurm kills up to "
        "35 s late. The follow-up is queued ahead; a gap is from the program's end to the next one's start."
    )
    return findings


def run(stack: Stack, folder: Path, *, heeds: str, attempts: int) -> Chain:
    lasts = WALLTIME_SECONDS - 10 if heeds == "yes" else LATEST_KILL_SECONDS
    total = int((attempts - 0.5) * lasts / STEP_SECONDS)
    program = folder / "train.sh"
    program.write_text(PROGRAM.format(interval=INTERVAL, pause=STEP_SECONDS))
    client = stack.service.client()
    task = client.run(spec(program, heeds, total), folder=folder / "stamps").task.id
    deadline = time.monotonic() + 3 * attempts * LATEST_KILL_SECONDS
    while not (found := client.task(task)).is_final:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{task} is {found.state}: {found.message}")
        time.sleep(1.0)
    if found.state != "succeeded":
        raise RuntimeError(f"{task} {found.state}: {found.reason} {found.message}")
    done = [int(line) for line in (Path(found.run_dir) / "run" / "done").read_text().split()]
    back = [last - first + 1 for last, first in itertools.pairwise(done) if first <= last]
    return Chain(found, len(done) - total, max(back, default=0))


def spec(program: Path, heeds: str, total: int) -> dict[str, Any]:
    return {
        "name": f"chain-{heeds}",
        "run": ["bash", str(program), heeds, str(total)],
        "on": "cluster",
        "partition": PARTITION,
        "resources": {"walltime": "1m"},
        "continue": {"on": ["exit-75", "wall-time"], "from": "ckpt/*", "lead": "10s"},
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
