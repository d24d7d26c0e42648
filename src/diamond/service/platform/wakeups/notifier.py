"""Wake-ups: a commit wakes everyone who waits for its topic.

A wake-up carries nothing: the database is the source, so one lost costs time, never an event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

OUTBOX = "outbox"
"""The topic of messages that wait to be sent."""
SIZES = "sizes"
"""The topic of limits of storage: what counts against them is measured again."""
SCALES = "scales"
"""The topic of probe runs that have begun."""
STUDIES = "studies"
"""The topic of trials: one has logged something, started or ended."""
PIPELINES = "pipelines"
"""The topic of pipelines: one was submitted, or something that a stage waits for has ended."""
WOKEN = {"probe": SCALES, "trial": STUDIES, "pilot": PIPELINES}
"""By kind of task: who waits for its news."""


class Notifier:
    """Bells by topic, within one process."""

    def __init__(self) -> None:
        self._bells: dict[str, set[asyncio.Event]] = {}
        self.closing = False

    @contextmanager
    def listen(self, topics: Iterable[str]) -> Iterator[asyncio.Event]:
        """A bell that is set at each wake-up of a topic; clear it before looking."""
        bell, names = asyncio.Event(), list(topics)
        for name in names:
            self._bells.setdefault(name, set()).add(bell)
        try:
            yield bell
        finally:
            for name in names:
                self._forget(name, bell)

    def wake(self, topics: Iterable[str]) -> None:
        for topic in topics:
            for bell in self._bells.get(topic, ()):
                bell.set()

    def wake_all(self) -> None:
        """Somebody may have missed a wake-up: let everyone look."""
        self.wake(list(self._bells))

    def close(self) -> None:
        """Let everyone who waits go: the service stops."""
        self.closing = True
        self.wake_all()

    def _forget(self, name: str, bell: asyncio.Event) -> None:
        bells = self._bells[name]
        bells.discard(bell)
        if not bells:
            del self._bells[name]


async def wait(bell: asyncio.Event, seconds: float) -> bool:
    """Whether the bell rang in time."""
    try:
        await asyncio.wait_for(bell.wait(), seconds)
    except TimeoutError:
        return False
    return True


def owner_topic(owner: str) -> str:
    return f"owner:{owner}"


def endpoint_topic(endpoint: str) -> str:
    return f"endpoint:{endpoint}"


def settings_topic(endpoint: str) -> str:
    """Rings when the owner set something that its agent is to know."""
    return f"settings:{endpoint}"


def answer_topic(request: str) -> str:
    return f"answer:{request}"


def project_topic(project: str) -> str:
    return f"project:{project}"


def task_topic(task: str) -> str:
    return f"task:{task}"
