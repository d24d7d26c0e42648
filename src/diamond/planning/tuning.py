"""Tuning: settings tried on one node, and how much each one gained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diamond.planning.scaling import NOISE


@dataclass(frozen=True)
class TuningRun:
    """One short run with something changed, such as precision, batch size or data-loader workers."""

    change: str
    """For example 'bf16' or 'workers=4'."""
    throughput: float
    """Samples per second; 0 if the run failed."""
    problem: str = ""
    """Why it failed, such as out of memory."""


@dataclass(frozen=True)
class Gain:
    change: str
    factor: float
    """Throughput relative to the baseline."""
    helps: bool
    words: str


def gains(baseline: float, runs: Sequence[TuningRun]) -> list[Gain]:
    """The gain of each change, best first. A difference within the noise does not count."""
    results = [gain(baseline, run) for run in runs]
    return sorted(results, key=lambda result: result.factor, reverse=True)


def gain(baseline: float, run: TuningRun) -> Gain:
    factor = run.throughput / baseline
    helps = not run.problem and factor > 1 + NOISE
    return Gain(run.change, factor, helps, gain_words(run, factor))


def gain_words(run: TuningRun, factor: float) -> str:
    if run.problem:
        return f"{run.change}: failed ({run.problem})"
    if abs(factor - 1) <= NOISE:
        return f"{run.change}: no difference"
    return f"{run.change}: {factor:.2f}× the throughput"
