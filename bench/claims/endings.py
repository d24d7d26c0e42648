"""How soon an event-stream client learns of an ending: the program's own, and one caused from outside."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

from bench.claim import Claim, Findings, Options
from bench.ended import EndedJobs
from bench.jobs import spec
from bench.numbers import median, seconds
from bench.stack import Stack, slurm_stack
from bench.stamps import stamp_in
from bench.watching import Watcher

FULL_COUNT = 50
FULL_OUTSIDE_COUNT = 8
MOST, MOST_OUTSIDE = 1.5, 30.0
SPREAD_SECONDS = 40.0
BODY = 'sleep "0.$((RANDOM % 900 + 100))"\nprintf \'%s\\n\' "$EPOCHREALTIME" >"$1"'
MANNERS = {
    "scancel of a running job": ["scancel"],
    "SIGKILL of a whole running job": ["scancel", "--signal=KILL", "--full"],
    "scancel of a waiting job": ["scancel"],
}


def measure(options: Options) -> Findings:
    findings = Findings()
    with slurm_stack(options.folder) as stack:
        ours, slurms = own_endings(stack, options.samples(FULL_COUNT))
        outside = outside_endings(
            stack, min(options.samples(FULL_OUTSIDE_COUNT), FULL_OUTSIDE_COUNT)
        )
    findings.add("program's end → client", seconds(ours), f"median < {MOST} s", median(ours) < MOST)
    findings.add("program's end → Slurm's own record", seconds(slurms))
    findings.add("Diamond / Slurm's own record", f"{median(ours) / median(slurms):.2f}")
    for manner, delays in outside.items():
        words = f"median {median(delays):.1f} s, longest {max(delays):.1f} s (n={len(delays)})"
        findings.add(manner, words, f"≤ {MOST_OUTSIDE:.0f} s", max(delays) <= MOST_OUTSIDE)
    findings.note("From outside: counted from when Slurm's jobcomp recorded the end.")
    return findings


def own_endings(stack: Stack, count: int) -> tuple[list[float], list[float]]:
    program = stack.stamps.program("end", BODY)
    client, ended = stack.service.client(), EndedJobs(stack.ended_jobs)
    watcher = Watcher(client)
    ours, slurms = [], []
    for turn in range(count):
        stamp = stack.stamps.folder / f"end-{turn}"
        task = client.run(spec([str(program), str(stamp)]), folder=stamp.parent).task.id
        end, final = stamp_in(stamp), watcher.wait_final([task], within=60)[task]
        ours.append(final - end)
        slurms.append(ended.wait_job(watcher.native_ids[task], within=60) - end)
        time.sleep(random.uniform(0, 1))
    return ours, slurms


def outside_endings(stack: Stack, count: int) -> dict[str, list[float]]:
    """Some of each kind at once, ended at random times over two rounds of status queries."""
    client, ended = stack.service.client(), EndedJobs(stack.ended_jobs)
    watcher = Watcher(client)
    manners = {start(stack, manner): manner for manner in MANNERS for _ in range(count)}
    running = [task for task, manner in manners.items() if "running" in manner]
    watcher.wait_state(running, "running", within=60)
    watcher.wait_state(set(manners) - set(running), "pending", within=60)
    cancel_over_time(stack, manners, watcher.native_ids)
    finals = watcher.wait_final(manners, within=180)
    delays: dict[str, list[float]] = {manner: [] for manner in MANNERS}
    for task, manner in manners.items():
        known = ended.wait_job(watcher.native_ids[task], within=60)
        delays[manner].append(finals[task] - known)
    return delays


def start(stack: Stack, manner: str) -> str:
    asked = spec(["sleep", "3000"])
    if "waiting" in manner:
        asked["options"] = {"slurm": {"begin": "now+1hour"}}
    return stack.service.client().run(asked, folder=stack.stamps.folder).task.id


def cancel_over_time(
    stack: Stack, manners: Mapping[str, str], native_ids: Mapping[str, str]
) -> None:
    pause = SPREAD_SECONDS / len(manners)
    for task in random.sample(sorted(manners), len(manners)):
        time.sleep(random.uniform(0, 2 * pause))
        stack.cluster.run([*MANNERS[manners[task]], native_ids[task]])


CLAIM = Claim("endings", "The end of a program → final state at an event-stream client", measure)
