"""A task that continues where another one of the job stopped takes over its run directory."""

from __future__ import annotations

import contextlib
from pathlib import Path

from diamond.agent.disk import read_words, write_whole
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.packed import unpack
from diamond.core.errors import NotFound
from diamond.core.protocol import read_task_request
from diamond.runtimes.below import below

MOVED = "moved"
"""In the folder of the task that was left: the task that has its run directory now."""


def take_over(folder: AttemptFolder) -> None:
    """Move the other task's `run/` here, once; doing it again is fine. Raises `NotFound`."""
    other = read_task_request(folder.task_json()).continues
    own = folder.run_dir.parent
    if not other or (own / "code").exists():
        return
    theirs = below(own.parent, other)
    unpack(theirs)
    new_home = read_words(theirs / MOVED)
    if new_home not in ([], [folder.task]):
        raise NotFound(
            f"Task {new_home[0]} has already continued with the files of {other}",
            f"Continue from there: diamond resume {new_home[0]}",
        )
    if not new_home:
        _move(theirs, folder)
    with contextlib.suppress(FileNotFoundError):
        write_whole(own / "code", (theirs / "code").read_bytes())


def home_of(task_folder: Path) -> Path:
    """Where a task's run directory is: in its own folder, or in the folder of the task that took it over."""
    seen: set[str] = set()
    while (fields := read_words(task_folder / MOVED)) and task_folder.name not in seen:
        seen.add(task_folder.name)
        task_folder = below(task_folder.parent, fields[0])
    return task_folder / "run"


def _move(theirs: Path, folder: AttemptFolder) -> None:
    if (theirs / "run").is_dir():
        with contextlib.suppress(OSError):
            folder.run_dir.rmdir()
        (theirs / "run").rename(folder.run_dir)
    elif not any(folder.run_dir.iterdir()):
        raise NotFound(
            f"The files of task {theirs.name} are gone", f"Start again: diamond retry {theirs.name}"
        )
    write_whole(theirs / MOVED, f"{folder.task}\n".encode(), durable=True)
