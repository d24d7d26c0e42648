"""What an earlier run tells about the next: how long a step takes, and how long until the first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

Point = tuple[float, float]
"""(step, time in seconds)"""


def step_seconds(points: Sequence[Point]) -> float | None:
    """The median over neighbouring points, so that pauses between attempts do not count; None if nothing moved."""
    paces = [
        (later[1] - sooner[1]) / (later[0] - sooner[0])
        for sooner, later in pairwise(sorted(points))
        if later[0] > sooner[0] and later[1] > sooner[1]
    ]
    return median(paces) if paces else None


def startup_seconds(points: Iterable[Point], started: float, pace: float) -> float:
    """From a run's start to the beginning of the first step that it told of."""
    first = min(points, default=(0.0, started))
    return max(0.0, first[1] - started - max(0.0, first[0]) * pace)
