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
from diamond.agent.tasks.ranks import culprit_of, warning_of
from diamond.agent.tasks.verdicts import Watched, saw_exit, saw_start
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


def is_seen(mark: Mark, watched: Watched, folder: AttemptFolder) -> bool:
    """Whether the fact behind a mark has been read; until then the file is on its way and the mark stays."""
    if mark.kind == "started":
        return mark.run in watched.starts
    if mark.kind == "exit":
        return mark.run in watched.exits
    if mark.kind == "arrived":
        return watched.arrived
    return bool(folder.duplicates())


def read_runs(folder: AttemptFolder, watched: Watched, *, earliest: float = 0.0) -> list[Event]:
    """Every fact in the attempt's folder that is not known yet.

    With `earliest` (an agent that was restarted) the events have the times of the files, where plausible.
    """
    runs = (read_run(folder, watched, run, earliest=earliest) for run in folder.runs())
    return [event for events in runs for event in events]


def read_run(
    folder: AttemptFolder, watched: Watched, run: int, *, earliest: float = 0.0
) -> list[Event]:
    return _start(folder, watched, run, earliest) + _exit(folder, watched, run, earliest)


def read_arrival(folder: AttemptFolder, watched: Watched) -> list[Event]:
    """A follow-up that has its nodes and waits there, reported once."""
    fields = [] if watched.arrived else read_words(folder.place("arrived"))
    if len(fields) < 3:
        return []
    watched.arrived = True
    return [Arrived(native_id=fields[0], node=fields[1])]


def read_duplicates(folder: AttemptFolder, known: set[str]) -> list[Event]:
    """Jobs that the claim turned away, each reported once."""
    fresh = [one for one in folder.duplicates() if one not in known]
    known.update(fresh)
    message = "a second job of this attempt ({}) was turned away before the program"
    return [Note(message=message.format(each), code="duplicate") for each in fresh]


def _start(folder: AttemptFolder, watched: Watched, run: int, earliest: float) -> list[Event]:
    start = None if run in watched.starts else folder.start_of(run)
    if start is None:
        return []
    events = saw_start(watched, run, native_id=start.native_id, node=start.node)
    return [_dated(event, start.seen_at, earliest) for event in events]


def _exit(folder: AttemptFolder, watched: Watched, run: int, earliest: float) -> list[Event]:
    ending = None if run in watched.exits else folder.exit_of(run)
    if ending is None:
        return []
    events = saw_exit(watched, run, ending.code, now=time.monotonic())
    if ending.code:
        events = [_explained(event, culprit_of(folder.run_folder(run))) for event in events]
    elif warning := warning_of(folder.run_folder(run)):
        events = [_explained(event, {"message": warning}) for event in events]
    return [_dated(event, ending.seen_at, earliest) for event in events]


def _explained(event: Event, culprit: dict[str, Any]) -> Event:
    if not isinstance(event, Exited) or not culprit:
        return event
    message, reason = str(culprit.get("message", "")), str(culprit.get("reason", ""))
    return replace(event, message=message, reason=reason)


def _dated(event: Event, written: float, earliest: float) -> Event:
    """Another node's clock may be an hour off: only a time between the submission and now is believed."""
    if earliest and earliest <= written <= time.time():
        object.__setattr__(event, "at", written)
    return event
