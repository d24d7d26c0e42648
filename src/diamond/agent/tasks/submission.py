"""Submitting exactly once: one thread, in order, with evidence before anything is tried again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from diamond.agent.disk import mark
from diamond.agent.guard.fence import Fence
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.pace import Pace
from diamond.agent.tasks.status import Budget
from diamond.core.errors import DiamondError, Refused, Unanswered
from diamond.core.task import Reason
from diamond.schedulers.base import Scheduler, Submission

log = logging.getLogger(__name__)

LONGEST_PAUSE = 20.0
"""Seconds between two looks for a submission while the batch system does not answer."""
LIMIT_PAUSE = 30.0
"""Seconds until a site that had no room is tried again, unless a job of ours ends before."""
SILENCE_SECONDS = 10.0
SILENCE = "the batch system does not answer; it is handed over, once, as soon as that ends"


class Outcome(Protocol):
    """Who hears how a submission went. Called from the submitting thread."""

    def submitted(self, folder: AttemptFolder, native_id: str) -> None: ...
    def refused(self, folder: AttemptFolder, reason: Reason, message: str) -> None: ...
    def held(self, folder: AttemptFolder, message: str) -> None: ...
    def called_off(self, folder: AttemptFolder) -> None: ...
    def note(self, folder: AttemptFolder, message: str, code: str) -> None: ...


@dataclass
class Entry:
    """An attempt that is ready, or whose submission has an unknown outcome."""

    folder: AttemptFolder
    partition: str
    order: int
    is_uncertain: bool = False
    due: float = 0.0
    pause: float = 2.0
    negative_since: float | None = None
    is_held: bool = False
    is_told: bool = False
    """Whether the person knows that the batch system is silent."""


@dataclass
class Submitter:
    """`room` says why a partition takes no more jobs now, or ''."""

    scheduler: Scheduler
    submission: Callable[[AttemptFolder], Submission]
    fence: Fence
    budget: Budget
    outcome: Outcome
    room: Callable[[str], str]
    pace: Pace
    _entries: list[Entry] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _full_until: dict[str, float] = field(default_factory=dict)
    _submitted_at: float = 0.0
    _asked_at: float | None = None

    def start(self) -> None:
        threading.Thread(target=self._run, name="submit", daemon=True).start()

    def put(
        self, folder: AttemptFolder, *, partition: str, order: int, is_uncertain: bool = False
    ) -> None:
        with self._changed:
            self._entries.append(Entry(folder, partition, order, is_uncertain))
            self._entries.sort(key=lambda entry: entry.order)
            self._changed.notify_all()

    def look_again(self) -> None:
        """A job ended or one was cancelled: there may be room, or less to do."""
        with self._changed:
            self._full_until.clear()
            self._changed.notify_all()

    @property
    def count(self) -> int:
        return len(self._entries)

    @property
    def is_bursting(self) -> bool:
        """Jobs are being handed over one right after the other."""
        return len(self._entries) > 1 and time.monotonic() - self._submitted_at < 1.0

    def tell_of_silence(self) -> None:
        """To everybody whose task waits behind a question that the batch system does not answer."""
        asked_at = self._asked_at
        if asked_at is not None and time.monotonic() - asked_at >= SILENCE_SECONDS:
            for entry in list(self._entries):
                self._tell_of_silence(entry)

    def _tell_of_silence(self, entry: Entry) -> None:
        if not entry.is_told:
            entry.is_told = True
            self.outcome.note(entry.folder, SILENCE, "unanswered")

    def _run(self) -> None:
        while True:
            entry = self._next()
            try:
                self._handle(entry)
            except Exception:
                log.exception("submitting %s failed", entry.folder.attempt)
                self._later(entry, 10)

    def _next(self) -> Entry:
        """The first entry, in order, that may go now; the list keeps it until it is settled."""
        while True:
            with self._changed:
                entry = self._ready()
                if entry is not None:
                    return entry
                self._changed.wait(1.0 if self._entries else None)

    def _ready(self) -> Entry | None:
        now = time.monotonic()
        full: dict[str, str] = {}
        for entry in self._entries:
            if entry.due > now:
                continue
            if entry.is_uncertain or entry.folder.is_cancelled:
                return entry
            why = full.get(entry.partition) or self._why_full(entry.partition, now)
            if not why:
                return entry
            full[entry.partition] = why
            self._hold(entry, why)
        return None

    def _why_full(self, partition: str, now: float) -> str:
        if self._full_until.get(partition, 0) > now:
            return "the site takes no more jobs of yours now"
        return self.room(partition)

    def _hold(self, entry: Entry, why: str) -> None:
        if not entry.is_held:
            entry.is_held = True
            self.outcome.held(
                entry.folder, f"{why}; Diamond hands it over as soon as there is room"
            )

    def _handle(self, entry: Entry) -> None:
        self.fence.check()
        if entry.is_uncertain:
            self._gather_evidence(entry)
        elif entry.folder.is_cancelled:
            self._settle(entry)
            self.outcome.called_off(entry.folder)
        else:
            self._submit(entry)

    def _submit(self, entry: Entry) -> None:
        folder = entry.folder
        try:
            mark(folder.path / "submitting")
            self.pace.reached("submitting-written")
            self._asked_at = time.monotonic()
            native_id = self.scheduler.submit(self.submission(folder))
            self._submitted_at, self._asked_at = time.monotonic(), None
            self.pace.reached("taken-by-the-scheduler")
            self._found(entry, native_id)
        except Unanswered as error:
            log.warning(
                "%s: it is not known whether it was taken: %s", folder.attempt, error.message
            )
            entry.is_uncertain = True
            self._tell_of_silence(entry)
            self._later(entry, entry.pause)
        except Refused as error:
            self._refused(entry, error)
        except DiamondError as error:
            self._fail(entry, Reason.REFUSED, f"{error.message} {error.hint}".strip())
        except OSError as error:
            self._fail(entry, Reason.DISK, f"{error.strerror}: {error.filename}")
        finally:
            self._asked_at = None

    def _found(self, entry: Entry, native_id: str) -> None:
        try:
            entry.folder.write_native(native_id, scheduler=self.scheduler.name, at=time.time())
        except OSError as error:
            log.error("%s: native.json could not be written: %s", entry.folder.attempt, error)
        self.pace.reached("native-written")
        self._settle(entry)
        self.outcome.submitted(entry.folder, native_id)

    def _refused(self, entry: Entry, error: Refused) -> None:
        if error.detail_code != "submit-limit":
            self._fail(entry, Reason.REFUSED, f"{error.message} {error.hint}".strip())
            return
        (entry.folder.path / "submitting").unlink()
        with self._changed:
            self._full_until[entry.partition] = time.monotonic() + LIMIT_PAUSE
        self._hold(entry, error.message)

    def _fail(self, entry: Entry, reason: Reason, message: str) -> None:
        self._settle(entry)
        self.outcome.refused(entry.folder, reason, message)

    def _gather_evidence(self, entry: Entry) -> None:
        """Claim, then the queue and the accounting by name; nothing there twice, a grace apart: not taken."""
        owner = entry.folder.owner
        if owner:
            self._found(entry, owner)
            return
        if not self.budget.take():
            self._later(entry, 1.0)
            return
        try:
            found = self.scheduler.find(entry.folder.job_name)
        except Unanswered:
            entry.pause = min(entry.pause * 2, LONGEST_PAUSE)
            self._later(entry, entry.pause)
            return
        if found:
            self._found(entry, found)
        else:
            self._no_trace(entry)

    def _no_trace(self, entry: Entry) -> None:
        now = time.monotonic()
        if entry.negative_since is None:
            entry.negative_since = now
            self._later(entry, self.pace.grace_seconds)
            return
        entry.is_uncertain, entry.negative_since = False, None
        (entry.folder.path / "submitting").unlink()
        words = f"no trace of it in the batch system for {self.pace.grace_seconds:.0f} s: handed over again"
        self.outcome.note(entry.folder, words, "resubmitted")

    def _later(self, entry: Entry, seconds: float) -> None:
        with self._changed:
            entry.due = time.monotonic() + seconds

    def _settle(self, entry: Entry) -> None:
        with self._changed:
            self._entries.remove(entry)
