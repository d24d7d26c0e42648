"""The follow-ups of a chain that wait in the queue at once, where long waits or the user ask for several.

Each was made to follow the one before it. The service learns of those that may begin next, so that it always knows
one present attempt and one follow-up. If a later one gets its nodes first, those before it are barred and cancelled.
"""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING

from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.stop_flag import StopFlagSupport
from diamond.planning.follow_ups import (
    Chain,
    FollowUpPolicy,
    max_waiting_attempts,
    must_withdraw,
    next_submission_time,
)

if TYPE_CHECKING:
    from diamond.agent.tasks.attempts import Attempts, Tracked

log = logging.getLogger(__name__)


class WaitingFollowUps:
    """Called from the agent's main thread."""

    def __init__(
        self, folders: TaskFolders, attempts: Attempts, stop_flag: StopFlagSupport
    ) -> None:
        self._folders, self._attempts, self._stop_flag = folders, attempts, stop_flag
        self._begun: set[str] = set()

    def waiting(self, task: str) -> list[Tracked]:
        """The attempts of a task that have not begun and still may, by number."""
        mine = [each for each in self._attempts.of_task(task) if not each.is_over]
        return [each for each in mine if not each.watched.run and not _is_out(each.folder)]

    def running(self, task: str) -> Tracked | None:
        mine = self._attempts.of_task(task)
        return next((each for each in mine if each.watched.is_running), None)

    def announce(self, task: str) -> None:
        """Report those that the service should know: the present attempt and the next."""
        known = 1 if self._has_present(task) else 2
        for tracked in self.waiting(task)[:known]:
            self._attempts.announce(tracked)

    def _has_present(self, task: str) -> bool:
        """One that runs; or one that was overtaken, until the other has begun."""
        mine = [each for each in self._attempts.of_task(task) if not each.is_over]
        overtaken = [
            each for each in mine if each.folder.is_barred and not each.folder.is_cancelled
        ]
        return bool(overtaken) or self.running(task) is not None

    def is_due(self, last: Tracked) -> bool:
        """Whether one more should wait behind `last`, the last of those that wait, or in its place."""
        line = self.waiting(last.folder.task)
        if not line or line[-1] is not last or not last.is_active or last.watched.arrived:
            return False
        if self._attempts.room(last.partition) or not self._attempts.has_queue():
            return False
        due = next_submission_time(self._chain(line), self._cushion(last), self._policy(last))
        return due is not None and due <= time.time() and not self._has_failed_behind(last)

    def _has_failed_behind(self, last: Tracked) -> bool:
        """One that was rejected is not followed by the next at every check."""
        every = self._folders.attempts(last.folder.task)
        return any(each.number > last.number and each.failure is not None for each in every)

    def is_full(self, last: Tracked) -> bool:
        return must_withdraw(self._chain(self.waiting(last.folder.task)), self._policy(last))

    def overtake(self, tracked: Tracked) -> bool:
        """Let `tracked`, which has nodes, go before those that were to go first; False if one of them has nodes too."""
        return all(each.folder.bar() for each in self._before(tracked))

    def is_behind_one_with_nodes(self, tracked: Tracked) -> bool:
        return any(each.watched.arrived or each.folder.owner for each in self._before(tracked))

    def passed_by(self, running: Tracked) -> list[AttemptFolder]:
        """Those that wait although a later one runs: they can never begin."""
        mine = self._attempts.of_task(running.folder.task)
        late = [each for each in mine if each.number < running.number and not each.is_over]
        return [each.folder for each in late if not each.watched.run and not each.watched.cancelled]

    def _before(self, tracked: Tracked) -> list[Tracked]:
        line = self.waiting(tracked.folder.task)
        return [each for each in line if each.number < tracked.number]

    def _chain(self, line: list[Tracked]) -> Chain:
        queued = tuple(each.folder.submitted_at for each in line)
        running, now = self.running(line[-1].folder.task), time.time()
        return Chain(
            now=now,
            limit_seconds=line[-1].asked_seconds,
            work_seconds_left=math.inf,
            waiting_since=queued,
            last_queued=max(queued),
            program_ends=None if running is None else now + running.asked_seconds,
            silent_since=None
            if running is not None
            else self._folders.last_exit(line[-1].folder.task),
        )

    def _cushion(self, tracked: Tracked) -> float:
        return float(self._stop_flag.grant_of(tracked.folder).get("cushion_seconds") or 0.0)

    def _policy(self, tracked: Tracked) -> FollowUpPolicy:
        ahead, started = tracked.folder.order().resume.ahead, self._has_started(tracked.folder.task)
        return FollowUpPolicy(0.0, most_waiting=max_waiting_attempts(ahead, has_started=started))

    def _has_started(self, task: str) -> bool:
        """Once it has, that is remembered: this is asked at every look."""
        if task not in self._begun and any(each.runs() for each in self._folders.attempts(task)):
            self._begun.add(task)
        return task in self._begun


def _is_out(folder: AttemptFolder) -> bool:
    return folder.is_cancelled or folder.is_barred or folder.failure is not None
