"""The agent's end of the sync protocol: hello, numbered events, held command calls."""

from __future__ import annotations

import getpass
import logging
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import diamond
from diamond.agent.folders import Folders
from diamond.agent.guard.fence import Fence
from diamond.agent.guard.secrets import list_secrets
from diamond.agent.link.carriers import Declined, Link, LinkClosed, LinkDown, Stale, ask
from diamond.core.agent_messages import Events, Hello, MachineFolders, MachinePolicy, Poll
from diamond.core.decoding import decode
from diamond.core.events import Event, event_data
from diamond.core.ids import new_id
from diamond.core.protocol import VERSION, EventsTaken, Orders, Welcome

log = logging.getLogger(__name__)

BATCH = 500
WAIT_SECONDS = 25
KEY_UNKNOWN = 401
REFUSED_SECONDS = 600.0
"""So long an agent whose endpoint was removed continues to ask; then it ends once its work is done."""
LONGEST_PAUSE = 10.0
TOGETHER_SECONDS, BURST_SECONDS = 0.1, 0.5
"""Events this close together are sent in one call; the first one does not wait. While many jobs are being submitted,
the longer pause sends most of a short job's events at once.
"""
Pause = Callable[[], float]
Redact = Callable[[str, Event], Event]


def _shortly() -> float:
    return TOGETHER_SECONDS


def _unchanged(_task: str, event: Event) -> Event:
    return event


@dataclass
class Outbox:
    """Events that the service has not confirmed, in order."""

    pause: Pause = _shortly
    redact: Redact = _unchanged
    """What of an event, about which task, may leave the machine."""
    epoch: str = field(default_factory=lambda: new_id("x"))
    confirmed: int = 0
    _last: int = 0
    _events: list[dict[str, Any]] = field(default_factory=list)
    _filled: threading.Condition = field(default_factory=threading.Condition)
    _taken_at: float = 0.0

    def put(self, task: str, event: Event) -> None:
        with self._filled:
            self._last += 1
            data = event_data(self.redact(task, event))
            self._events.append({"n": self._last, "task": task, **data})
            self._filled.notify_all()

    def wait(self, seconds: float) -> list[dict[str, Any]]:
        """The oldest unconfirmed events, waiting for the first."""
        with self._filled:
            if not self._events:
                self._filled.wait(seconds)
            if not self._events:
                return []
        _wait_since(self._taken_at, self.pause)
        self._taken_at = time.monotonic()
        with self._filled:
            return self._events[:BATCH]

    def confirm(self, have: int) -> None:
        with self._filled:
            self.confirmed = have
            self._events = [event for event in self._events if event["n"] > have]
            self._filled.notify_all()

    @property
    def is_empty(self) -> bool:
        return not self._events

    def wait_until_empty(self, seconds: float) -> bool:
        with self._filled:
            return self._filled.wait_for(lambda: not self._events, seconds)


class Session:
    """One agent's conversation with its service."""

    def __init__(
        self,
        link: Link,
        outbox: Outbox,
        *,
        folders: Folders,
        fence: Fence,
        stays: str,
        policy: Callable[[], MachinePolicy],
    ) -> None:
        self.link, self.outbox = link, outbox
        self._folders, self._fence, self._stays, self._policy = folders, fence, stays, policy
        self._commanded_at = 0.0
        self.is_greeting = False
        self.endpoint = ""
        """The id that the service gave this endpoint, known since the first hello."""

    def hello(self) -> Welcome:
        """Greet once and act under the generation in the answer. Raises what the link raises."""
        self.is_greeting = True
        try:
            answer = ask(self.link, "hello", self._greeting())
        except (Declined, Stale):
            self.is_greeting = False
            raise
        welcome = decode(Welcome, answer)
        self._fence.take(welcome.generation)
        self.link.act_as(welcome.generation)
        self.endpoint = welcome.endpoint
        self.is_greeting = False
        return welcome

    def send_events(self, events: list[dict[str, Any]]) -> list[str]:
        """Send a batch; returns the tasks that the service does not know."""
        message = Events(self.outbox.epoch, time.time(), events)
        answer = ask(self.link, "events", message)
        taken = decode(EventsTaken, answer)
        if taken.have < events[0]["n"] - 1:
            raise LinkDown("the service has forgotten events that it had confirmed")
        self.outbox.confirm(taken.have)
        return taken.unknown_tasks

    def poll(self, done: Iterable[str]) -> Orders:
        """One held call for commands."""
        _wait_since(self._commanded_at, self.outbox.pause)
        message = Poll(list(done), WAIT_SECONDS, time.time())
        answer = ask(self.link, "commands", message, timeout=WAIT_SECONDS + 20)
        orders = decode(Orders, answer)
        if orders.commands:
            self._commanded_at = time.monotonic()
        return orders

    def _greeting(self) -> Hello:
        folders = self._folders
        return Hello(
            agent_version=diamond.__version__,
            protocol=VERSION,
            host=socket.gethostname(),
            user=getpass.getuser(),
            pid=os.getpid(),
            python=platform.python_version(),
            epoch=self.outbox.epoch,
            confirmed=self.outbox.confirmed,
            last_generation=self._fence.newest(),
            stays=self._stays,
            now=time.time(),
            folders=MachineFolders(str(folders.keep), str(folders.work), str(folders.tmp)),
            policy=self._policy(),
            secrets=list_secrets(folders.secrets),
        )


def _wait_since(last: float, pause: Pause) -> None:
    """In short steps, since a burst may end meanwhile."""
    while (left := last + pause() - time.monotonic()) > 0:
        time.sleep(min(left, TOGETHER_SECONDS))


class Caller:
    """Repeats one kind of call, with growing pauses while the link is down."""

    def __init__(self, name: str, once: Callable[[], None], hooks: Hooks) -> None:
        self._once, self._hooks, self._name = once, hooks, name
        self._refused_since: float | None = None

    def start(self) -> None:
        threading.Thread(target=self.run, name=self._name, daemon=True).start()

    def run(self) -> None:
        pause = 0.25
        while not self._hooks.stopping.is_set():
            generation = self._hooks.generation()
            try:
                self._once()
                pause, self._refused_since = 0.25, None
                continue
            except LinkClosed:
                self._hooks.closed()
                return
            except Stale as error:
                if self._hooks.is_greeting():
                    self._hooks.failed()
                elif self._hooks.generation() == generation:
                    self._hooks.stale(str(error))
                    return
            except Declined as error:
                log.info("%s: %s", self._name, error)
                if self._is_refused_for_good(error):
                    log.error("the service no longer knows this agent: its endpoint was removed")
                    self._hooks.closed()
                    return
                self._hooks.failed()
            except LinkDown as error:
                log.info("%s: %s", self._name, error)
                self._hooks.failed()
            except Exception:
                log.exception("%s failed", self._name)
            self._hooks.stopping.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _is_refused_for_good(self, error: Declined) -> bool:
        """A service that was just restored may not know the key yet; after a while nobody will."""
        if error.status != KEY_UNKNOWN:
            self._refused_since = None
            return False
        now = time.monotonic()
        self._refused_since = now if self._refused_since is None else self._refused_since
        return now - self._refused_since > REFUSED_SECONDS


@dataclass
class Hooks:
    """What a `Caller` asks of the agent and reports to it."""

    stopping: threading.Event
    generation: Callable[[], int]
    is_greeting: Callable[[], bool]
    stale: Callable[[str], None]
    closed: Callable[[], None]
    failed: Callable[[], None]
