"""When a training saves and when it has to stop, from the cost of a save and the time left."""

from __future__ import annotations

import os
import time
from collections import deque
from dataclasses import replace
from typing import Deque, Optional

from diamond.training import context
from diamond.training.checkpoints.interval import (
    Cost,
    chosen_interval,
    lead_before_deadline,
    reserve_before_deadline,
)

LOOK_EVERY_SECONDS = 15.0
"""How often to check for a changed time limit."""
TRY_AGAIN_SECONDS = 60.0
"""After a save that failed."""
RECENT_STEPS = 100


class Schedule:
    """The schedule of one rank. Rank 0 decides about saving; any rank can ask to stop."""

    def __init__(self, every_minutes: Optional[float], *, nodes: int) -> None:
        self._asked = None if every_minutes is None else every_minutes * 60
        self._nodes = nodes
        self.cost = Cost(0.0, 0, 0.0, float(os.environ.get("DIAMOND_WRITE_BUDGET") or 0))
        self._last_save = time.monotonic()
        self._deadline = context.deadline()
        self._looked_at = time.monotonic()
        self._left_at_start = _seconds_until(self._deadline)
        self._ends_at = self._looked_at + self._left_at_start
        self._stepped_at: Optional[float] = None
        self._steps: Deque[float] = deque(maxlen=RECENT_STEPS)

    def stepped(self) -> None:
        """A step has ended; the first one is ignored, because programs warm up in it."""
        now = time.monotonic()
        if self._stepped_at is not None:
            self._steps.append(now - self._stepped_at)
        self._stepped_at = now

    def is_due(self) -> bool:
        return time.monotonic() - self._last_save >= self._interval

    def must_stop(self) -> bool:
        """The stop flag is up, or the time limit is so near that the last save must start."""
        if context.stop_flag_is_up():
            return True
        self._follow_limit()
        if self._deadline is None:
            return False
        reserve = reserve_before_deadline(self.lead_seconds, self._left_at_start)
        return time.monotonic() >= self._ends_at - reserve

    def _follow_limit(self) -> None:
        """On the monotonic clock: setting the clock later changes nothing, a changed limit does."""
        now = time.monotonic()
        if now - self._looked_at < LOOK_EVERY_SECONDS:
            return
        self._looked_at, deadline = now, context.deadline()
        if deadline != self._deadline:
            self._deadline, self._ends_at = deadline, now + _seconds_until(deadline)

    @property
    def lead_seconds(self) -> float:
        """How long before the time limit the stop flag should appear, from the cost of past saves."""
        longest = max(self._steps, default=0.0)
        return lead_before_deadline(self.cost.durable_seconds, longest)

    @property
    def _interval(self) -> float:
        return chosen_interval(self.cost, nodes=self._nodes, asked_seconds=self._asked)

    def failed(self) -> None:
        """The next save is due soon, not an interval later."""
        self._last_save = time.monotonic() - max(0.0, self._interval - TRY_AGAIN_SECONDS)

    def saved(self, *, blocked_seconds: float) -> None:
        """The next step starts now: time spent in the save is not part of a step, and is reserved separately."""
        self._last_save = time.monotonic()
        if self._stepped_at is not None:
            self._stepped_at = self._last_save
        self.cost = replace(self.cost, blocked_seconds=blocked_seconds)

    def durable(self, seconds: float, total_bytes: int, *, waited: float) -> None:
        """`waited`: how long an optimizer's step waited for the copy after the call had returned."""
        self.cost = replace(
            self.cost,
            durable_seconds=max(seconds, self.cost.durable_seconds),
            blocked_seconds=self.cost.blocked_seconds + waited,
            total_bytes=total_bytes,
        )


def _seconds_until(deadline: Optional[float]) -> float:
    return 0.0 if deadline is None else max(0.0, deadline - time.time())
