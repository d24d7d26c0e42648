"""How far a metric of a second run may be from the first: stated by a person, or taken from repeated runs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diamond.core.errors import BadRequest

_TOLERANCE = re.compile(r"(?:(?P<metric>.+)=)?(?P<number>[0-9.eE+-]+)(?P<percent>%?)")
FEWEST_REPEATS = 3
"""Of fewer runs a spread says nothing."""
SPREADS = 3.0
"""So many standard deviations around the mean of repeated runs are within their spread."""
NEAR_ZERO = 1e-12


@dataclass(frozen=True)
class Bound:
    """How far is near enough."""

    amount: float
    is_relative: bool = False
    why: str = ""

    def allowed(self, first: float) -> float:
        return self.amount * abs(first) if self.is_relative else self.amount

    @property
    def text(self) -> str:
        number = f"{100 * self.amount:g}%" if self.is_relative else f"{self.amount:g}"
        return f"{number} ({self.why})" if self.why else number


EXACT = Bound(0.0, why="no tolerance stated")


@dataclass(frozen=True)
class Tolerance:
    every: Bound | None = None
    """For metrics without one of their own."""
    by_metric: Mapping[str, Bound] = field(default_factory=dict)

    def of(self, metric: str) -> Bound:
        return self.by_metric.get(metric) or self.every or EXACT


def parse_tolerances(texts: Sequence[str]) -> Tolerance:
    """`0.01` for every metric, `1%` of its value, `loss=0.01` for one. Raises `BadRequest`."""
    every: Bound | None = None
    by_metric: dict[str, Bound] = {}
    for text in texts:
        metric, bound = _parsed(text)
        if metric:
            by_metric[metric] = bound
        else:
            every = bound
    return Tolerance(every, by_metric)


def from_repeats(stated: Tolerance, runs: Sequence[Mapping[str, float | None]]) -> Tolerance:
    """What is stated counts; for other metrics, the spread of repeated runs, where there are enough."""
    bounds = {
        name: Bound(SPREADS * spread, why=f"{SPREADS:g} standard deviations of {count} runs")
        for name, (count, spread) in _spreads(runs).items()
    }
    if stated.every is not None:
        return stated
    return Tolerance(None, {**bounds, **stated.by_metric})


def _spreads(runs: Sequence[Mapping[str, float | None]]) -> dict[str, tuple[int, float]]:
    values: dict[str, list[float]] = {}
    for run in runs:
        for name, value in run.items():
            if value is not None and math.isfinite(value):
                values.setdefault(name, []).append(value)
    return {
        name: (len(numbers), _deviation(numbers))
        for name, numbers in values.items()
        if len(numbers) >= FEWEST_REPEATS
    }


def _deviation(numbers: Sequence[float]) -> float:
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((n - mean) ** 2 for n in numbers) / (len(numbers) - 1))


def _parsed(text: str) -> tuple[str, Bound]:
    match = _TOLERANCE.fullmatch(text.strip())
    try:
        number = float(match["number"]) if match else math.nan
    except ValueError:
        number = math.nan
    if match is None or not math.isfinite(number) or number < 0:
        raise BadRequest(
            f"{text!r} is not a tolerance",
            "Such as 0.01, 1%, or loss=0.01 for one metric.",
        )
    is_relative = bool(match["percent"])
    return (match["metric"] or "").strip(), Bound(
        number / 100 if is_relative else number, is_relative, "stated"
    )
