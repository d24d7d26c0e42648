"""When a run counts as hung; docs/launch.md explains the rule. No disk; the time is handed in."""

from __future__ import annotations

from typing import Mapping, Optional

SIGNS_BEFORE = 3
"""Signs of progress that must have been seen first: a program that logs nothing never counts as hung."""
SHORTEST_SECONDS = 600.0
TIMES_LONGEST_GAP = 20.0
TIMES_LONGEST_WRITE = 3.0
"""For files written in bulk (TensorBoard: every two minutes), at least so many of the longest gaps, whatever `hang` says."""
BULK_SECONDS = 60.0
"""Their signs count only this far apart: a file's header, graph and first values come at once and say nothing about the pace."""
SILENT_SECONDS = 300.0
"""A rank whose heartbeat is this much older than another's is on a dead node."""
LATE_SECONDS = 15.0
"""A check this much later than due: the overseer was suspended, and the ranks with it."""
SETTLING_SECONDS = 30.0
"""Two heartbeats: after such a check, each rank gets the time to report first."""


class ProgressMonitor:
    """Watches for signs of progress. `patience`: seconds, or 0 for the rule of the longest gap."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._sign: object = None
        self._count = 0
        self._last = self._signed = self._counted = 0.0
        self._longest = 0.0
        self._in_bulk = False

    def seen(self, sign: object, now: float, *, in_bulk: bool = False) -> None:
        """`sign` is any value that changes with progress; None: there was none yet.

        `in_bulk`: it comes from a file to which many steps are written at once.
        """
        self._in_bulk = in_bulk
        if sign is None or sign == self._sign:
            return
        if self._count:
            self._longest = max(self._longest, now - self._signed)
        apart = BULK_SECONDS if in_bulk and not self._patience else 0.0
        if not self._count or now - self._counted >= apart:
            self._count, self._counted = self._count + 1, now
        self._sign, self._last, self._signed = sign, now, now

    def active(self, now: float) -> None:
        """It does something, though no step is known: the silence starts again."""
        self._last = now

    def silent_for(self, now: float) -> Optional[float]:
        """Seconds without progress, if they are too many."""
        needed = 1 if self._patience and not self._in_bulk else SIGNS_BEFORE
        if self._count < needed:
            return None
        silence = now - self._last
        return silence if silence > self.limit else None

    def resume(self, now: float) -> None:
        """Nothing could be seen until now: the silence starts again, and is not a gap between two signs."""
        self._last = self._signed = now

    @property
    def limit(self) -> float:
        if not self._patience:
            return max(SHORTEST_SECONDS, TIMES_LONGEST_GAP * self._longest)
        return max(self._patience, TIMES_LONGEST_WRITE * self._longest * self._in_bulk)


def slowest(steps: Mapping[int, int]) -> Optional[int]:
    """The one rank that is behind all others; None if several are."""
    if not steps:
        return None
    least = min(steps.values())
    behind = [rank for rank, step in steps.items() if step == least]
    return behind[0] if len(behind) == 1 and len(steps) > 1 else None


def progress_words(steps: Mapping[int, int], ranks: int) -> str:
    """How far the ranks are, if no single one is behind."""
    if ranks < 2:
        return ""
    if len(steps) < ranks:
        return "; which rank the others wait for is unknown, because not every rank calls `training.log`"
    return f"; all ranks are at step {min(steps.values())}" if len({*steps.values()}) == 1 else ""


def silent_rank(beats: Mapping[int, float]) -> Optional[int]:
    """A rank whose heartbeat stopped while others continue; compared with theirs, not with a clock."""
    if len(beats) < 2:
        return None
    rank = min(beats, key=lambda rank: beats[rank])
    return rank if max(beats.values()) - beats[rank] > SILENT_SECONDS else None
