"""What agent and service know of each other's tasks, brought together after each hello."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from diamond.agent.link.carriers import Declined, Link, LinkDown, ask
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.machine.state import AttemptState
from diamond.agent.tasks.orphans import Orphans
from diamond.core.agent_messages import Adopt, KnownAttempt
from diamond.core.protocol import Welcome

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recovery:
    """Runs in the agent's main thread."""

    tasks: TaskFolders
    attempts: Attempts
    orphans: Orphans
    link: Link
    follow_output: Callable[[AttemptState], None]
    send_output_again: Callable[[Iterable[str]], None]

    def rebuild(self, welcome: Welcome) -> None:
        """At the start: load every attempt that is not closed, and those that the service believes open."""
        open_tasks = self._open_tasks(welcome)
        for task in open_tasks:
            self.tasks.unpack(task)
        for folder in self.tasks.every_attempt():
            if not folder.is_closed or folder.task in open_tasks:
                self._load(folder)
        for state in list(self.attempts.known.values()):
            self.follow_output(state)
        self.attempts.confirm_all_but(open_tasks)

    def report_all(self, welcome: Welcome) -> None:
        """After the link was down, the service may be another one: report what it believes open, and all that is here."""
        tasks = self._open_tasks(welcome)
        tasks |= {state.task for state in self.attempts.known.values()}
        self.attempts.report_again(sorted(tasks))
        self.send_output_again(tasks)

    def adopt(self, unknown: Iterable[str]) -> None:
        """The service was restored from a backup: give it each task, then everything known about it."""
        for task in unknown:
            folders = self.tasks.begun(task)
            if not folders or not self.tasks.has(task):
                continue
            self.attempts.unconfirm(task)
            attempts = [KnownAttempt(folder.attempt, folder.number) for folder in folders]
            message = Adopt(folders[0].task_json(), attempts)
            with contextlib.suppress(LinkDown, Declined):
                ask(self.link, "adopt", message)
                self.attempts.report_again([task])
                self.send_output_again([task])

    def _open_tasks(self, welcome: Welcome) -> set[str]:
        self.orphans.expect(welcome.open_tasks, time.monotonic())
        return {each.task for each in welcome.open_tasks} | self._forgotten(welcome)

    def _forgotten(self, welcome: Welcome) -> set[str]:
        """Ended tasks that a service restored from a backup may not know."""
        if not welcome.restored:
            return set()
        log.warning("the service was restored from a backup: everything here is reported again")
        every = self.tasks.every_attempt(also_packed=True)
        return {each.task for each in every if each.is_closed_for(welcome.endpoint)}

    def _load(self, folder: AttemptFolder) -> None:
        try:
            self.attempts.load(folder)
        except Exception:
            log.exception("attempt %s cannot be loaded", folder.attempt)
