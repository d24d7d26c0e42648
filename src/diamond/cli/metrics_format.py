"""Metrics and resource usage as aligned lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diamond.cli.format import duration

Series = dict[str, Any]
USAGE_NAMES = {"cpu_percent": "CPU", "memory_mb": "memory"}


def progress_lines(summary: dict[str, Any]) -> list[str]:
    """step 33 of 4000 (1 %), about 2.2 h left."""
    progress = summary["progress"]
    if not progress:
        return []
    total = progress["total"]
    text = f"{progress['unit']} {progress['done']:.6g}"
    text += f" of {total:.6g} ({100 * progress['fraction']:.0f} %)" if total else ""
    left = progress["seconds_left"]
    return [f"  Progress  {text}" + (f", about {duration(left)} left" if left is not None else "")]


def metric_lines(summary: dict[str, Any], metrics: list[Series], usage: list[Series]) -> list[str]:
    """The last value of each metric with its best or its range, and the peak usage of each resource."""
    ranges = {str(values["name"]): _range(values) for values in summary["values"]}
    rows = [
        (name, text + ranges.get(name, ""))
        for series in metrics
        for name in [str(series["name"])]
        for text in _latest(series)
    ]
    rows += [(_usage_name(str(series["name"])), text) for series in usage for text in _peak(series)]
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name.ljust(width)}  {text}" for name, text in rows]


def _range(values: dict[str, Any]) -> str:
    if values["min"] == values["max"]:
        return ""
    best = values["best"]
    if best:
        return f"  (best {values[best]:.6g}{_step(values[best + '_step'], ' at')})"
    return f"  (from {values['min']:.6g} to {values['max']:.6g})"


def _latest(series: Series) -> Iterator[str]:
    points = series["points"]
    if not points:
        return
    step, _, value = points[-1]
    if value is None:
        yield f"not a number{_step(_first_bad_step(points), ' since')}"
    else:
        yield f"{value:.6g}{_step(step, ' at')}"


def _first_bad_step(points: list[list[Any]]) -> Any:
    """The step since which no value was a number."""
    first = points[-1][0]
    for step, _, value in reversed(points):
        if value is not None:
            break
        first = step
    return first


def _step(step: Any, word: str) -> str:
    return f"{word} step {step:g}" if step is not None else ""


def _peak(series: Series) -> Iterator[str]:
    values = [value for _, _, value in series["points"] if value is not None]
    unit = _unit(str(series["name"]))
    if values:
        yield f"at most {max(values):.4g}{unit}"


def _unit(name: str) -> str:
    return " %" if name.endswith("_percent") else " MB" if name.endswith("_mb") else ""


def _usage_name(name: str) -> str:
    """`n2/cpu_percent` belongs to node n2; without a node it is the sum."""
    node, slash, measure = name.rpartition("/")
    return f"{_measure_name(measure)} on {node}" if slash else _measure_name(name)


def _measure_name(name: str) -> str:
    if name.startswith("gpu"):
        short = name.removesuffix("_percent").removesuffix("_mb")
        return short.replace("gpu", "GPU ", 1).replace("_", " ")
    return USAGE_NAMES.get(name, name)
