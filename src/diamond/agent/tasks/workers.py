"""Threads for what takes time: staging, cancelling, excluding nodes. They report their results to the main thread."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from diamond.agent.guard.fence import Fence
from diamond.agent.link.carriers import LinkDown
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.staging import StageFailed, Stager
from diamond.agent.tasks.work_queue import WorkQueue
from diamond.core.errors import Cancelled, Unanswered
from diamond.core.task import Reason
from diamond.schedulers.base import KillsAtOnce, LeavesOutNodes, Scheduler

log = logging.getLogger(__name__)

STAGERS = 8
RETRY_SECONDS = 5.0
KILLED_SECONDS = 1.0
REPORT_SECONDS = 1.0


class StagingResults(Protocol):
    """Receives how staging went. Called from the staging threads."""

    def staging(self, folder: AttemptFolder, what: str, line: str) -> None: ...
    def staged(self, folder: AttemptFolder) -> None: ...
    def failed(self, folder: AttemptFolder, reason: Reason, message: str) -> None: ...
    def cancelled(self, folder: AttemptFolder) -> None: ...


@dataclass(frozen=True)
class Workers:
    """Does what is put into `work`."""

    work: WorkQueue
    stager: Stager
    scheduler: Scheduler
    fence: Fence
    results: StagingResults

    def start(self) -> None:
        for number in range(STAGERS):
            threading.Thread(target=self._stage_all, name=f"stage-{number}", daemon=True).start()
        threading.Thread(target=self._cancel_all, name="cancel", daemon=True).start()
        threading.Thread(target=self._exclude_all, name="exclude", daemon=True).start()

    def _exclude_all(self) -> None:
        while True:
            folder, native_id = self.work.exclusions.get()
            try:
                self._exclude(folder, native_id)
            except Unanswered as error:
                log.info("%s: excluding nodes: %s", folder.attempt, error.message)
                self._later(self.work.exclusions, (folder, native_id))
            except Exception:
                log.exception("%s: failed nodes could not be excluded", folder.attempt)

    def _exclude(self, folder: AttemptFolder, native_id: str) -> None:
        """Tell the batch system which nodes a queued job must not get, if it has such a command."""
        if isinstance(self.scheduler, LeavesOutNodes):
            self.fence.check()
            submission, flags = self.stager.submission(folder), self.stager.profile().flags
            self.scheduler.leave_out(native_id, submission, flags)

    def _stage_all(self) -> None:
        while True:
            folder = self.work.staging.get()
            try:
                self._stage(folder)
            except LinkDown as error:
                log.info("%s waits for the service: %s", folder.attempt, error)
                self._later(self.work.staging, folder)
            except Exception:
                log.exception("staging %s failed", folder.attempt)
                self._fail(folder, StageFailed.unforeseen())

    def _stage(self, folder: AttemptFolder) -> None:
        say = _Throttled(lambda what, line: self.results.staging(folder, what, line))
        try:
            if folder.is_cancelled:
                raise Cancelled("Cancelled before it was staged")
            self.stager.stage(folder, say=say, cancelled=lambda: folder.is_cancelled)
        except Cancelled:
            self.results.cancelled(folder)
        except StageFailed as error:
            self._fail(folder, error)
        else:
            self.results.staged(folder)

    def _fail(self, folder: AttemptFolder, error: StageFailed) -> None:
        self.results.failed(folder, error.reason, error.message)

    def _cancel_all(self) -> None:
        while True:
            native_ids, at_once = self.work.cancelling.get()
            try:
                self.fence.check()
                if at_once and isinstance(self.scheduler, KillsAtOnce):
                    self._kill(self.scheduler, native_ids)
                    continue
                for native_id in native_ids:
                    self.scheduler.cancel(native_id)
                self.work.ask_soon()
            except Unanswered as error:
                log.info("cancelling %s: %s", native_ids, error.message)
                self._later(self.work.cancelling, (native_ids, at_once))
                continue
            except Exception:
                log.exception("cancelling %s failed", native_ids)
            self.work.was_cancelled(native_ids)

    def _kill(self, scheduler: KillsAtOnce, native_ids: list[str]) -> None:
        """A batch system gives a job seconds to end; one that had them already is killed. What is then left is cancelled
        after a moment: Slurm looks rarely at a job that it is ending itself, and its node would stay busy for seconds."""
        for native_id in native_ids:
            scheduler.kill(native_id)
        self._later(self.work.cancelling, (native_ids, False), KILLED_SECONDS)

    @staticmethod
    def _later(waiting: queue.Queue[Any], item: Any, seconds: float = RETRY_SECONDS) -> None:
        threading.Timer(seconds, waiting.put, [item]).start()


class _Throttled:
    """Passes a line on at most once a second."""

    def __init__(self, report: Callable[[str, str], None]) -> None:
        self._report, self._at, self._what = report, 0.0, ""

    def __call__(self, what: str, line: str) -> None:
        now = time.monotonic()
        if line and (what != self._what or now - self._at >= REPORT_SECONDS):
            self._what, self._at = what, now
            self._report(what, line)
