"""How long a run lasted, by files that its own node wrote: no clock is compared with another machine's."""

from __future__ import annotations

import os
from pathlib import Path

from diamond.agent.disk import read_words
from diamond.agent.tasks.folders import AttemptFolder

AT_THE_END = 5.0
"""Seconds by which a program may end before its limit and still have been ended by it."""
BETWEEN_BEATS = 20.0
"""The same where a run left no exit file: its last heartbeat may be so old."""


def reached_limit(folder: AttemptFolder, run: int) -> bool:
    """Whether a run that has ended lasted until its time limit; False where its files do not show it."""
    place = folder.run_folder(run)
    deadline = _deadline(folder, place)
    if deadline is None:
        return False
    ended = _number(place / "exit", 1)
    if ended is not None:
        return ended >= deadline - AT_THE_END
    beat = _number(place / "heartbeat", 0)
    return beat is not None and beat >= deadline - BETWEEN_BEATS


def run_seconds(folder: AttemptFolder, run: int) -> float | None:
    """Seconds from the start of a run to its last heartbeat; None where there is none."""
    place = folder.run_folder(run)
    try:
        return max(0.0, _written(place / "heartbeat") - _written(place / "started"))
    except OSError:
        return None


def _deadline(folder: AttemptFolder, place: Path) -> float | None:
    """When the limit strikes: as it was at the start, or as it was changed since."""
    started, left = _number(place / "started", 3), _number(place / "started", 4)
    changed = _number(folder.path / "deadline", 0)
    if started is None or (left is None and changed is None):
        return None
    if changed is not None and changed > started:
        return changed
    return None if left is None else started + left


def _number(file: Path, place: int) -> float | None:
    fields = read_words(file)
    return float(fields[place]) if len(fields) > place and fields[place].isdigit() else None


def _written(file: Path) -> float:
    return os.stat(file).st_mtime  # noqa: PTH116
