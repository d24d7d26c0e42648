"""Run directories that are no longer needed: how much they hold, and their removal."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Any

from diamond.agent.folders import safe_id
from diamond.agent.tasks.folders import TaskFolders, forget_written
from diamond.runtimes.below import below

DAY = 86400.0


def usage(tasks: Path) -> list[dict[str, Any]]:
    """Bytes and last change of every task's folder."""
    with contextlib.suppress(OSError):
        names = sorted(place.name for place in tasks.iterdir())
        return [_measure(tasks / name, name) for name in names]
    return []


def remove_task(folders: TaskFolders, task: str) -> None:
    """Remove a task's folder as a whole: renamed first, so that half of one is never met."""
    place = below(folders.root, safe_id(task))
    aside = below(folders.root.parent, f".removing-{task}")
    with contextlib.suppress(FileNotFoundError):
        place.rename(aside)
    forget_written()
    shutil.rmtree(aside, ignore_errors=True)


def outdated(tasks: TaskFolders, *, days: float, limit_bytes: float, now: float) -> list[str]:
    """Confirmed tasks over the age limit, then the oldest until the rest fits. 0: no limit."""
    items = [each for each in usage(tasks.root) if _is_closed(tasks, str(each["task"]))]
    items.sort(key=lambda each: float(each["modified"]))
    old = [each for each in items if days and now - float(each["modified"]) > days * DAY]
    kept = [each for each in items if each not in old]
    total = sum(int(each["bytes"]) for each in kept)
    for each in kept if limit_bytes else []:
        if total <= limit_bytes:
            break
        old.append(each)
        total -= int(each["bytes"])
    return [str(each["task"]) for each in old]


def near_purge(tasks: TaskFolders, *, purge_days: float, lead_days: float, now: float) -> list[str]:
    """Tasks whose files the site will soon remove because nobody touched them."""
    edge = (purge_days - lead_days) * DAY
    return [str(each["task"]) for each in usage(tasks.root) if now - float(each["modified"]) > edge]


def _is_closed(tasks: TaskFolders, task: str) -> bool:
    if tasks.is_packed(task):
        return True
    attempts = tasks.attempts(task)
    return bool(attempts) and all(attempt.is_closed for attempt in attempts)


def _measure(folder: Path, task: str) -> dict[str, Any]:
    size, modified = 0, 0.0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                facts = Path(place, name).lstat()
                size += facts.st_blocks * 512
                modified = max(modified, facts.st_mtime)
    return {"task": task, "bytes": size, "modified": modified}
