"""How often a cluster is queried about its jobs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.jobs import spec
from bench.stack import (
    Service,
    cluster_env,
    slurm_cluster,
    slurm_stack,
    started_agent,
    started_service,
)
from bench.stamps import QUESTIONS, Stamps
from bench.waiting import wait_for
from bench.watching import Watcher

FULL_MINUTES = 10.0
RUNNING = 20
FEW, MANY = 50, 500
AGENTS = 20
SETTLE_SECONDS = 60.0
PATIENCE_SECONDS = 600.0
MOST, MOST_IN_ALL, SAME_WITHIN = 4.0, 6.0, 0.5


def measure(options: Options) -> Findings:
    findings = Findings()
    seconds = options.seconds(FULL_MINUTES)
    with slurm_stack(options.folder / "one", nodes=4, cpus=RUNNING // 4) as stack:
        queue(stack.service, ["cluster"], RUNNING + FEW)
        few = ask_rate(stack.stamps, seconds)
        queue(stack.service, ["cluster"], MANY - FEW)
        many = ask_rate(stack.stamps, seconds)
    crowd = crowd_rate(options.folder / "crowd", seconds)
    tell(findings, f"{FEW} pending + {RUNNING} running", few, MOST)
    tell(findings, f"{MANY} pending + {RUNNING} running", many, MOST)
    ratio = f"{many.per_minute:.1f} − {few.per_minute:.1f}"
    same = abs(many.per_minute - few.per_minute) <= SAME_WITHIN
    findings.add(f"with {MANY} − with {FEW}", ratio, f"within {SAME_WITHIN}", same)
    tell(findings, f"{AGENTS} agents on one cluster, in all", crowd, MOST_IN_ALL)
    findings.note(
        f"{seconds / 60:.1f} min each, from {SETTLE_SECONDS:.0f} s after the last submission."
    )
    return findings


class Rate:
    def __init__(self, counts: dict[str, int], minutes: float) -> None:
        self.counts = counts
        self.per_minute = sum(counts.values()) / minutes

    def words(self) -> str:
        parts = ", ".join(f"{name} {count}" for name, count in self.counts.items() if count)
        return f"{self.per_minute:.1f} a minute ({parts or 'none'})"


def tell(findings: Findings, what: str, rate: Rate, bar: float) -> None:
    findings.add(what, rate.words(), f"≤ {bar:.0f}", rate.per_minute <= bar)


def ask_rate(stamps: Stamps, seconds: float) -> Rate:
    time.sleep(SETTLE_SECONDS)
    began = time.time()
    time.sleep(seconds)
    return Rate(stamps.questions(since=began, until=began + seconds), seconds / 60)


def queue(service: Service, endpoints: Sequence[str], count: int) -> None:
    """Submit this many more tasks, spread over the endpoints; returns when the batch system has them all."""
    client = service.client()
    with contextlib.closing(Watcher(client)) as watcher:
        for turn in range(count):
            asked = spec(["sleep", "7200"], on=endpoints[turn % len(endpoints)])
            asked["resources"]["walltime"] = "3h"
            client.run(asked, folder=service.folder)
        wait_for(lambda: watcher.queued_count() >= count, within=PATIENCE_SECONDS)


def crowd_rate(folder: Path, seconds: float) -> Rate:
    """20 agents, each with one task running and two waiting."""
    folder.mkdir()
    stamps = Stamps(folder / "stamps")
    stamps.count_questions()
    with contextlib.ExitStack() as exits:
        cluster = exits.enter_context(slurm_cluster(folder, stamps, nodes=4, cpus=RUNNING // 4))
        service = exits.enter_context(started_service(folder / "service"))
        names = [f"agent{number}" for number in range(AGENTS)]
        for name in names:
            env = cluster_env(cluster, stamps)
            exits.enter_context(started_agent(service, name, folder / name, env))
        queue(service, names, 3 * AGENTS)
        return ask_rate(stamps, seconds)


CLAIM = Claim("questions", f"Status queries per minute ({', '.join(QUESTIONS)})", measure)
