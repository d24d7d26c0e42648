"""Chooses the files of each run to send to the service, and knows when all of them have arrived."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from diamond.agent.output.logs import Streams
from diamond.agent.output.tensorboard import Scalars
from diamond.agent.tasks.attempts import Attempts, Tracked

STEPS_FIRST_SECONDS = 10.0
"""How long the end of a build may wait for its steps."""


@dataclass(frozen=True)
class OutputCollector:
    streams: Streams
    attempts: Attempts
    stopping: threading.Event
    scalars: Scalars = field(default_factory=Scalars)
    _followed: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    """By attempt, as seen last: starts, exits, whether it is over."""

    def follow(self, tracked: Tracked) -> None:
        """Send the files of every run that has started, and finish those of a run that has ended."""
        watched, folder = tracked.watched, tracked.folder
        seen = (len(watched.starts), len(watched.exits), watched.over)
        if seen == self._followed.get(folder.attempt, (0, 0, False)):
            return
        self._followed[folder.attempt] = seen
        order = folder.order()
        for run in watched.starts | set(watched.exits):
            self.streams.follow(
                folder.task,
                folder.attempt,
                run,
                folder.run_folder(run),
                is_build=order.build is not None,
                ranks=order.ranks,
            )
            if watched.over or run < watched.run or run in watched.exits:
                self.scalars.finish(tracked)
                self.streams.ended(folder.attempt, run, exit_seen=run in watched.exits)

    def is_complete(self, attempt: str) -> bool:
        """Whether the service has every byte."""
        return self.streams.are_done(attempt)

    def forget(self, attempt: str) -> None:
        self._followed.pop(attempt, None)
        self.streams.forget(attempt)

    def wait_for_steps(self, events: Iterable[dict[str, Any]]) -> None:
        """Send a build's steps before its end: they name the image, which may be used as soon as the build succeeded.

        For a while only, since a file that cannot be read must not hold up other events.
        """
        ended = [event for event in events if event["type"] == "exited" and self._is_build(event)]
        deadline = time.monotonic() + STEPS_FIRST_SECONDS if ended else 0.0
        for event in ended:
            while not self.streams.has_arrived(event["attempt"], event["run"], "steps"):
                if time.monotonic() > deadline or self.stopping.wait(0.05):
                    return

    def _is_build(self, event: dict[str, Any]) -> bool:
        tracked = self.attempts.known.get(event["attempt"])
        return tracked is not None and tracked.folder.order().build is not None
