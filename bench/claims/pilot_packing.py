"""A mix of 200 stages of one core, of a GPU, and of two nodes: how much of the allocation they use, and what they leave."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable

from bench.claim import Claim, Findings, Options
from diamond.pilots.journal import Node, Share
from diamond.pilots.packing import Ask, Packing, Waiting

STAGES, NODES, CORES, GPUS, LEAST = 200, 4, 8, 2, 0.85
PATIENCE = 2.0
"""In mean stages, as the pilot's program chooses it."""


def measure(options: Options) -> Findings:
    findings = Findings()
    used = [simulate(seed) for seed in range(options.samples(50))]
    worst, mean = min(used), sum(used) / len(used)
    findings.add("share of a perfect packing, mean", f"{mean:.3f}", f"≥ {LEAST}", mean >= LEAST)
    findings.add(
        "share of a perfect packing, worst of all", f"{worst:.3f}", f"≥ {LEAST}", worst >= LEAST
    )
    findings.note(
        f"{len(used)} graphs of {STAGES} stages on {NODES} nodes with {CORES} cores and {GPUS} GPUs each, by the packing that the "
        "pilot uses, without a clock: what starting costs is in pilot-engines. A perfect packing takes the larger of "
        "work / cores, GPU work / GPUs and the longest stage; no schedule is shorter."
    )
    return findings


def simulate(seed: int) -> float:
    """The lower bound on the time, over the time that the packing took."""
    random_ = random.Random(seed)
    stages = {f"s{n}": shape(random_) for n in range(STAGES)}
    packing = Packing(
        [Node(f"n{n}", list(range(CORES)), 0, list(range(GPUS))) for n in range(NODES)]
    )
    waiting, now = Waiting(), 0.0
    for name in random_.sample(sorted(stages), len(stages)):
        waiting.add(name, stages[name][0], now=0.0)
    mean = sum(seconds for _, seconds in stages.values()) / STAGES
    running: list[tuple[float, str, list[Share]]] = []
    while True:
        for name, shares in waiting.start(packing, now=now, patience=PATIENCE * mean):
            heapq.heappush(running, (now + stages[name][1], name, shares))
        if not running:
            break
        now, _, shares = heapq.heappop(running)
        packing.release(shares)
    return least_seconds(list(stages.values())) / now


def shape(random_: random.Random) -> tuple[Ask, float]:
    seconds = random_.uniform(1, 10)
    kinds: list[Callable[[], Ask]] = [
        lambda: Ask(cores=1),
        lambda: Ask(cores=2, gpus=1),
        lambda: Ask(nodes=2, cores=4),
    ]
    return random_.choices(kinds, [140, 40, 20])[0](), seconds


def least_seconds(stages: list[tuple[Ask, float]]) -> float:
    cores = sum(ask.nodes * ask.cores * seconds for ask, seconds in stages) / (NODES * CORES)
    gpus = sum(ask.nodes * ask.gpus * seconds for ask, seconds in stages) / (NODES * GPUS)
    return max(cores, gpus, max(seconds for _, seconds in stages))


CLAIM = Claim("pilot-packing", "200 mixed stages in one allocation", measure)
