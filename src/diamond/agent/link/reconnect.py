"""Hello to the service: at the start, and again after the link was down."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from diamond.agent.link.carriers import Declined, LinkClosed, LinkDown, Stale
from diamond.agent.link.session import Session
from diamond.core.protocol import Welcome

log = logging.getLogger(__name__)

HELLO_SECONDS = 5.0
"""Between two hellos that were answered; one without an answer is repeated with the call's own pauses."""
STALE_EXIT, KEY_EXIT = 3, 4


class Reconnection:
    """`stop` ends the agent with an exit code; `welcomed` receives the answer to each later hello."""

    def __init__(
        self,
        session: Session,
        *,
        stopping: threading.Event,
        stop: Callable[[int], None],
        welcomed: Callable[[Welcome], None],
    ) -> None:
        self._session, self._stopping = session, stopping
        self._stop, self._welcomed = stop, welcomed
        self._needs_hello, self._hello_at = False, 0.0

    def first_hello(self) -> Welcome | None:
        """Repeat until there is an answer; wait for a service that is down."""
        pause, waiting = 0.25, False
        while not self._stopping.is_set():
            try:
                return self._session.hello()
            except (LinkClosed, Stale) as error:
                log.error("%s", error)
                self._stop(STALE_EXIT if isinstance(error, Stale) else 0)
            except LinkDown as error:
                log.info("hello: %s", error)
            except Declined as error:
                waiting = self._awaits_confirmation(error, waiting)
            self._stopping.wait(pause)
            pause = min(pause * 2, 2.0 if waiting else 10.0)
        return None

    def link_failed(self) -> None:
        self._needs_hello = True

    def hello_again(self) -> None:
        """After the link was down, before the next call for commands."""
        if not self._needs_hello:
            return
        self._stopping.wait(max(0.0, self._hello_at + HELLO_SECONDS - time.monotonic()))
        self._needs_hello = False
        welcome = self._session.hello()
        self._hello_at = time.monotonic()
        self._welcomed(welcome)

    def _awaits_confirmation(self, error: Declined, waiting: bool) -> bool:
        if error.code == "awaiting-confirmation":
            if not waiting:
                log.warning("waiting: the endpoint's owner must confirm this host and user")
            return True
        log.error("the service does not accept this agent: %s", error)
        if error.status in (401, 403):
            self._stop(KEY_EXIT)
        return False
