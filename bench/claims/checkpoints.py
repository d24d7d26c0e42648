"""What a checkpoint of 400 MB costs a training, compared with a copy in memory, the disk, and torch's own ways to save."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.numbers import median, seconds
from bench.turns import Times, measure_in_turn

FULL_COUNT, WARM_UP = 10, 2
RAW = ("raw write, direct", "raw write, cached")
WAYS = ["memcpy", "raw", "raw-cached", "torch", "dcp", "thread", "process", "in-call", "overlapped"]
FULL_PAIRS, FULL_MINUTES, EVERY_SECONDS = 10, 2.0, 30.0
MOST_BLOCKED = {"in-call": 1.2, "overlapped": 0.25, "added": 1.2}
LEAST_OVER = {"torch.save": 8.0, "dcp.save": 12.0, "async THREAD": 2.0, "async PROCESS": 4.0}
MOST_DURABLE_BEST, MOST_DURABLE_MEDIAN = 1.5, 2.2
MOST_SLOWDOWN = 0.03
NOTES = [
    "State 403 MB (AdamW), one torch thread, 2 rounds of warm-up. Each way to save has its own process, because in a shared one "
    "they would reuse each other's warm memory. They take turns, each after a sync of the disks.",
    "in-call: `overlap=False`, the whole copy inside `save`. overlapped: the default; the call plus the wait of the optimizer's next step. "
    "added: four steps with one save, minus four without. durable: from the call until hashed, synced and renamed.",
    "waiting for a core: how long the training's thread was ready to run and every core was busy (`/proc/thread-self/schedstat`), compared "
    "with the steps without a save. Where no core is idle, the copy (one memcpy) and the writer's share of the cores are all of the added "
    "time: 0.19 s added, 0.20 s of it waiting, at a load of 9 on 2 cores. Nothing waits for the disk or for the writer's answer.",
    "raw write, direct: large pieces around the page cache, as ours are written; the better of both raw ways is the limit. Ours also hashes: "
    "at 1.6 GB/s, SHA-256 of this state alone takes 0.25 s.",
    "Compared with torch's ways, each uses its defaults, so ours overlaps; in brackets, without a bar: with the copy in the call.",
]


def measure_arms(options: Options) -> Findings:
    found = measure_in_turn(
        "bench.checkpoint_ways",
        WAYS,
        options.folder,
        rounds=options.samples(FULL_COUNT),
        warm_up=WARM_UP,
    )
    findings = Findings()
    for name, values in found.items():
        findings.add(name, seconds(values))
    compare_with_memory(findings, found)
    compare_with_torch(findings, found)
    compare_with_disk(findings, found)
    for note in NOTES:
        findings.note(note)
    return findings


def compare_with_memory(findings: Findings, found: Times) -> None:
    for name, most in MOST_BLOCKED.items():
        ratio = median(found[name]) / median(found["memcpy"])
        findings.add(f"{name} / memcpy", f"{ratio:.2f}×", f"≤ {most}×", ratio <= most)


def compare_with_torch(findings: Findings, found: Times) -> None:
    """With the defaults of both: how long one save blocks the training with torch, and with Diamond."""
    ours = median(found["overlapped"])
    for name, least in LEAST_OVER.items():
        ratio, whole = median(found[name]) / ours, median(found[name]) / median(found["in-call"])
        shown = f"{ratio:.0f}× (copied in the call: {whole:.1f}×)"
        findings.add(f"{name} / ours", shown, f"≥ {least}×", ratio >= least)


def compare_with_disk(findings: Findings, found: Times) -> None:
    raw = min((found[name] for name in RAW), key=median)
    best, middle = min(found["durable"]) / min(raw), median(found["durable"]) / median(raw)
    findings.add(
        "durable / the better raw way, best",
        f"{best:.2f}×",
        f"≤ {MOST_DURABLE_BEST}×",
        best <= MOST_DURABLE_BEST,
    )
    findings.add(
        "durable / the better raw way, median",
        f"{middle:.2f}×",
        f"≤ {MOST_DURABLE_MEDIAN}×",
        middle <= MOST_DURABLE_MEDIAN,
    )


def measure_slowdown(options: Options) -> Findings:
    found = run(
        options.folder,
        count=options.samples(FULL_PAIRS),
        seconds=options.seconds(FULL_MINUTES),
        every=EVERY_SECONDS,
    )
    pairs = list(zip(found["never"], found["saving"], strict=True))
    losses = sorted(1 - saving / never for never, saving in pairs)
    low, high = interval_of_median(losses)
    findings = Findings()
    middle = median(losses)
    shown = f"{middle:+.2%} (95 % interval {low:+.2%} to {high:+.2%}, n={len(losses)})"
    findings.add(
        "training that saves, slower by", shown, f"≤ {MOST_SLOWDOWN:.0%}", middle <= MOST_SLOWDOWN
    )
    findings.note(f"403 MB every {EVERY_SECONDS:.0f} s compared with never, in alternating pairs")
    return findings


def interval_of_median(ordered: Sequence[float]) -> tuple[float, float]:
    """By order statistics, for the ten pairs of the full measurement: from the second to the second-last."""
    cut = 1 if len(ordered) >= 9 else 0
    return ordered[cut], ordered[-1 - cut]


def run(folder: Path, **options: float) -> Times:
    words = [sys.executable, "-m", "bench.checkpoint_training", "--folder", str(folder)]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, env=env, check=True, stdout=subprocess.PIPE, text=True)
    found: Times = json.loads(done.stdout.splitlines()[-1])
    return found


ARMS = Claim("checkpoints", "What a checkpoint costs a training of 400 MB", measure_arms)
SLOWDOWN = Claim("checkpoint-slowdown", "A training that saves every 30 s", measure_slowdown)
