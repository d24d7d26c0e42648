"""When a run is called hung. The rule, in words, stands in docs/launch.md. No disk; the clock is handed in."""

from __future__ import annotations

from typing import Mapping, Optional

SIGNS_BEFORE = 3
"""So many signs of progress must have been seen: a program that logs nothing is never called hung."""
SHORTEST_SECONDS = 600.0
TIMES_LONGEST_GAP = 20.0
TIMES_LONGEST_WRITE = 3.0
"""What is written in bulk (TensorBoard: every two minutes) is awaited for so many gaps, whatever patience was asked for."""
BULK_SECONDS = 60.0
"""Its signs count so far apart: a file's head, graph and first numbers come within moments, and tell no pace."""
SILENT_SECONDS = 300.0
"""A rank whose heartbeat is so much older than another's is on a node that does nothing any more."""
LATE_SECONDS = 15.0
"""A look that comes so much later than it was due: the overseer stood still, and the ranks with it."""
SETTLING_SECONDS = 30.0
"""Two beats: after such a look, each rank may be heard of first."""


class Pulse:
    """Watches for signs of progress. `patience`: seconds, or 0 for the rule of the longest gap."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._sign: object = None
        self._count = 0
        self._last = self._signed = self._counted = 0.0
        self._longest = 0.0
        self._in_bulk = False

    def seen(self, sign: object, now: float, *, in_bulk: bool = False) -> None:
        """`sign` is anything that changes with each sign of progress; None: there was none yet.

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

    def stirred(self, now: float) -> None:
        """It does something, which tells no step: the silence begins anew."""
        self._last = now

    def silent_for(self, now: float) -> Optional[float]:
        """Seconds without progress, if they are too many."""
        needed = 1 if self._patience and not self._in_bulk else SIGNS_BEFORE
        if self._count < needed:
            return None
        silence = now - self._last
        return silence if silence > self.limit else None

    def resume(self, now: float) -> None:
        """Nothing could be seen until now: the silence begins anew, and was no gap between two signs."""
        self._last = self._signed = now

    @property
    def limit(self) -> float:
        if not self._patience:
            return max(SHORTEST_SECONDS, TIMES_LONGEST_GAP * self._longest)
        return max(self._patience, TIMES_LONGEST_WRITE * self._longest * self._in_bulk)


def slowest(steps: Mapping[int, int]) -> Optional[int]:
    """The rank that stands behind all others; None where several do."""
    if not steps:
        return None
    least = min(steps.values())
    behind = [rank for rank, step in steps.items() if step == least]
    return behind[0] if len(behind) == 1 and len(steps) > 1 else None


def standing(steps: Mapping[int, int], ranks: int) -> str:
    """What is known of where they stand when none can be named."""
    if ranks < 2:
        return ""
    if len(steps) < ranks:
        return (
            "; which one the others wait for is not known, as not every rank calls `training.log`"
        )
    return f"; all ranks stand at step {min(steps.values())}" if len({*steps.values()}) == 1 else ""


def silent_rank(beats: Mapping[int, float]) -> Optional[int]:
    """A rank that is not heard of while others are; compared with them, not with a clock."""
    if len(beats) < 2:
        return None
    rank = min(beats, key=lambda one: beats[one])
    return rank if max(beats.values()) - beats[rank] > SILENT_SECONDS else None
