"""How many jobs an agent may submit, keep in the queue and withdraw: what root's file bounds beyond single jobs."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from diamond.agent.disk import read_text, write_whole
from diamond.agent.guard.policy import Policy

log = logging.getLogger(__name__)

HOUR, DAY = 3600.0, 86400.0
SUBMITTED, WITHDRAWN = "submitted", "withdrawn"
MOST_LINES = 20_000


@dataclass
class SubmissionBounds:
    """Counts are kept in `submissions.log`, so that a new agent counts on. Nothing is written where nothing is bounded."""

    keep: Path
    policy: Policy
    clock: Callable[[], float] = time.time
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _times: list[tuple[float, str]] | None = None

    def count_submitted(self) -> None:
        self._count(SUBMITTED)

    def count_withdrawn(self) -> None:
        """A follow-up was taken out of the queue before it started."""
        self._count(WITHDRAWN)

    def why_full(self, waiting: int) -> str:
        """Why no further job may be submitted now, or ''. `waiting`: jobs that are in the queue and have not started."""
        most, source = self.policy.bound("max_queued")
        if most is not None and waiting >= most:
            return f"this machine lets an agent have {_jobs(most)} waiting in the queue (max_queued in {source})"
        most, source = self.policy.bound("submits_per_hour")
        if most is not None and self._since(HOUR, SUBMITTED) >= most:
            return f"this machine lets an agent submit {_jobs(most)} in an hour (submits_per_hour in {source})"
        return ""

    def may_queue_ahead(self, ahead: int) -> bool:
        """Whether one more follow-up may be queued: each may have to be withdrawn, also the `ahead` that wait already."""
        most, _ = self.policy.bound("withdrawn_per_day")
        return most is None or self._since(DAY, WITHDRAWN) + ahead < most

    def _since(self, seconds: float, kind: str) -> int:
        with self._lock:
            start = self.clock() - seconds
            return sum(at > start and which == kind for at, which in self._known())

    def _count(self, kind: str) -> None:
        if not self.policy.bounds_submissions:
            return
        with self._lock:
            now = self.clock()
            known = [*(each for each in self._known() if each[0] > now - DAY), (now, kind)]
            self._times = known[-MOST_LINES:]
            text = "".join(f"{at:.0f} {which}\n" for at, which in self._times)
            try:
                write_whole(self._file, text.encode(), mode=0o600)
            except OSError as error:
                log.warning("%s: %s", self._file, error)

    def _known(self) -> list[tuple[float, str]]:
        if self._times is None:
            self._times = []
            for line in read_text(self._file).splitlines():
                with contextlib.suppress(ValueError):
                    at, which = line.split()
                    self._times.append((float(at), which))
        return self._times

    @property
    def _file(self) -> Path:
        return self.keep / "submissions.log"


def _jobs(most: float) -> str:
    return "one job" if most == 1 else f"{most:g} jobs"
