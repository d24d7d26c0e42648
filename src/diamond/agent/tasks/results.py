"""What worker threads report about attempts, handed to the main thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from diamond.agent.guard.ledger import Ledger
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import AttemptFolder
from diamond.core.task import Reason

Post = Callable[[Callable[[], None]], None]


@dataclass(frozen=True)
class PostedResults:
    """Called from the threads that stage and submit; `post` has the main thread do the rest."""

    attempts: Attempts
    ledger: Ledger
    post: Post

    def staging(self, folder: AttemptFolder, what: str, line: str) -> None:
        self.post(lambda: self.attempts.staging(folder, what, line))

    def staged(self, folder: AttemptFolder) -> None:
        self.post(lambda: self.attempts.staged(folder))

    def submitted(self, folder: AttemptFolder, native_id: str) -> None:
        """Counted at once: the submitter checks for room again before the main thread gets to it."""
        self.attempts.count_submitted(folder)
        self.ledger.submitted(folder.attempt, native_id)
        self.post(lambda: self.attempts.submitted(folder, native_id))

    def failed(self, folder: AttemptFolder, reason: Reason, message: str) -> None:
        self.post(lambda: self.attempts.failed(folder, reason, message))

    def held(self, folder: AttemptFolder, message: str) -> None:
        self.post(lambda: self.attempts.held(folder, message))

    def cancelled(self, folder: AttemptFolder) -> None:
        self.post(lambda: self.attempts.ended_unsubmitted(folder))

    def note(self, folder: AttemptFolder, message: str, code: str) -> None:
        self.post(lambda: self.attempts.note(folder, message, code))
