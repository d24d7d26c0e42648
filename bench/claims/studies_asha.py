"""How much sooner ASHA finds a good point than random search, and whether Syne Tune's is any sooner: replayed from real trainings."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

from bench.arms.replay_trials import Point, Table, epochs_until
from bench.claim import Claim, Findings, Options
from bench.numbers import median
from diamond.studies.optuna_mirror import MirrorTrial, OptunaMirror
from diamond.studies.plan import Objective, Sampler, StudyPlan
from diamond.studies.pruning import Pruner, TrialCurve, judge
from diamond.studies.space import CHOICE, Dimension

SEEDS, WORKERS = 300, 16
TPE_SEEDS, MOST_OF_GRID = 30, 0.25
SHARES = (0.01, 0.02, 0.05)
MOST_OF_RANDOM, MOST_OF_SYNE_TUNE = 1 / 3, 1.05
ASHA = Pruner("asha", min=1, max=81, factor=3)
ARM = Path(__file__).parents[1] / "arms" / "syne_tune_arm.py"


def measure(options: Options) -> Findings:
    findings, table, seeds = Findings(), Table(), options.samples(SEEDS)
    python = python_with_syne_tune(options.cache)
    for share in SHARES:
        target = table.good(share)
        random = [ours(table, target, seed, Pruner()) for seed in range(seeds)]
        asha = [ours(table, target, seed, ASHA) for seed in range(seeds)]
        theirs = syne_tune(python, share, seeds)
        middle, least = median(asha), median(random)
        which = f"best {share:.0%} of the grid"
        findings.add(f"{which}: epochs of random search, median", f"{least:.0f}")
        ratio = middle / least
        findings.add(
            f"{which}: of these by ASHA",
            f"{ratio:.2f} ({middle:.0f} epochs)",
            "≤ 0.33",
            ratio <= MOST_OF_RANDOM,
        )
        ratio = mean(asha) / mean(theirs)
        findings.add(
            f"{which}: ours over Syne Tune's ASHA, means",
            f"{ratio:.3f} (medians {middle:.0f} and {median(theirs):.0f}; standard error {error(asha, theirs):.3f})",
            "≤ 1.05",
            ratio <= MOST_OF_SYNE_TUNE,
        )
    against_grid(findings, table, min(seeds, TPE_SEEDS))
    findings.note(
        f"{len(table.curves)} real trainings on scikit-learn's digits (bench/tables/digits_curves.py), up to 81 epochs; "
        f"{WORKERS} workers in simulated time, {seeds} seeds. Counted are all epochs that the workers have trained when the first "
        "trial logs a validation loss as good as the best share of the grid. Points are random in all three arms."
    )
    return findings


def against_grid(findings: Findings, table: Table, seeds: int) -> None:
    """Whole trainings, 16 at a time, until one is as good as the best of the whole grid."""
    ends = {point: curve[-1][1] for point, curve in table.curves.items()}
    best = min(ends.values())
    for near in (1.0, 1.02):
        taken = sorted(tpe_trials(table, best * near, seed) for seed in range(seeds))
        middle = median(taken)
        share = middle / len(ends)
        which = (
            "as good as the grid's best loss" if near == 1 else "within 2 % of the grid's best loss"
        )
        findings.add(
            f"TPE, {WORKERS} at a time: trials until {which}, median of {seeds} seeds",
            f"{middle:.0f} of {len(ends)} ({share:.2f}; {taken[0]:.0f} to {taken[-1]:.0f})",
            "≤ 0.25",
            share <= MOST_OF_GRID,
        )


def tpe_trials(table: Table, target: float, seed: int) -> float:
    space = space_of(table)
    plan = StudyPlan((Objective("loss"),), space, parallel=WORKERS, seed=seed)
    mirror, done = OptunaMirror(plan), 0
    while done < len(table.curves):
        asked = [mirror.ask(space, done + n) for n in range(WORKERS)]
        for each in asked:
            point = {name: float(str(value)) for name, value in each.params.items()}
            loss = table.curve(point)[-1][1]
            done += 1
            if loss <= target:
                return done
            mirror.put(
                MirrorTrial(
                    each.number,
                    each.params,
                    space,
                    is_open=False,
                    values=(loss,),
                    attributes=each.attributes,
                )
            )
    return done


def space_of(table: Table) -> tuple[Dimension, ...]:
    return tuple(
        Dimension(name, CHOICE, choices=tuple(values)) for name, values in table.choices().items()
    )


def ours(table: Table, target: float, seed: int, pruner: Pruner) -> float:
    """By the sampler and the pruning rule of studies."""
    space = space_of(table)
    plan = StudyPlan((Objective("loss"),), space, sampler=Sampler("random"), seed=seed)
    mirror, curves = OptunaMirror(plan), list[TrialCurve]()

    def ask() -> tuple[int, Point]:
        asked = mirror.ask(space, len(curves))
        curves.append(TrialCurve(asked.number, ()))
        return asked.number, {name: float(value) for name, value in asked.params.items()}  # type: ignore[arg-type]

    def report(number: int, epoch: int, loss: float) -> bool:
        before = curves[number]
        steps = (*before.steps, (float(epoch), loss))
        now = TrialCurve(number, steps, rungs=before.rungs)
        rivals = [each for each in curves if each.number != number]
        verdict = judge(pruner, now, rivals, maximize=False, study="s", seen=len(before.steps))
        rungs = verdict.rungs or before.rungs
        curves[number] = TrialCurve(number, steps, epoch == ASHA.max, rungs)
        return not verdict.prune

    return epochs_until(table, target, ask, report, workers=WORKERS)


def syne_tune(python: Path, share: float, seeds: int) -> list[float]:
    words = [str(python), str(ARM), str(share), str(WORKERS), str(seeds)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return [float(each) for each in json.loads(done.stdout.splitlines()[-1])]


def python_with_syne_tune(cache: Path) -> Path:
    folder = cache / f"syne-tune-py{sys.version_info[0]}{sys.version_info[1]}"
    python, done = folder / "bin" / "python", folder / "complete"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "syne-tune"], check=True)
        done.touch()
    return python


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def error(values: list[float], others: list[float]) -> float:
    """Of the ratio of two means, as far as chance goes."""
    parts = []
    for each in (values, others):
        middle = mean(each)
        spread = sum((value - middle) ** 2 for value in each) / (len(each) - 1)
        parts.append(spread / len(each) / middle**2)
    return mean(values) / mean(others) * math.sqrt(sum(parts))


CLAIM = Claim("studies-asha", "Studies: ASHA, random search and Syne Tune", measure)
