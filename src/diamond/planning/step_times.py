"""What a run's logged steps tell: how long a step takes, and how long until the first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

Point = tuple[float, float]
"""(step, time in seconds)"""
WARM_UP_STEPS = 5
"""Compilers, caches and data loaders are busy with themselves in the first steps."""
APART_SECONDS = 0.05
"""Times are logged in milliseconds: steps shorter than this are measured several at once."""


@dataclass(frozen=True)
class Measured:
    """What was seen after the warm-up."""

    paces: list[float]
    """Seconds a step, between neighbouring points."""
    steps: float = 0.0
    seconds: float = 0.0

    @property
    def step_seconds(self) -> float | None:
        return median(self.paces) if self.paces else None


def measure(points: Sequence[Point], warm_up: float = WARM_UP_STEPS) -> Measured:
    """Only pairs of points that begin after `warm_up` steps count: of a program that logs seldom, at least the first is left out."""
    ordered = _apart(sorted(points))
    first = ordered[0][0] + warm_up if ordered else 0.0
    pairs = [pair for pair in pairwise(ordered) if _moved(pair) and pair[0][0] >= first]
    steps = sum(later[0] - sooner[0] for sooner, later in pairs)
    return Measured([_pace(pair) for pair in pairs], steps, sum(b[1] - a[1] for a, b in pairs))


def step_seconds(points: Sequence[Point]) -> float | None:
    """The median over neighbouring points, so that pauses between attempts do not count; None if nothing moved."""
    return measure(points, warm_up=0).step_seconds


def startup_seconds(points: Iterable[Point], started: float, pace: float) -> float:
    """From a run's start to the beginning of the first step that it told of."""
    first = min(points, default=(0.0, started))
    return max(0.0, first[1] - started - max(0.0, first[0]) * pace)


def _apart(ordered: Sequence[Point]) -> list[Point]:
    """Times that go back, as after a restart, are no reason to leave a point out. Of few points all are needed."""
    kept: list[Point] = []
    for point in ordered:
        if not kept or not 0 <= point[1] - kept[-1][1] < APART_SECONDS:
            kept.append(point)
    return kept if len(kept) > 3 else list(ordered)


def _moved(pair: tuple[Point, Point]) -> bool:
    sooner, later = pair
    return later[0] > sooner[0] and later[1] > sooner[1]


def _pace(pair: tuple[Point, Point]) -> float:
    sooner, later = pair
    return (later[1] - sooner[1]) / (later[0] - sooner[0])
