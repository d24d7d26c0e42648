"""Submitting exactly once: one thread, in order, with evidence before anything is tried again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from diamond.agent.disk import mark
from diamond.agent.guard.fence import Fence
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.pace import Pace
from diamond.agent.tasks.status import Budget
from diamond.agent.tasks.work_queue import QueuedSubmission, SubmissionQueue
from diamond.core.errors import DiamondError, Refused, Unanswered
from diamond.core.task import Reason
from diamond.schedulers.base import Scheduler, Submission

log = logging.getLogger(__name__)

LONGEST_PAUSE = 20.0
"""Seconds between two looks for a submission while the batch system does not answer."""
LIMIT_PAUSE = 30.0
"""Seconds until a site without room is tried again, unless a job of ours ends before."""
SILENCE_SECONDS = 10.0
SILENCE = "the batch system does not answer; the job is submitted, once, as soon as it does"


class SubmissionResults(Protocol):
    """Receives how a submission went. Called from the submitting thread."""

    def submitted(self, folder: AttemptFolder, native_id: str) -> None: ...
    def failed(self, folder: AttemptFolder, reason: Reason, message: str) -> None: ...
    def held(self, folder: AttemptFolder, message: str) -> None: ...
    def cancelled(self, folder: AttemptFolder) -> None: ...
    def note(self, folder: AttemptFolder, message: str, code: str) -> None: ...


@dataclass
class Submitter:
    """Submits what is in `queue`. `room` says why a partition accepts no more jobs now, or ''."""

    queue: SubmissionQueue
    scheduler: Scheduler
    submission: Callable[[AttemptFolder], Submission]
    fence: Fence
    budget: Budget
    results: SubmissionResults
    room: Callable[[str], str]
    turn: Callable[[AttemptFolder], str]
    """Says why a trial waits for others of its study, or ''."""
    pace: Pace
    _asked_at: float | None = None

    def start(self) -> None:
        threading.Thread(target=self._run, name="submit", daemon=True).start()

    def report_silence(self) -> None:
        """To every task that waits behind a question that the batch system does not answer."""
        asked_at = self._asked_at
        if asked_at is not None and time.monotonic() - asked_at >= SILENCE_SECONDS:
            for entry in self.queue.entries:
                self._report_silence(entry)

    def _report_silence(self, entry: QueuedSubmission) -> None:
        if not entry.knows_of_silence:
            entry.knows_of_silence = True
            self.results.note(entry.folder, SILENCE, "unanswered")

    def _run(self) -> None:
        while True:
            entry = self.queue.wait(self._ready)
            try:
                self._handle(entry)
            except Exception:
                log.exception("submitting %s failed", entry.folder.attempt)
                self.queue.later(entry, 10)

    def _ready(self, entries: list[QueuedSubmission]) -> QueuedSubmission | None:
        """The first entry, in order, that may go now."""
        now = time.monotonic()
        full: dict[str, str] = {}
        for entry in entries:
            if entry.due > now:
                continue
            if entry.is_uncertain or entry.folder.is_cancelled:
                return entry
            why = full.get(entry.partition) or self._why_full(entry.partition, now)
            if why:
                full[entry.partition] = why
            why = why or self.turn(entry.folder)
            if not why:
                return entry
            self._hold(entry, why)
        return None

    def _why_full(self, partition: str, now: float) -> str:
        if self.queue.is_full(partition, now):
            return "the site accepts no more jobs of yours now"
        return self.room(partition)

    def _hold(self, entry: QueuedSubmission, why: str) -> None:
        if not entry.is_held:
            entry.is_held = True
            self.results.held(entry.folder, f"{why}; Diamond submits it as soon as there is room")

    def _handle(self, entry: QueuedSubmission) -> None:
        self.fence.check()
        if entry.is_uncertain:
            self._gather_evidence(entry)
        elif entry.folder.is_cancelled:
            self.queue.settle(entry)
            self.results.cancelled(entry.folder)
        else:
            self._submit(entry)

    def _submit(self, entry: QueuedSubmission) -> None:
        folder = entry.folder
        try:
            mark(folder.path / "submitting")
            self.pace.reached("submitting-written")
            self._asked_at = time.monotonic()
            native_id = self.scheduler.submit(self.submission(folder))
            self.queue.just_submitted()
            self._asked_at = None
            self.pace.reached("taken-by-the-scheduler")
            self._submitted(entry, native_id)
        except Unanswered as error:
            log.warning(
                "%s: it is not known whether it was submitted: %s", folder.attempt, error.message
            )
            entry.is_uncertain = True
            self._report_silence(entry)
            self.queue.later(entry, entry.pause)
        except Refused as error:
            self._rejected(entry, error)
        except DiamondError as error:
            self._fail(entry, Reason.REFUSED, f"{error.message} {error.hint}".strip())
        except OSError as error:
            self._fail(entry, Reason.DISK, f"{error.strerror}: {error.filename}")
        finally:
            self._asked_at = None

    def _submitted(self, entry: QueuedSubmission, native_id: str) -> None:
        try:
            entry.folder.write_native(native_id, scheduler=self.scheduler.name, at=time.time())
        except OSError as error:
            log.error("%s: native.json could not be written: %s", entry.folder.attempt, error)
        self.pace.reached("native-written")
        self.queue.settle(entry)
        self.results.submitted(entry.folder, native_id)

    def _rejected(self, entry: QueuedSubmission, error: Refused) -> None:
        if error.detail_code != "submit-limit":
            is_closed = error.detail_code == Reason.PILOT_CLOSED.value
            reason = Reason.PILOT_CLOSED if is_closed else Reason.REFUSED
            self._fail(entry, reason, f"{error.message} {error.hint}".strip())
            return
        (entry.folder.path / "submitting").unlink()
        self.queue.mark_full(entry.partition, LIMIT_PAUSE)
        self._hold(entry, error.message)

    def _fail(self, entry: QueuedSubmission, reason: Reason, message: str) -> None:
        self.queue.settle(entry)
        self.results.failed(entry.folder, reason, message)

    def _gather_evidence(self, entry: QueuedSubmission) -> None:
        """The claim, then queue and accounting by name. Nothing there twice, with a pause between: it was not submitted."""
        owner = entry.folder.owner
        if owner:
            self._submitted(entry, owner)
            return
        if not self.budget.take():
            self.queue.later(entry, 1.0)
            return
        try:
            native_id = self.scheduler.find(entry.folder.job_name)
        except Unanswered:
            entry.pause = min(entry.pause * 2, LONGEST_PAUSE)
            self.queue.later(entry, entry.pause)
            return
        if native_id:
            self._submitted(entry, native_id)
        else:
            self._no_trace(entry)

    def _no_trace(self, entry: QueuedSubmission) -> None:
        now = time.monotonic()
        if entry.negative_since is None:
            entry.negative_since = now
            self.queue.later(entry, self.pace.grace_seconds)
            return
        entry.is_uncertain, entry.negative_since = False, None
        (entry.folder.path / "submitting").unlink()
        seconds = f"{self.pace.grace_seconds:.0f} s"
        message = f"no trace of it in the batch system for {seconds}: submitted again"
        self.results.note(entry.folder, message, "resubmitted")
