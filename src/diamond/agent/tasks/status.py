"""Questions to the batch system: one for all jobs, within the budget that the service gives this agent."""

from __future__ import annotations

import logging
import queue
import random
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

from diamond.core.errors import Unanswered
from diamond.core.native import NativeStatus
from diamond.schedulers.base import Scheduler

log = logging.getLogger(__name__)

BURST = 2.0
FREE_SECONDS = 300.0
OWN_FREE_SECONDS = 10.0
"""Of a machine that costs nothing to ask."""
CROWDED_SECONDS = 60.0
"""Between the regular questions of an agent that shares its cluster with several others."""

Answers = dict[str, "NativeStatus | None"]


class Budget:
    """A bucket of questions, filled at `per_minute`; several threads may draw from it."""

    def __init__(
        self, per_minute: float = 4.0, *, unlimited: bool = False, fixed: float | None = None
    ) -> None:
        self._lock = threading.Lock()
        self._tokens, self._at = BURST, time.monotonic()
        self.per_minute, self.unlimited, self._fixed = per_minute, unlimited, fixed

    def set_rate(self, per_minute: float) -> None:
        """At the service's word, unless this agent's rate is fixed."""
        with self._lock:
            self.per_minute = max(self._fixed or per_minute, 0.05)

    def take(self, *, reserve: float = 0.0) -> bool:
        """Draw one question; False when there are no more than `reserve` left, which are for urgent ones."""
        with self._lock:
            now = time.monotonic()
            self._tokens = min(BURST, self._tokens + (now - self._at) * self.per_minute / 60)
            self._at = now
            if self._tokens < 1 + reserve and not self.unlimited:
                return False
            self._tokens = max(0.0, self._tokens - 1)
            return True

    @property
    def interval(self) -> float:
        """Seconds between regular questions: two thirds of the budget, the rest is for urgent ones."""
        return 5.0 if self.unlimited else 90.0 / self.per_minute

    @property
    def free_interval(self) -> float:
        """The same for how much is free: a tenth of the budget, where many agents share a cluster."""
        if self.unlimited:
            return OWN_FREE_SECONDS
        return max(FREE_SECONDS, 600.0 / self.per_minute)


def spread(interval: float, turn: float) -> float:
    """A long interval made shorter or longer by up to a half, as `turn` (0 to 1) says.

    Many agents share a cluster's budget; those that began together would else ask together, again and again.
    """
    return interval if interval < CROWDED_SECONDS else interval * (0.5 + turn)


class Asker:
    """Asks in a separate thread, so that a hanging batch system holds nothing else up."""

    def __init__(
        self, scheduler: Scheduler, budget: Budget, *, answered: Callable[[Answers], None]
    ) -> None:
        self._scheduler, self._budget, self._answered = scheduler, budget, answered
        self._work: queue.Queue[list[str]] = queue.Queue()
        self._busy = False
        self._asked_at, self._turn = 0.0, random.random()
        self._free_at, self._free_turn = time.monotonic(), random.random()

    def start(self) -> None:
        threading.Thread(target=self._run, name="status", daemon=True).start()

    def is_due(self, *, awaited: bool, hurry: bool = False) -> bool:
        """Whether a question now would be in order. For an ending that is awaited the last one is kept."""
        since = time.monotonic() - self._asked_at
        least = 0.5 if awaited or hurry else spread(self._budget.interval, self._turn)
        if self._busy or since < least:
            return False
        return self._budget.take(reserve=0.0 if awaited else 1.0)

    def ask(self, ids: Collection[str]) -> None:
        self._busy, self._asked_at, self._turn = True, time.monotonic(), random.random()
        self._work.put(sorted(ids))

    def free(self) -> dict[str, Any] | None:
        """How much of the site is free; None when it was asked a short while ago."""
        since = time.monotonic() - self._free_at
        least = spread(self._budget.free_interval, self._free_turn)
        if since < least or not self._budget.take():
            return None
        self._free_at, self._free_turn = time.monotonic(), random.random()
        return self._scheduler.free()

    def _run(self) -> None:
        while True:
            ids = self._work.get()
            try:
                self._answered(self._question(ids))
            except Unanswered as error:
                log.info("no answer on %d jobs: %s", len(ids), error.message)
                self._answered({})
            except Exception:
                log.exception("asking about %d jobs failed", len(ids))
            self._busy = False

    def _question(self, ids: list[str]) -> Answers:
        """What is known of each id; an id is None only when queue and accounting both really answered."""
        answers: Answers = dict(self._scheduler.status(ids))
        absent = [each for each in ids if each not in answers]
        if absent and self._budget.take():
            past = self._scheduler.history(absent)
            answers.update({each: past.get(each) for each in absent})
        return answers
