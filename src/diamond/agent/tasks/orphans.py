"""Tasks that the service believes open and whose run directory is gone (a purged scratch, an `rm`).

The batch system is asked by the job's name; a task that nobody knows any more is lost, not running forever.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable

from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.machine.verdicts import LOST_GRACE
from diamond.agent.tasks.status import Budget
from diamond.core.errors import DiamondError
from diamond.core.events import Event, Lost, Observed
from diamond.core.native import NativeStatus
from diamond.core.protocol import OpenTask
from diamond.schedulers.base import Scheduler

log = logging.getLogger(__name__)

MESSAGE = "its run directory is gone from the machine"


class Orphans:
    """`grace` seconds pass before the batch system is asked: the submit may still be on its way here."""

    def __init__(
        self,
        tasks: TaskFolders,
        scheduler: Scheduler,
        budget: Budget,
        report: Callable[[str, Event], None],
        grace: float = LOST_GRACE,
    ) -> None:
        self._tasks, self._scheduler, self._budget = tasks, scheduler, budget
        self._report, self._grace = report, grace
        self._due: dict[AttemptFolder, float] = {}
        self._busy = threading.Lock()

    def expect(self, open_tasks: Iterable[OpenTask], now: float) -> None:
        """The tasks that the service named at hello."""
        for each in open_tasks:
            folder = self._tasks.attempt(each.task, each.attempt)
            if not folder.is_known:
                self._due.setdefault(folder, now + self._grace)

    def look(self, now: float) -> None:
        """Ask about those whose grace is over, in a separate thread."""
        self._due = {folder: at for folder, at in self._due.items() if not folder.is_known}
        due = [folder for folder, at in self._due.items() if at <= now]
        if due and not self._busy.locked():
            threading.Thread(target=self._settle, args=(due,), daemon=True).start()

    def _settle(self, due: list[AttemptFolder]) -> None:
        with self._busy:
            for folder in due:
                try:
                    event = self._end_of(folder)
                except DiamondError as error:
                    log.info("%s: %s", folder.attempt, error.message)
                    event = None
                if event is None:
                    self._due[folder] = time.monotonic() + self._grace
                else:
                    self._due.pop(folder, None)
                    self._report(folder.task, event)

    def _end_of(self, folder: AttemptFolder) -> Event | None:
        """The end, if there was one; None while the batch system still has the job, or may not be asked now."""
        if not self._budget.take(reserve=1.0):
            return None
        native_id, now = self._scheduler.find(folder.job_name), time.time()
        if native_id is None:
            return Lost(
                at=now, attempt=folder.attempt, message=f"{MESSAGE}, and no job of it is known"
            )
        status = {**self._scheduler.history([native_id]), **self._scheduler.status([native_id])}
        return _ended(folder, status.get(native_id), now)


def _ended(folder: AttemptFolder, status: NativeStatus | None, now: float) -> Event | None:
    if status is None or status.status != "ended":
        return None
    return Observed(
        at=now,
        attempt=folder.attempt,
        status="ended",
        native_state=status.native_state,
        reason=status.reason,
        exit_code=status.exit_code,
        signal=status.signal,
        message=f"{MESSAGE}. {status.message}".strip(),
    )
