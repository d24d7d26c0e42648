"""How often to save: Young's and Daly's optimum, and the last moment before a deadline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

SHORTEST_SECONDS = 600.0
NODE_FAILS_AFTER_HOURS = 24.0 * 30
"""Default mean time between failures of one node; low, because programs fail too."""


@dataclass(frozen=True)
class Cost:
    """What one checkpoint costs, as far as measured."""

    blocked_seconds: float
    total_bytes: int
    durable_seconds: float
    write_budget: float = 0.0
    """The site's limit for this job in bytes per second; 0 if there is none."""

    @property
    def seconds(self) -> float:
        """The larger of how long the training waits and how long the site's file system is busy."""
        writing = self.total_bytes / self.write_budget if self.write_budget > 0 else 0.0
        return max(self.blocked_seconds, writing)


def best_interval(cost_seconds: float, failure_seconds: float) -> float:
    """Daly's first-order optimum of the time between saves: sqrt(2 C M) - C, never under C."""
    if cost_seconds >= failure_seconds / 2:
        return failure_seconds
    return max(cost_seconds, math.sqrt(2 * cost_seconds * failure_seconds) - cost_seconds)


def chosen_interval(cost: Cost, *, nodes: int, asked_seconds: Optional[float]) -> float:
    """What the user asked for, or else the optimum, never under ten minutes."""
    if asked_seconds is not None:
        return asked_seconds
    failure_seconds = NODE_FAILS_AFTER_HOURS * 3600 / max(1, nodes)
    return max(SHORTEST_SECONDS, best_interval(cost.seconds, failure_seconds))


def reserve_before_deadline(lead_seconds: float, left_at_start: float) -> float:
    """How long before the time limit a training stops by itself.

    Never more than half of the initial time: a short test job must get work done too.
    """
    return min(lead_seconds, left_at_start / 2)


def lead_before_deadline(durable_seconds: float, step_seconds: float = 0.0) -> float:
    """Twice the slowest save seen, a reserve for the exit, and three of the longest steps: the one in which the time comes,
    the one at which the ranks agree, and one that takes longer than any before.
    """
    return 20.0 + 2 * durable_seconds + 3 * step_seconds
