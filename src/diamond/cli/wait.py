"""`--wait`: stages as one progress line, then the log, then how it ended as an exit code."""

from __future__ import annotations

import sys
import time

from diamond.cli.format import describe_ending, describe_stage, next_step, short_id, short_reason
from diamond.cli.log_writer import LogWriter
from diamond.cli.offline import ConnectionMonitor
from diamond.cli.output import color, print_json, say
from diamond.core.task import Reason
from diamond.sdk.client import Client
from diamond.sdk.logs import STREAMS, LogPart
from diamond.sdk.models import Job, Task

WALL_TIME, ELSE, CANCELLED = 124, 125, 130


def wait_for_job(client: Client, job: Job, *, as_json: bool = False) -> int:
    """Follow a job's task to its end; the answer is the exit code for the shell."""
    view = _View(quiet=as_json)
    task = job.task
    say(f"{task.name} is task {task.id} on {task.endpoint}")
    try:
        task = _follow(client, task, view, streams=() if as_json else STREAMS)
    except KeyboardInterrupt:
        view.clear()
        say(
            f"{task.id} goes on. Follow it: diamond logs -f {short_id(task.id)}; "
            f"cancel it: diamond cancel {short_id(task.id)}"
        )
        return CANCELLED
    view.clear()
    if as_json:
        kept = {key: value for key, value in job.raw.items() if key != "warnings"}
        print_json({"job": kept, "tasks": [dict(task.raw)]})
    _tell_end(task)
    return exit_code(task)


def follow_task(client: Client, task: Task, *, quiet: bool) -> Task:
    """Follow any task to its end, its log in the terminal."""
    view = _View(quiet=quiet)
    say(f"{task.name} is {task.kind} {task.id} on {task.endpoint}")
    ended = _follow(client, task, view, streams=() if quiet else STREAMS)
    view.clear()
    return ended


def exit_code(task: Task) -> int:
    """The program's own code, 128+n for a signal, 124 wall-time, 130 cancelled, 125 anything else."""
    if task.state == "succeeded":
        return 0
    if task.state == "cancelled":
        return CANCELLED
    if task.reason == Reason.WALL_TIME.value:
        return WALL_TIME
    if task.reason == Reason.SIGNAL.value and task.signal:
        return 128 + task.signal
    if task.reason == Reason.EXIT_CODE.value and task.exit_code:
        return task.exit_code
    return ELSE


def _follow(client: Client, task: Task, view: _View, streams: tuple[str, ...]) -> Task:
    """A log that nobody sees is not fetched: the middle of a long one lies on the cluster."""
    watch = ConnectionMonitor(client, task.endpoint, view.note)
    happenings = client.follow(
        task.id, streams=streams, on_lost=watch.lost, on_endpoint=watch.endpoint
    )
    for happening in happenings:
        if isinstance(happening, Task):
            task = happening
            view.stage(task)
        elif isinstance(happening, LogPart):
            view.log(happening)
        else:
            view.note(happening)
    return task


def _tell_end(task: Task) -> None:
    colour = "green" if task.state == "succeeded" else "red"
    say(color(describe_ending(task), colour, sys.stderr))
    step = next_step(task)
    if step:
        say(step)


class _View:
    """The progress line lives on stderr, only on a terminal; elsewhere each new stage is one line."""

    def __init__(self, *, quiet: bool) -> None:
        self._live = sys.stderr.isatty()
        self._writer = None if quiet else LogWriter()
        self._began = time.monotonic()
        self._last = ""
        self._drawn = False
        self._logging = False

    def stage(self, task: Task) -> None:
        words = describe_stage(task)
        detail = short_reason(task)
        line = words if not detail or detail in words else f"{words} ({detail})"
        if line == self._last or task.is_final:
            return
        self._last = line
        if self._live and not self._logging:
            self._draw(f"{time.monotonic() - self._began:5.1f} s  {line}")
        else:
            say(line)

    def log(self, part: LogPart) -> None:
        self.clear()
        self._logging = True
        if self._writer:
            self._writer.write(part)

    def note(self, words: str) -> None:
        self.clear()
        say(f"Note: {words}")

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._drawn = False

    def _draw(self, line: str) -> None:
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()
        self._drawn = True
