"""Asks a pilot on this machine to finish what it has begun and go."""

from __future__ import annotations

import os

from diamond.agent.folders import safe_id
from diamond.agent.tasks.folders import TaskFolders

LINE = b'{"close":{}}\n'


def ask_to_close(tasks: TaskFolders, task: str) -> None:
    """One more line of its requests. Asking twice, or when it is gone, is fine."""
    run = tasks.root / safe_id(task) / "run"
    if not run.is_dir():
        return
    folder = run / "pilot"
    folder.mkdir(mode=0o700, exist_ok=True)
    file = os.open(folder / "requests.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, LINE)
    finally:
        os.close(file)
