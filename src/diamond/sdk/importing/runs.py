"""One run of another tool, as the service takes it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Point = tuple[float | None, float | None, float | None]
"""Step, time, value."""
MOST_POINTS = 2000
"""Of one metric: longer curves are thinned, keeping the first and the last point."""
MOST_METRICS, MOST_PARAMS, MOST_TAGS = 400, 1000, 50
LONGEST_NAME, LONGEST_VALUE = 240, 3900


@dataclass(frozen=True)
class ForeignRun:
    source: str
    key: str
    name: str
    state: str
    created: float
    experiment: str = ""
    started: float | None = None
    ended: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    tags: Sequence[str] = ()
    commit: str = ""
    curves: Mapping[str, Sequence[Point]] = field(default_factory=dict)

    def as_body(self, project: str = "") -> dict[str, Any]:
        """What `POST /runs/imports` takes; beyond its limits things are cut."""
        return {
            "source": self.source,
            "key": self.key[:LONGEST_NAME],
            "name": (self.name or self.key)[:LONGEST_NAME],
            "experiment": self.experiment[:LONGEST_NAME],
            "state": self.state,
            "created": self.created,
            "started": self.started,
            "ended": self.ended,
            "params": dict(list(_params(self.params))[:MOST_PARAMS]),
            "tags": [tag[:LONGEST_NAME] for tag in self.tags][:MOST_TAGS],
            "commit": self.commit[:LONGEST_NAME],
            "curves": {
                name: thinned(points)
                for name, points in list(self.curves.items())[:MOST_METRICS]
                if len(name) <= LONGEST_NAME and points
            },
            "project": project,
        }


def _params(params: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in params.items():
        if len(name) <= LONGEST_NAME:
            yield name, number_or_text(value)


def number_or_text(value: Any) -> Any:
    """MLflow keeps every parameter as text; `0.1` shall sort as a number."""
    if isinstance(value, bool) or value is None:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)[:LONGEST_VALUE]
    return number if math.isfinite(number) else str(value)


def thinned(points: Sequence[Point]) -> list[list[float | None]]:
    stride = -(-len(points) // MOST_POINTS)
    kept = list(points[::stride])
    if kept and kept[-1] != points[-1]:
        kept.append(points[-1])
    return [[_finite(number) for number in point] for point in kept]


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
