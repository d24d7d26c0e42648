"""How long a new job will wait in the queue: an upper bound from past waits, with its confidence.

The bound is from QBETS (Nurmi, Brevik, Wolski 2007). It assumes no distribution: each of n past waits is below
the given quantile with that probability, so a binomial count shows which of the sorted waits exceeds the quantile with
the required confidence. Three waits in a row above the bound mean that the queue has changed, and older waits are
forgotten.
"""

from __future__ import annotations

import contextlib
import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

QUANTILE = 0.95
CONFIDENCE = 0.95
ENOUGH = math.ceil(math.log(1 - CONFIDENCE) / math.log(QUANTILE))
"""59: the fewest waits whose maximum is a bound with the required confidence."""
MEMORY = 4 * ENOUGH
"""How many waits are kept; older ones say little about today."""
MOST_ABOVE_BOUND = 3
"""This many waits above the bound in a row happen by chance once in 8,000 times, so the queue has changed."""
ALIKE = 2.0
"""Jobs whose size and time limit are within this factor count as similar."""


@dataclass(frozen=True)
class PastWait:
    """One job that has started, on any machine and by any user."""

    submitted: float
    waited: float
    nodes: int
    limit_seconds: float
    queue: str = ""

    @property
    def started(self) -> float:
        return self.submitted + self.waited


@dataclass(frozen=True)
class Forecast:
    """What past waits say about the next one, in seconds; None without past waits."""

    typical: float | None
    """The median: half of such jobs wait less."""
    bound: float | None
    """With probability `confidence`, the fraction `quantile` of such jobs waits less."""
    samples: int
    confidence: float
    quantile: float = QUANTILE
    spread: tuple[float, ...] = ()
    """Ten evenly spaced quantiles of the waits, shortest first."""

    def expected_lateness(self, early: float) -> float:
        """Average delay of a job that is queued `early` seconds before the typical wait requires."""
        base = (self.typical or 0.0) + early
        return sum(max(0.0, waited - base) for waited in self.spread) / max(1, len(self.spread))

    @property
    def is_sure(self) -> bool:
        return self.samples >= ENOUGH

    @property
    def words(self) -> str:
        """The bound's reliability, as text for the user."""
        if self.bound is None:
            return "unknown, because no similar job has started yet"
        return (
            f"{self.quantile:.0%} of similar jobs start sooner "
            f"({self.confidence:.0%} confidence, from {self.samples} past wait{'s' * (self.samples != 1)})"
        )


NOTHING_KNOWN = Forecast(None, None, 0, 0.0)


def forecast(past: Iterable[PastWait], *, queue: str, nodes: int, limit_seconds: float) -> Forecast:
    """The wait of a job of this size and limit in this queue."""
    waits = WaitHistory()
    for wait in similar(past, queue=queue, nodes=nodes, limit_seconds=limit_seconds):
        waits.add(wait.waited)
    return waits.forecast()


def waits_from_accounting(waits: Any) -> list[PastWait]:
    """Past waits from the batch system's accounting (profile fact `waits`); malformed entries are skipped."""
    read = []
    for item in waits if isinstance(waits, list) else []:
        with contextlib.suppress(TypeError, ValueError):
            submitted, waited, nodes, limit, partition = item
            read.append(
                PastWait(float(submitted), float(waited), int(nodes), float(limit), str(partition))
            )
    return read


def similar(
    past: Iterable[PastWait], *, queue: str, nodes: int, limit_seconds: float
) -> list[PastWait]:
    """Jobs of the same queue with size and limit within a factor of two, in order of start."""
    chosen = [
        wait
        for wait in past
        if wait.queue == queue
        and is_similar(wait.nodes, nodes)
        and is_similar(wait.limit_seconds, limit_seconds)
    ]
    return sorted(chosen, key=lambda wait: wait.started)


def is_similar(one: float, other: float) -> bool:
    return other / ALIKE <= one <= other * ALIKE


class WaitHistory:
    """Recent waits of similar jobs, added in order of start."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque()
        self._sorted: list[float] = []
        self._above_bound = 0

    def add(self, waited: float) -> None:
        bound = self.forecast().bound
        self._above_bound = self._above_bound + 1 if bound is not None and waited > bound else 0
        self._recent.append(waited)
        insort(self._sorted, waited)
        if self._above_bound >= MOST_ABOVE_BOUND:
            self._keep_newest(ENOUGH)
            self._above_bound = 0
        self._keep_newest(MEMORY)

    def forecast(self) -> Forecast:
        count = len(self._sorted)
        if not count:
            return NOTHING_KNOWN
        rank, confidence = bound_rank(count)
        typical, bound = lower_median(self._sorted), self._sorted[rank - 1]
        spread = tuple(self._sorted[(2 * n + 1) * count // 20] for n in range(10))
        return Forecast(typical, bound, count, confidence, spread=spread)

    def _keep_newest(self, count: int) -> None:
        while len(self._recent) > count:
            del self._sorted[bisect_left(self._sorted, self._recent.popleft())]


@lru_cache(maxsize=MEMORY + 1)
def bound_rank(count: int) -> tuple[int, float]:
    """Which of `count` sorted waits (from 1) bounds the quantile, and with which confidence."""
    below = 0.0
    for successes in range(count):
        below += binomial(count, successes)
        if below >= CONFIDENCE:
            return successes + 1, below
    return count, below


def binomial(count: int, successes: int) -> float:
    failures = count - successes
    return math.comb(count, successes) * QUANTILE**successes * (1 - QUANTILE) ** failures


def lower_median(ordered: Sequence[float]) -> float:
    return ordered[(len(ordered) - 1) // 2]
