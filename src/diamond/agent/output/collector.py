"""Chooses the files of each run to send to the service, and knows when all of them have arrived."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from diamond.agent.output.logs import LOGS, STEPS, Streams
from diamond.agent.output.scalars import Scalars
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.machine.state import AttemptState
from diamond.agent.tasks.packed import TRIAL

STEPS_FIRST_SECONDS, OUTPUT_FIRST_SECONDS = 10.0, 2.0
"""How long the end of a build may wait for its steps, and every other end for its last lines."""
OUTPUT = (*LOGS, "metrics", "tensorboard", "facts")


@dataclass(frozen=True)
class OutputCollector:
    streams: Streams
    attempts: Attempts
    stopping: threading.Event
    scalars: Scalars = field(default_factory=Scalars)
    forward: Callable[[AttemptFolder, int, bool], None] = lambda folder, run, ended: None
    """Called when there may be something to send on to the person's own server."""
    _followed: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    """By attempt, as seen last: starts, exits, whether it is over."""

    def follow(self, state: AttemptState) -> None:
        """Send the files of every run that has started, and finish those of a run that has ended."""
        seen = (len(state.starts), len(state.exits), state.over)
        if seen == self._followed.get(state.attempt, (0, 0, False)):
            return
        self._followed[state.attempt] = seen
        folder = self.attempts.folder(state)
        order = folder.order()
        for run in state.starts | set(state.exits):
            self.streams.follow(
                state.task,
                state.attempt,
                run,
                folder.run_folder(run),
                is_build=order.build is not None,
                is_trial=folder.task_json().get("kind") == TRIAL,
                ranks=order.ranks,
            )
            if state.over or run < state.run or run in state.exits:
                if self.scalars.finish(folder, state.run):
                    self.forward(folder, state.run, True)
                self.streams.ended(state.attempt, run, exit_seen=run in state.exits)

    def look_at_scalars(self, active: Iterable[AttemptState]) -> None:
        """Check for new event files of running programs, now and then."""
        if self.scalars.is_due():
            for state in active:
                if state.is_running:
                    folder = self.attempts.folder(state)
                    self.scalars.append_new(folder, state.run)
                    self.forward(folder, state.run, False)

    def is_complete(self, attempt: str) -> bool:
        """Whether the service has every byte."""
        return self.streams.are_done(attempt)

    def forget(self, attempt: str) -> None:
        self._followed.pop(attempt, None)
        self.streams.forget(attempt)

    def wait_for_output(self, events: Iterable[dict[str, Any]]) -> None:
        """Send the last lines of a run before its end: whoever waits for that looks at its metrics next.

        A build's steps name its image, which may be used as soon as the build succeeded. For a while only,
        since a file that cannot be read must not hold up other events.
        """
        began = time.monotonic()
        for event in events:
            state = self.attempts.known.get(event["attempt"]) if event["type"] == "exited" else None
            if state is None:
                continue
            is_build = self.attempts.folder(state).order().build is not None
            names, patience = (
                (STEPS, STEPS_FIRST_SECONDS) if is_build else (OUTPUT, OUTPUT_FIRST_SECONDS)
            )
            while not self.streams.have_arrived(event["attempt"], event["run"], names):
                if time.monotonic() > began + patience:
                    break
                if self.stopping.wait(0.05):
                    return
