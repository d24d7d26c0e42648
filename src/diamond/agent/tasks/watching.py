"""Looking for facts: marks in the inbox, and the run directories themselves in case a mark was lost."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diamond.agent.disk import read_words
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.machine.state import AttemptState, Outcome
from diamond.agent.tasks.machine.verdicts import saw_exit, saw_start
from diamond.agent.tasks.ranks import culprit_of, warning_of
from diamond.core.events import Arrived, Event, Exited, Note


@dataclass(frozen=True)
class Mark:
    """`<task>.<attempt>.<n>.started|exit|duplicate|arrived`."""

    path: Path
    task: str
    attempt: str
    run: int
    kind: str


def look_at_inbox(inbox: Path) -> Iterator[Mark]:
    """All marks, oldest first: a start is reported before an exit."""
    with contextlib.suppress(OSError):
        with os.scandir(inbox) as entries:
            names = sorted((entry.name for entry in entries), key=_starts_first)
        for name in names:
            parts = name.split(".")
            if len(parts) == 4 and parts[2].isdigit():
                yield Mark(inbox / name, parts[0], parts[1], int(parts[2]), parts[3])


def _starts_first(name: str) -> tuple[bool, str]:
    return name.endswith(".exit"), name


def is_seen(mark: Mark, state: AttemptState, folder: AttemptFolder) -> bool:
    """Whether the fact behind a mark has been read; until then the file is on its way and the mark stays."""
    if mark.kind == "started":
        return mark.run in state.starts
    if mark.kind == "exit":
        return mark.run in state.exits
    if mark.kind == "arrived":
        return state.arrived
    return bool(folder.duplicates())


def read_runs(folder: AttemptFolder, state: AttemptState, *, earliest: float = 0.0) -> Outcome:
    """Every fact in the attempt's folder that is not known yet.

    With `earliest` (an agent that was restarted) the events have the times of the files, where plausible.
    """
    events: list[Event] = []
    for run in folder.runs():
        state, fresh = read_run(folder, state, run, earliest=earliest)
        events += fresh
    return Outcome(state, tuple(events))


def read_run(
    folder: AttemptFolder, state: AttemptState, run: int, *, earliest: float = 0.0
) -> Outcome:
    state, started = _start(folder, state, run, earliest)
    state, exited = _exit(folder, state, run, earliest)
    return Outcome(state, started + exited)


def read_arrival(folder: AttemptFolder, state: AttemptState) -> Outcome:
    """A follow-up that has its nodes and waits there, reported once."""
    fields = [] if state.arrived else read_words(folder.place("arrived"))
    if len(fields) < 3:
        return Outcome(state)
    return Outcome(replace(state, arrived=True), (Arrived(native_id=fields[0], node=fields[1]),))


def read_duplicates(folder: AttemptFolder, state: AttemptState) -> Outcome:
    """Jobs that lost the claim to another job; each is reported once."""
    fresh = [each for each in folder.duplicates() if each not in state.duplicates]
    if not fresh:
        return Outcome(state)
    message = "a second job of this attempt ({}) ended before it started the program"
    notes = tuple(Note(message=message.format(each), code="duplicate") for each in fresh)
    return Outcome(replace(state, duplicates=state.duplicates.union(fresh)), notes)


def _start(folder: AttemptFolder, state: AttemptState, run: int, earliest: float) -> Outcome:
    start = None if run in state.starts else folder.start_of(run)
    if start is None:
        return Outcome(state)
    state, events = saw_start(state, run, native_id=start.native_id, node=start.node)
    return Outcome(state, tuple(_dated(event, start.seen_at, earliest) for event in events))


def _exit(folder: AttemptFolder, state: AttemptState, run: int, earliest: float) -> Outcome:
    ending = None if run in state.exits else folder.exit_of(run)
    if ending is None:
        return Outcome(state)
    state, events = saw_exit(state, run, ending.code, now=time.monotonic())
    if ending.code:
        culprit = culprit_of(folder.run_folder(run))
        events = tuple(_explained(event, culprit) for event in events)
    elif warning := warning_of(folder.run_folder(run)):
        events = tuple(_explained(event, {"message": warning}) for event in events)
    return Outcome(state, tuple(_dated(event, ending.seen_at, earliest) for event in events))


def _explained(event: Event, culprit: dict[str, Any]) -> Event:
    if not isinstance(event, Exited) or not culprit:
        return event
    message, reason = str(culprit.get("message", "")), str(culprit.get("reason", ""))
    return replace(event, message=message, reason=reason)


def _dated(event: Event, written: float, earliest: float) -> Event:
    """Another node's clock may be an hour off: only a time between the submission and now is believed."""
    if earliest and earliest <= written <= time.time():
        return replace(event, at=written)
    return event
