"""`--wait`: a progress line, then the log, then the result as an exit code."""

from __future__ import annotations

import sys
import time

from diamond.cli.endpoint_status import ConnectionMonitor
from diamond.cli.format import short_id
from diamond.cli.log_writer import LogWriter
from diamond.cli.output import color, print_json, say
from diamond.cli.task_status import (
    describe_ending,
    describe_stage,
    diagnosis_lines,
    fix_step,
    next_step,
    read_diagnosis,
    short_reason,
)
from diamond.core.task import Reason
from diamond.sdk.client import Client
from diamond.sdk.logs import STREAMS, LogPart
from diamond.sdk.models import Job, Task

WALL_TIME, OTHER, CANCELLED = 124, 125, 130


def wait_for_job(client: Client, job: Job, *, as_json: bool = False) -> int:
    """Follow a job's task to its end; returns the exit code for the shell."""
    view = _View(quiet=as_json)
    task = job.task
    say(f"{task.name} is task {task.id} on {task.endpoint}")
    try:
        task = _follow(client, task, view, streams=() if as_json else STREAMS)
    except KeyboardInterrupt:
        view.clear()
        say(
            f"{task.id} keeps running. Follow it: diamond logs -f {short_id(task.id)}; "
            f"cancel it: diamond cancel {short_id(task.id)}"
        )
        return CANCELLED
    view.clear()
    if as_json:
        kept = {key: value for key, value in job.raw.items() if key != "warnings"}
        print_json({"job": kept, "tasks": [dict(task.raw)]})
    _print_end(client, task)
    return exit_code(task)


def follow_task(client: Client, task: Task, *, quiet: bool) -> Task:
    """Follow any task to its end, with its log in the terminal."""
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
    return OTHER


def _follow(client: Client, task: Task, view: _View, streams: tuple[str, ...]) -> Task:
    """A log that is not shown is not fetched: the middle of a long one stays on the cluster."""
    watch = ConnectionMonitor(client, task.endpoint, view.note)
    items = client.follow(task.id, streams=streams, on_lost=watch.lost, on_endpoint=watch.endpoint)
    for item in items:
        if isinstance(item, Task):
            task = item
            view.stage(task)
        elif isinstance(item, LogPart):
            view.log(item)
        else:
            view.note(item)
    return task


def _print_end(client: Client, task: Task) -> None:
    shade = "green" if task.state == "succeeded" else "red"
    say(color(describe_ending(task), shade, sys.stderr))
    diagnosis = read_diagnosis(client, task)
    for line in diagnosis_lines(diagnosis):
        say(line)
    step = fix_step(task, diagnosis) or next_step(task)
    if step:
        say(step)


class _View:
    """A progress line on stderr if that is a terminal; else one line per stage."""

    def __init__(self, *, quiet: bool) -> None:
        self._live = sys.stderr.isatty()
        self._writer = None if quiet else LogWriter()
        self._began = time.monotonic()
        self._last = ""
        self._drawn = False
        self._logging = False

    def stage(self, task: Task) -> None:
        stage = describe_stage(task)
        detail = short_reason(task)
        line = stage if not detail or detail in stage else f"{stage} ({detail})"
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

    def note(self, message: str) -> None:
        self.clear()
        say(f"Note: {message}")

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._drawn = False

    def _draw(self, line: str) -> None:
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()
        self._drawn = True
