"""JSON lines of a job as points: bytes in, whole lines out, what is bad counted."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import islice
from typing import Any

from diamond.service.output.metric_store import MOST_NAMES
from diamond.service.output.series_values import Point

# A line that never ends is not a metric.
MAX_PARTIAL = 256 << 10
NOT_METRICS = frozenset({"step", "time", "gpus", "rank", "nonfinite"})


@dataclass(frozen=True)
class MetricLines:
    points: list[Point]
    partial: bytes
    bad: int


def read_lines(partial: bytes, data: bytes) -> MetricLines:
    """Points of the whole lines in `partial + data`, the rest of the last line, and how many lines were bad."""
    *whole, rest = (partial + data).split(b"\n")
    points: list[Point] = []
    bad = 0
    for line in whole:
        points_of_line = _points(line)
        if points_of_line is None:
            bad += 1
        else:
            points += points_of_line
    return MetricLines(points, *((b"", bad + 1) if len(rest) > MAX_PARTIAL else (rest, bad)))


def _points(line: bytes) -> list[Point] | None:
    if not line.strip():
        return []
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    step, time = _number(data.get("step")), _number(data.get("time"))
    values = {name: value for name, value in data.items() if name not in NOT_METRICS}
    values |= _gpus(data.get("gpus"))
    nonfinite = data.get("nonfinite")
    broken = (
        {name for name in nonfinite if isinstance(name, str)}
        if isinstance(nonfinite, list)
        else set()
    )
    return [
        Point(_clean(name), step, time, _number(value))
        for name, value in islice(values.items(), MOST_NAMES + 1)
        if isinstance(value, (int, float)) or (value is None and name in broken)
    ]


def _gpus(gpus: Any) -> dict[str, Any]:
    """The sampler's list of GPUs as `gpu0_percent`, `gpu0_memory_mb`, …"""
    if not isinstance(gpus, list):
        return {}
    return {
        f"gpu{number}_{name}": value
        for number, gpu in enumerate(gpus)
        if isinstance(gpu, dict)
        for name, value in gpu.items()
    }


def _number(value: Any) -> float | None:
    """A finite number, or None: NaN and infinity have no place in JSON."""
    if not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _clean(name: str) -> str:
    return name.replace("\x00", "").encode("utf-8", "replace").decode()[:200]
