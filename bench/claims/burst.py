"""200 no-op jobs, compared with a raw sbatch loop and a raw loop over the scripts that Diamond rendered."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.ended import EndedJobs
from bench.jobs import PARTITION, spec
from bench.numbers import median
from bench.stack import Stack, slurm_stack
from bench.waiting import wait_for
from bench.watching import Watcher

JOBS = 200
ROUNDS = 5
PATIENCE_SECONDS = 600
LEAST_OF_RAW, LEAST_OF_RENDERED = 0.5, 0.75
LOOP = 'for script in "$@"; do sbatch "$script" >/dev/null || exit 1; done'
NO_OP = f"""#!/bin/bash
#SBATCH --partition={PARTITION} --time=60 --output=/dev/null
true
"""


def measure(options: Options) -> Findings:
    jobs = options.samples(JOBS)
    rates: dict[str, list[float]] = {"Diamond": [], "raw": [], "rendered": []}
    with slurm_stack(options.folder, stamped=False) as stack:
        plain = options.folder / "no-op.sh"
        plain.write_text(NO_OP)
        run_ours(stack, 5)
        for turn in range(ROUNDS):
            taken, scripts = run_ours(stack, jobs)
            copies = copy_scripts(scripts, stack.agent.work, options.folder / f"raw-{turn}")
            rates["Diamond"].append(jobs / taken)
            rates["raw"].append(jobs / run_raw(stack, [plain] * jobs))
            rates["rendered"].append(jobs / run_raw(stack, copies))
    return judge(rates, jobs)


def judge(rates: dict[str, list[float]], jobs: int) -> Findings:
    findings = Findings()
    for name, each in rates.items():
        rounds = ", ".join(f"{rate:.1f}" for rate in each)
        findings.add(f"{name}, jobs per second", f"{median(each):.1f} ({rounds})")
    compare(findings, "Diamond / raw sbatch", rates["Diamond"], rates["raw"], LEAST_OF_RAW)
    compare(findings, "Diamond / rendered", rates["Diamond"], rates["rendered"], LEAST_OF_RENDERED)
    findings.note(
        f"{jobs} jobs per round, {ROUNDS} rounds; raw ends with the last line of Slurm's jobcomp."
    )
    return findings


def compare(
    findings: Findings, what: str, ours: list[float], theirs: list[float], least: float
) -> None:
    """The median of each round's ratio, because its arms ran under the same load."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    ratio = median(ratios)
    findings.add(what, f"{ratio:.2f} ({each})", f"≥ {least}", ratio >= least)


def run_ours(stack: Stack, jobs: int) -> tuple[float, list[Path]]:
    """Seconds from the first submit() to the last final state, and the rendered scripts."""
    client, ended = stack.service.client(), EndedJobs(stack.ended_jobs)
    with closing(Watcher(client)) as watcher:
        began, here = time.time(), stack.stamps.folder
        tasks = [client.run(spec(["true"]), folder=here).task.id for _ in range(jobs)]
        finals = watcher.wait_final(tasks, within=PATIENCE_SECONDS)
    ended.wait_count(jobs, within=PATIENCE_SECONDS)
    wait_until_quiet(stack)
    folders = [stack.agent.work / "tasks" / task for task in tasks]
    scripts = [next(folder.glob("attempts/*/script.sh")) for folder in folders]
    return max(finals.values()) - began, scripts


def run_raw(stack: Stack, scripts: Sequence[Path]) -> float:
    ended = EndedJobs(stack.ended_jobs)
    env = stack.cluster.command_env(None)
    began = time.time()
    subprocess.run(["bash", "-c", LOOP, "loop", *map(str, scripts)], env=env, check=True)
    last = ended.wait_count(len(scripts), within=PATIENCE_SECONDS)
    wait_until_quiet(stack)
    return last - began


def copy_scripts(scripts: Sequence[Path], work: Path, copy: Path) -> list[Path]:
    """The same scripts with new folders: in the old ones each would find its claim taken."""
    made = []
    for script in scripts:
        attempt = copy / script.parent.relative_to(work)
        (attempt / "runs" / "1").mkdir(parents=True)
        (attempt.parent.parent / "run").mkdir(exist_ok=True)
        for each in script.parent.glob("*.sh"):
            (attempt / each.name).write_text(each.read_text().replace(str(work), str(copy)))
        made.append(attempt / "script.sh")
    (copy / "inbox").mkdir()
    return made


def wait_until_quiet(stack: Stack) -> None:
    """Wait, so that no arm pays for the end of another."""
    squeue = ["/usr/bin/env", "squeue", "--noheader"]
    wait_for(lambda: not stack.cluster.run(squeue).stdout.strip(), within=120, every=0.2)


CLAIM = Claim("burst", "200 no-op jobs, first submit() to all final on the event stream", measure)
