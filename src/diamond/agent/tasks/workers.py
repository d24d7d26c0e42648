"""Threads for what takes time: staging, cancelling. Their findings go back to the main thread by `post`."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from diamond.agent.guard.fence import Fence
from diamond.agent.link.carriers import LinkDown
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.staging import StageFailed, Stager
from diamond.agent.tasks.submission import Submitter
from diamond.core.errors import Cancelled, Unanswered
from diamond.schedulers.base import LeavesOutNodes, Scheduler

if TYPE_CHECKING:
    from diamond.agent.tasks.attempts import Attempts, Tracked

log = logging.getLogger(__name__)

STAGERS = 8
RETRY_SECONDS = 5.0
SAY_SECONDS = 1.0

Post = Callable[[Callable[[], None]], None]


class Workers:
    """`bind` must be called once, before anything else."""

    def __init__(
        self,
        stager: Stager,
        scheduler: Scheduler,
        fence: Fence,
        *,
        post: Post,
        hurry: Callable[[], None],
    ) -> None:
        self._stager, self._scheduler, self._fence, self._post = stager, scheduler, fence, post
        self._to_stage: queue.Queue[Tracked] = queue.Queue()
        self._to_cancel: queue.Queue[list[str]] = queue.Queue()
        self._cancelling: set[str] = set()
        self.asker_hint = hurry

    def bind(self, attempts: Attempts, submitter: Submitter) -> None:
        self._attempts, self.submitter = attempts, submitter

    def start(self) -> None:
        for number in range(STAGERS):
            threading.Thread(target=self._stage_all, name=f"stage-{number}", daemon=True).start()
        threading.Thread(target=self._cancel_all, name="cancel", daemon=True).start()
        self.submitter.start()

    def stage(self, tracked: Tracked) -> None:
        self._to_stage.put(tracked)

    def cancel(self, native_ids: list[str]) -> None:
        """Ask for the end of jobs; one that waits to be asked for is not put in line again."""
        fresh = [one for one in native_ids if one not in self._cancelling]
        self._cancelling.update(fresh)
        if fresh:
            self._to_cancel.put(fresh)

    def leave_out(self, folder: AttemptFolder, native_id: str) -> None:
        """Tell the batch system which nodes a job that waits must not get, where it can be told."""
        if isinstance(self._scheduler, LeavesOutNodes):
            threading.Thread(
                target=self._leave_out,
                args=(self._scheduler.leave_out, folder, native_id),
                daemon=True,
            ).start()

    def _leave_out(self, tell: Callable[..., None], folder: AttemptFolder, native_id: str) -> None:
        try:
            self._fence.check()
            tell(native_id, self._stager.submission(folder), self._stager.profile().flags)
        except Unanswered as error:
            log.info("%s: its nodes: %s", folder.attempt, error.message)
            threading.Timer(RETRY_SECONDS, self._leave_out, [tell, folder, native_id]).start()
        except Exception:
            log.exception("%s: nodes that failed could not be left out", folder.attempt)

    def _stage_all(self) -> None:
        while True:
            tracked = self._to_stage.get()
            try:
                self._stage_one(tracked)
            except LinkDown as error:
                log.info("%s waits for the service: %s", tracked.folder.attempt, error)
                threading.Timer(RETRY_SECONDS, self.stage, [tracked]).start()
            except Exception:
                log.exception("staging %s failed", tracked.folder.attempt)
                self._fail(tracked, StageFailed.unforeseen())

    def _stage_one(self, tracked: Tracked) -> None:
        folder, attempts = tracked.folder, self._attempts
        say = _Sayer(lambda what, line: self._post(lambda: attempts.staging(tracked, what, line)))
        try:
            if folder.is_cancelled:
                raise Cancelled("Called off before anything was made ready")
            self._stager.stage(folder, say=say, cancelled=lambda: folder.is_cancelled)
        except Cancelled:
            self._post(lambda: attempts.called_off(folder))
        except StageFailed as error:
            self._fail(tracked, error)
        else:
            self._post(lambda: attempts.staged(tracked))

    def _fail(self, tracked: Tracked, error: StageFailed) -> None:
        reason, message = error.reason, error.message
        self._post(lambda: self._attempts.refused(tracked.folder, reason, message))

    def _cancel_all(self) -> None:
        while True:
            native_ids = self._to_cancel.get()
            try:
                self._fence.check()
                for native_id in native_ids:
                    self._scheduler.cancel(native_id)
                self.asker_hint()
            except Unanswered as error:
                log.info("cancelling %s: %s", native_ids, error.message)
                threading.Timer(RETRY_SECONDS, self._to_cancel.put, [native_ids]).start()
                continue
            except Exception:
                log.exception("cancelling %s failed", native_ids)
            self._cancelling.difference_update(native_ids)


class _Sayer:
    """Passes a line on at most once a second."""

    def __init__(self, tell: Callable[[str, str], None]) -> None:
        self._tell, self._at, self._what = tell, 0.0, ""

    def __call__(self, what: str, line: str) -> None:
        now = time.monotonic()
        if line and (what != self._what or now - self._at >= SAY_SECONDS):
            self._what, self._at = what, now
            self._tell(what, line)
