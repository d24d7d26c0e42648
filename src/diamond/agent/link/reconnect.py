"""Agent and service meet: at the start, after a link that was away, after a service that lost its memory."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING

from diamond.agent.link.carriers import Declined, LinkClosed, LinkDown, Stale, ask
from diamond.agent.site.profile import save_settings
from diamond.core.agent_messages import Adopt, KnownAttempt
from diamond.core.protocol import Welcome

if TYPE_CHECKING:
    from diamond.agent.loop import Agent
    from diamond.agent.tasks.folders import AttemptFolder

log = logging.getLogger(__name__)

HELLO_SECONDS = 5.0
"""Between two greetings that were answered; one that was not is repeated with the call's own pauses."""
STALE_EXIT, KEY_EXIT = 3, 4


class Reunion:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._needs_hello, self._hello_at = False, 0.0

    def first_hello(self) -> Welcome | None:
        """Greet until there is an answer; a service that is down is waited for."""
        pause, waiting = 0.25, False
        while not self._agent.stopping.is_set():
            try:
                return self._agent.session.hello()
            except (LinkClosed, Stale) as error:
                log.error("%s", error)
                self._agent.stop(STALE_EXIT if isinstance(error, Stale) else 0)
            except LinkDown as error:
                log.info("hello: %s", error)
            except Declined as error:
                waiting = self._is_awaited(error, waiting)
            self._agent.stopping.wait(pause)
            pause = min(pause * 2, 2.0 if waiting else 10.0)
        return None

    def rebuild(self, welcome: Welcome) -> None:
        """Take up every attempt that is not closed, and what the service believes open."""
        self._heed(welcome)
        wanted = {one.task for one in welcome.open_tasks}
        wanted |= self._forgotten(welcome)
        for folder in self._agent.tasks.every_attempt():
            if not folder.is_closed or folder.task in wanted:
                self._load(folder)
        for tracked in list(self._agent.attempts.known.values()):
            self._agent.follow_streams(tracked)
            tracked.is_confirmed = tracked.folder.task not in wanted

    def link_failed(self) -> None:
        self._needs_hello = True

    def hello_again(self) -> None:
        """Greet anew after the link was away, before the next call for commands."""
        if not self._needs_hello:
            return
        self._agent.stopping.wait(max(0.0, self._hello_at + HELLO_SECONDS - time.monotonic()))
        self._needs_hello = False
        welcome = self._agent.session.hello()
        self._hello_at = time.monotonic()
        self._agent.post(lambda: self._welcomed_again(welcome))

    def adopt(self, unknown: list[str]) -> None:
        """The service was restored from a backup: give it the task anew, then all that is known of it."""
        for task in unknown:
            folders = self._agent.tasks.begun(task)
            if not folders or not self._agent.tasks.has(task):
                continue
            self._doubt(task)
            attempts = [KnownAttempt(folder.attempt, folder.number) for folder in folders]
            message = Adopt(folders[0].task_json(), attempts)
            with contextlib.suppress(LinkDown, Declined):
                ask(self._agent.link, "adopt", message)
                self._agent.attempts.tell_again([task])
                self._agent.streams.start_again([task])

    def _is_awaited(self, error: Declined, waiting: bool) -> bool:
        if error.code == "awaiting-confirmation":
            if not waiting:
                log.warning("waiting: the endpoint's owner must confirm this host and user")
            return True
        log.error("the service does not accept this agent: %s", error)
        if error.status in (401, 403):
            self._agent.stop(KEY_EXIT)
        return False

    def _load(self, folder: AttemptFolder) -> None:
        try:
            self._agent.attempts.load(folder)
        except Exception:
            log.exception("attempt %s cannot be taken up", folder.attempt)

    def _heed(self, welcome: Welcome) -> None:
        self._agent.orphans.told_open(welcome.open_tasks, time.monotonic())
        self._agent.attempts.endpoint = welcome.endpoint
        self._agent.budget.set_rate(welcome.status_questions_per_minute)
        own = self._agent.policy.own_facts
        if save_settings(self._agent.folders, welcome.settings.given, own=own):
            self._agent.ledger.act("settings")
            self._agent.reload_profile()

    def _welcomed_again(self, welcome: Welcome) -> None:
        """The service may be another than before: tell it what it believes open, and all that is."""
        self._heed(welcome)
        tasks = {one.task for one in welcome.open_tasks}
        tasks |= {tracked.folder.task for tracked in self._agent.attempts.known.values()}
        tasks |= self._forgotten(welcome)
        self._agent.attempts.tell_again(sorted(tasks))
        self._agent.streams.start_again(tasks)

    def _doubt(self, task: str) -> None:
        """The service does not know this task, so it cannot have recorded its end."""
        for tracked in self._agent.attempts.known.values():
            if tracked.folder.task == task:
                tracked.is_confirmed = False

    def _forgotten(self, welcome: Welcome) -> set[str]:
        """Ended tasks that a service from a backup may know nothing of."""
        if not welcome.restored:
            return set()
        log.warning("the service has come back from an older backup: it is told all that is here")
        every = self._agent.tasks.every_attempt()
        return {one.task for one in every if one.is_closed_for(welcome.endpoint)}
