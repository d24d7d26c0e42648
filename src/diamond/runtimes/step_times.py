"""How long each step took when it was last run: together, what a build takes where nothing is in the cache."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from diamond.images.plan import Plan, Step
from diamond.runtimes.places import Places, short, write_whole


def remember_time(places: Places, step: Step, seconds: float) -> None:
    with suppress(OSError):  # on a full disk the step's own end is what counts
        write_whole(_file(places, step), f"{seconds:.3f}\n".encode())


def whole_time(places: Places, plan: Plan) -> float:
    """Seconds of all steps, those from the cache too; a step that nobody timed counts nothing."""
    total = 0.0
    for step in plan.steps:
        with suppress(OSError, ValueError):
            total += float(_file(places, step).read_text())
    return total


def _file(places: Places, step: Step) -> Path:
    return places.layers / f"{short(step.key)}.seconds"
