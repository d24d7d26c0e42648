"""How long a new job will wait: a bound from past waits, and how sure it is.

The bound is that of QBETS (Nurmi, Brevik, Wolski 2007). It assumes no shape: of n past waits, each lies below the
wanted quantile with that probability, so a binomial count tells which of the sorted waits is above the quantile with
the wanted confidence. Waits that are too long three times in a row mean that the queue has changed: older ones go.
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
"""59: the fewest waits whose longest is a bound of the wanted confidence."""
MEMORY = 4 * ENOUGH
"""Waits that are kept: older ones tell more about the season than about today."""
SURPRISES = 3
"""Waits over the bound in a row: by chance once in 8 000, so the queue has changed."""
ALIKE = 2.0
"""Sizes and limits within this factor wait in the same class."""


@dataclass(frozen=True)
class PastWait:
    """One job that has started, on whatever machine and by whomever."""

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
    """What past waits say about the next one; seconds. Without any, both are None."""

    typical: float | None
    """Half of them wait less."""
    bound: float | None
    """`quantile` of them wait less, which is true with `confidence`."""
    samples: int
    confidence: float
    quantile: float = QUANTILE
    spread: tuple[float, ...] = ()
    """Ten of the waits that stand for all, shortest first."""

    def expected_lateness(self, early: float) -> float:
        """How much too late one comes on average that is queued `early` before the typical wait would have it."""
        base = (self.typical or 0.0) + early
        return sum(max(0.0, waited - base) for waited in self.spread) / max(1, len(self.spread))

    @property
    def is_sure(self) -> bool:
        return self.samples >= ENOUGH

    @property
    def words(self) -> str:
        """How sure this is, for a person."""
        if self.bound is None:
            return "no job of this kind has started yet, so its wait is unknown"
        return (
            f"{self.quantile:.0%} of such jobs start sooner "
            f"(from {self.samples} past wait{'s' * (self.samples != 1)}, {self.confidence:.0%} sure)"
        )


NOTHING_KNOWN = Forecast(None, None, 0, 0.0)


def forecast(past: Iterable[PastWait], *, queue: str, nodes: int, limit_seconds: float) -> Forecast:
    """The wait of a job of this size and limit in this queue."""
    waits = Waits()
    for one in similar(past, queue=queue, nodes=nodes, limit_seconds=limit_seconds):
        waits.add(one.waited)
    return waits.forecast()


def accounted(waits: Any) -> list[PastWait]:
    """What a batch system's own record told (profile fact `waits`); what is misshapen is passed over."""
    found = []
    for one in waits if isinstance(waits, list) else []:
        with contextlib.suppress(TypeError, ValueError):
            submitted, waited, nodes, limit, partition = one
            found.append(
                PastWait(float(submitted), float(waited), int(nodes), float(limit), str(partition))
            )
    return found


def similar(
    past: Iterable[PastWait], *, queue: str, nodes: int, limit_seconds: float
) -> list[PastWait]:
    """Those of the same queue with size and limit within a factor of two, in the order of their starts."""
    chosen = [
        one
        for one in past
        if one.queue == queue
        and is_alike(one.nodes, nodes)
        and is_alike(one.limit_seconds, limit_seconds)
    ]
    return sorted(chosen, key=lambda one: one.started)


def is_alike(one: float, other: float) -> bool:
    return other / ALIKE <= one <= other * ALIKE


class Waits:
    """The recent waits of one class of jobs, told in the order in which they started."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque()
        self._sorted: list[float] = []
        self._surprises = 0

    def add(self, waited: float) -> None:
        bound = self.forecast().bound
        self._surprises = self._surprises + 1 if bound is not None and waited > bound else 0
        self._recent.append(waited)
        insort(self._sorted, waited)
        if self._surprises >= SURPRISES:
            self._forget_but(ENOUGH)
            self._surprises = 0
        self._forget_but(MEMORY)

    def forecast(self) -> Forecast:
        count = len(self._sorted)
        if not count:
            return NOTHING_KNOWN
        rank, confidence = bound_rank(count)
        typical, bound = middle(self._sorted), self._sorted[rank - 1]
        spread = tuple(self._sorted[(2 * n + 1) * count // 20] for n in range(10))
        return Forecast(typical, bound, count, confidence, spread=spread)

    def _forget_but(self, count: int) -> None:
        while len(self._recent) > count:
            del self._sorted[bisect_left(self._sorted, self._recent.popleft())]


@lru_cache(maxsize=MEMORY + 1)
def bound_rank(count: int) -> tuple[int, float]:
    """Which of `count` sorted waits (from 1) bounds the quantile, and how surely."""
    below = 0.0
    for successes in range(count):
        below += binomial(count, successes)
        if below >= CONFIDENCE:
            return successes + 1, below
    return count, below


def binomial(count: int, successes: int) -> float:
    failures = count - successes
    return math.comb(count, successes) * QUANTILE**successes * (1 - QUANTILE) ** failures


def middle(ordered: Sequence[float]) -> float:
    return ordered[(len(ordered) - 1) // 2]
