"""What the main thread leaves to other threads: staging, submitting, cancelling, questions about jobs."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Optional

from diamond.agent.tasks.folders import AttemptFolder


@dataclass
class QueuedSubmission:
    """A submission that is to be made, or whose outcome is unknown, and how it went so far."""

    folder: AttemptFolder
    partition: str
    sequence: int
    """Those with a lower number are submitted first."""
    is_uncertain: bool = False
    due: float = 0.0
    pause: float = 2.0
    negative_since: float | None = None
    is_held: bool = False
    knows_of_silence: bool = False
    """Whether it was reported that the batch system does not answer."""


class SubmissionQueue:
    """Attempts to be submitted, in order; each stays here until its outcome is settled."""

    def __init__(self) -> None:
        self._entries: list[QueuedSubmission] = []
        self._changed = threading.Condition()
        self._full_until: dict[str, float] = {}
        self._submitted_at = 0.0

    def put(
        self, folder: AttemptFolder, *, partition: str, sequence: int, is_uncertain: bool = False
    ) -> None:
        with self._changed:
            self._entries.append(QueuedSubmission(folder, partition, sequence, is_uncertain))
            self._entries.sort(key=lambda entry: entry.sequence)
            self._changed.notify_all()

    def look_again(self) -> None:
        """A job ended or was cancelled: there may be room, or less to do."""
        with self._changed:
            self._full_until.clear()
            self._changed.notify_all()

    def wait(
        self, choose: Callable[[list[QueuedSubmission]], Optional[QueuedSubmission]]
    ) -> QueuedSubmission:
        """The entry that `choose` picks, as soon as it picks one."""
        while True:
            with self._changed:
                entry = choose(self._entries)
                if entry is not None:
                    return entry
                self._changed.wait(1.0 if self._entries else None)

    def later(self, entry: QueuedSubmission, seconds: float) -> None:
        with self._changed:
            entry.due = time.monotonic() + seconds

    def settle(self, entry: QueuedSubmission) -> None:
        with self._changed:
            self._entries.remove(entry)

    def mark_full(self, partition: str, seconds: float) -> None:
        with self._changed:
            self._full_until[partition] = time.monotonic() + seconds

    def is_full(self, partition: str, now: float) -> bool:
        """Whether the site rejected a job in this partition for lack of room a short while ago."""
        return self._full_until.get(partition, 0.0) > now

    def just_submitted(self) -> None:
        self._submitted_at = time.monotonic()

    @property
    def entries(self) -> list[QueuedSubmission]:
        return list(self._entries)

    @property
    def is_bursting(self) -> bool:
        """Jobs are being submitted one right after the other."""
        return len(self._entries) > 1 and time.monotonic() - self._submitted_at < 1.0


@dataclass
class WorkQueue:
    staging: queue.Queue[AttemptFolder] = field(default_factory=queue.Queue)
    cancelling: queue.Queue[tuple[list[str], bool]] = field(default_factory=queue.Queue)
    """Ids of jobs, and whether they are killed without waiting for them."""
    exclusions: queue.Queue[tuple[AttemptFolder, str]] = field(default_factory=queue.Queue)
    submissions: SubmissionQueue = field(default_factory=SubmissionQueue)
    _being_cancelled: set[str] = field(default_factory=set)
    _asked: threading.Event = field(default_factory=threading.Event)

    def stage(self, folder: AttemptFolder) -> None:
        self.staging.put(folder)

    def cancel(self, native_ids: Iterable[str], *, at_once: bool = False) -> None:
        """Cancel jobs; one whose cancellation is under way is not queued twice."""
        fresh = [each for each in native_ids if each not in self._being_cancelled]
        self._being_cancelled.update(fresh)
        if fresh:
            self.cancelling.put((fresh, at_once))

    def was_cancelled(self, native_ids: Iterable[str]) -> None:
        self._being_cancelled.difference_update(native_ids)

    def exclude_nodes(self, folder: AttemptFolder, native_id: str) -> None:
        """Keep a queued job off the nodes that failed its task."""
        self.exclusions.put((folder, native_id))

    def ask_soon(self) -> None:
        """Ask the batch system about all jobs as soon as the budget allows."""
        self._asked.set()

    @property
    def wants_status(self) -> bool:
        return self._asked.is_set()

    def status_asked(self) -> None:
        self._asked.clear()
