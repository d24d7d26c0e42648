"""Step time and start-up time, measured from the steps that a run logged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

Point = tuple[float, float]
"""(step, time in seconds)"""
WARM_UP_STEPS = 5
"""Compilers, caches and data loaders make the first steps slower."""
APART_SECONDS = 0.05
"""Times are logged in milliseconds, so steps shorter than this are measured in groups."""


@dataclass(frozen=True)
class PaceMeasurement:
    """What was measured after the warm-up."""

    paces: list[float]
    """Seconds per step between neighbouring points."""
    steps: float = 0.0
    seconds: float = 0.0

    @property
    def step_seconds(self) -> float | None:
        return median(self.paces) if self.paces else None


def measure_pace(points: Sequence[Point], warm_up: float = WARM_UP_STEPS) -> PaceMeasurement:
    """Counts only pairs of points after `warm_up` steps; for a program that logs rarely, at least the first pair is skipped."""
    ordered = _apart(sorted(points))
    first = ordered[0][0] + warm_up if ordered else 0.0
    pairs = [pair for pair in pairwise(ordered) if _moved(pair) and pair[0][0] >= first]
    steps = sum(later[0] - sooner[0] for sooner, later in pairs)
    return PaceMeasurement(
        [_pace(pair) for pair in pairs], steps, sum(b[1] - a[1] for a, b in pairs)
    )


def step_seconds(points: Sequence[Point]) -> float | None:
    """The median over neighbouring points, so pauses between attempts do not count; None without progress."""
    return measure_pace(points, warm_up=0).step_seconds


def startup_seconds(points: Iterable[Point], started: float, pace: float) -> float:
    """From the start of a run to the start of its first logged step."""
    first = min(points, default=(0.0, started))
    return max(0.0, first[1] - started - max(0.0, first[0]) * pace)


def _apart(ordered: Sequence[Point]) -> list[Point]:
    """Drop points too close in time; points that go back in time (after a restart) stay, and so do all of a few."""
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
