"""Tune before train: settings tried on one node, and what each gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diamond.planning.scaling import NOISE


@dataclass(frozen=True)
class Trial:
    """One short run with something changed, such as precision, batch size or data-loader workers."""

    change: str
    """Such as 'bf16' or 'workers=4'."""
    throughput: float
    """Samples a second; 0 when the run failed."""
    problem: str = ""
    """Why it failed, such as out of memory."""


@dataclass(frozen=True)
class Gain:
    change: str
    factor: float
    """Throughput over the baseline's."""
    helps: bool
    words: str


def gains(baseline: float, trials: Sequence[Trial]) -> list[Gain]:
    """What each change gave, the best first; a difference within the noise helps nobody."""
    found = [gain(baseline, trial) for trial in trials]
    return sorted(found, key=lambda one: one.factor, reverse=True)


def gain(baseline: float, trial: Trial) -> Gain:
    factor = trial.throughput / baseline
    helps = not trial.problem and factor > 1 + NOISE
    return Gain(trial.change, factor, helps, gain_words(trial, factor))


def gain_words(trial: Trial, factor: float) -> str:
    if trial.problem:
        return f"{trial.change}: failed ({trial.problem})"
    if abs(factor - 1) <= NOISE:
        return f"{trial.change}: no difference"
    return f"{trial.change}: {factor:.2f}× the throughput"
