"""How long each step took when it was last run: together, what a build takes where nothing is in the cache."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from diamond.images.plan import BuildPlan, Step
from diamond.runtimes.image_folders import ImageFolders, short, write_whole


def remember_time(image_folders: ImageFolders, step: Step, seconds: float) -> None:
    with suppress(OSError):  # on a full disk the step's own end is what counts
        write_whole(_file(image_folders, step), f"{seconds:.3f}\n".encode())


def whole_time(image_folders: ImageFolders, plan: BuildPlan) -> float:
    """Seconds of all steps, those from the cache too; a step that nobody timed counts nothing."""
    total = 0.0
    for step in plan.steps:
        with suppress(OSError, ValueError):
            total += float(_file(image_folders, step).read_text())
    return total


def _file(image_folders: ImageFolders, step: Step) -> Path:
    return image_folders.layers / f"{short(step.key)}.seconds"
