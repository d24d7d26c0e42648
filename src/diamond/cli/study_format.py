"""Studies as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diamond.core.units import show_minutes
from diamond.sdk.studies import Study


def study_lines(study: Study) -> Iterator[str]:
    raw = study.raw
    yield f"{study.name} ({study.id}) is {study.state}" + (
        f": {study.message}" if study.message else ""
    )
    yield f"  {progress_line(study)}"
    if study.best:
        yield f"  best: {value_text(study.best)} with {params_text(study.best)} (trial {study.best['number']})"
    for trial in study.front:
        yield f"  front: {value_text(trial)} with {params_text(trial)} (trial {trial['number']})"
    if raw["pack"] != "off":
        most = "as many as suit" if raw["pack"] == "auto" else f"up to {raw['pack']}"
        yield f"  packed: {most} in one allocation (diamond pilot list)"
    saved = raw["node_hours_saved"]
    yield f"  used {raw['node_hours']:.3g} node-hours" + (
        f", pruning saved about {saved:.3g}" if saved >= 0.0005 else ""
    )
    for warning in raw["warnings"]:
        yield f"  warning: {warning}"


def gain_lines(study: Study) -> Iterator[str]:
    """Of a study that tunes the throughput: what it gained over the spec as written."""
    written, best = study.trial(0), study.best
    if not best or not written["values"]:
        yield "The spec as written gave no measurement: look at its first trial."
        return
    factor = best["values"][0] / written["values"][0]
    if best["number"] == 0 or factor < 1.03:
        yield "Nothing was faster without falling behind: keep the params as they are."
        return
    changed = {n: v for n, v in best["params"].items() if v != written["params"].get(n)}
    words = " ".join(f"--set {name}={_short(value)}" for name, value in changed.items())
    yield f"{factor:.2f} times as fast, and {study.raw['tuned_metric']} keeps up. Train with: {words}"


def progress_line(study: Study) -> str:
    counts = study.counts
    ended = counts["complete"] + counts["pruned"] + counts["failed"]
    parts = [f"{count} {state}" for state, count in counts.items() if count]
    left = study.raw["seconds_left"]
    time_left = f", about {_span(left)} left" if left else ""
    return f"{ended} of {study.raw['trials']} trials ended ({', '.join(parts) or 'none yet'}){time_left}"


def value_text(trial: Mapping[str, Any] | None) -> str:
    if trial is None:
        return ""
    if trial["values"]:
        spread = f" ± {trial['spread']:.2g}" if trial["spread"] is not None else ""
        return ", ".join(f"{value:.5g}" for value in trial["values"]) + spread
    return f"({trial['last']:.5g})" if trial["last"] is not None else ""


def params_text(trial: Mapping[str, Any] | None) -> str:
    if trial is None:
        return ""
    return " ".join(f"{name}={_short(value)}" for name, value in trial["params"].items())


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else show_minutes(round(seconds / 60))
