"""Tune before train: settings tried on one node, and what each gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diamond.planning.scaling import NOISE


@dataclass(frozen=True)
class TriedSetting:
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


def gains(baseline: float, tried: Sequence[TriedSetting]) -> list[Gain]:
    """What each change gave, the best first; a difference within the noise helps nobody."""
    found = [gain(baseline, setting) for setting in tried]
    return sorted(found, key=lambda one: one.factor, reverse=True)


def gain(baseline: float, setting: TriedSetting) -> Gain:
    factor = setting.throughput / baseline
    helps = not setting.problem and factor > 1 + NOISE
    return Gain(setting.change, factor, helps, gain_words(setting, factor))


def gain_words(setting: TriedSetting, factor: float) -> str:
    if setting.problem:
        return f"{setting.change}: failed ({setting.problem})"
    if abs(factor - 1) <= NOISE:
        return f"{setting.change}: no difference"
    return f"{setting.change}: {factor:.2f}× the throughput"
