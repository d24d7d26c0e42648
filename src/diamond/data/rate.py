"""A cap on bytes a second, shared by all transfers of a process."""

from __future__ import annotations

import threading
import time
from typing import Callable, Optional

SLICE_SECONDS = 0.5
"""How long a wait may be before somebody looks again, at a cap that was lifted or a cancel."""


class RateCap:
    """`most` gives bytes a second now, or None: no cap."""

    def __init__(
        self,
        most: Callable[[], Optional[float]],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._most, self._clock, self._sleep = most, clock, sleep
        self._lock = threading.Lock()
        self._free_at = 0.0

    def take(self, count: int, *, ended: Callable[[], bool] = lambda: False) -> None:
        """Wait until so many bytes more are within the cap. What is asked for at once is let through once, then paid for."""
        most = self._most()
        if not most:
            return
        with self._lock:
            now = self._clock()
            wait_until = max(self._free_at, now)
            self._free_at = wait_until + count / most
        while (left := wait_until - self._clock()) > 0 and not ended() and self._most():
            self._sleep(min(left, SLICE_SECONDS))


NO_CAP = RateCap(lambda: None)
