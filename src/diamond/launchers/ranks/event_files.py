"""The files in which a run logs with TensorBoard, W&B or MLflow: where they are, and whether they grow."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Iterable, List, Optional, Sequence, Tuple

MAX_DEPTH, MAX_FOLDERS = 5, 500
TENSORBOARD, WANDB, MLFLOW_FILE, MLFLOW_DATABASE = "tensorboard", "wandb", "mlflow", "mlflow.db"
MOST_FILES = 64
LOOKS_BETWEEN_WALKS = 6
"""For files that are known their size is asked at each look; walking through folders costs a shared file system more."""
SHARE_OF_TIME = 100.0
"""A walk that took a second is not repeated for so many."""


class EventFiles:
    """The event files of one run, checked now and then."""

    def __init__(self, run_dir: Path, started: Path) -> None:
        self._run_dir, self._started = run_dir, started
        self._files: List[Path] = []
        self._looks, self._rest_until = 0, 0.0

    def sizes(self, now: float) -> Optional[Sequence[Tuple[str, int]]]:
        """Something that changes as they grow; None while there are none."""
        if self._looks <= 0 and now >= self._rest_until:
            self._walk(now)
            self._looks = LOOKS_BETWEEN_WALKS
        self._looks -= 1
        return [(str(file), size_of(file)) for file in self._files] or None

    def _walk(self, now: float) -> None:
        begun = time.monotonic()
        event_files = written_since(self._started, find_event_files(self._run_dir))
        newest = sorted(event_files, key=lambda file: _modified(file) or 0.0)[-MOST_FILES:]
        self._files = sorted(newest)
        self._rest_until = now + SHARE_OF_TIME * (time.monotonic() - begun)


def written_since(start: Path, files: Iterable[Path]) -> List[Path]:
    """Those that the run itself wrote: event files may also have come with the code, or from an earlier attempt."""
    since = _modified(start) or 0.0
    return [file for file in files if (_modified(file) or 0.0) >= since]


def find_event_files(run_dir: Path) -> List[Path]:
    """Such files in the run directory, within a bounded walk."""
    event_files, pending, seen = [], [(run_dir, 0)], 0
    while pending and seen < MAX_FOLDERS:
        folder, depth = pending.pop()
        seen += 1
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH and not entry.name.startswith("."):
                    pending.append((Path(entry.path), depth + 1))
            elif kind_of(Path(entry.path)):
                event_files.append(Path(entry.path))
    return sorted(event_files)


def kind_of(file: Path) -> str:
    """What wrote it, by its name and place; '' if it is none of these."""
    if "tfevents" in file.name:
        return TENSORBOARD
    if file.name.startswith("run-") and file.suffix == ".wandb":
        return WANDB
    if file.name == "mlflow.db":
        return MLFLOW_DATABASE
    return MLFLOW_FILE if _is_mlflow_metric(file) else ""


def _is_mlflow_metric(file: Path) -> bool:
    """`mlruns/<experiment>/<run>/metrics/<name>`; a name may have slashes."""
    for folder in file.parents:
        if folder.name == "metrics":
            return (folder.parent / "meta.yaml").is_file()
        if folder.name in ("mlruns", ""):
            return False
    return False


def size_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _modified(file: Path) -> Optional[float]:
    try:
        return file.stat().st_mtime
    except OSError:
        return None
