"""Curves of an unmodified script: what it logs with TensorBoard, W&B or MLflow, sent as one more stream."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.agent.disk import read_json, read_words, write_json
from diamond.agent.tasks.folders import AttemptFolder
from diamond.launchers.ranks.event_files import (
    MLFLOW_DATABASE,
    MLFLOW_FILE,
    WANDB,
    find_event_files,
    kind_of,
    written_since,
)
from diamond.training.mlflow_reader import read_database, read_metric_file
from diamond.training.tensorboard_reader import read_scalars
from diamond.training.wandb_reader import read_wandb

log = logging.getLogger(__name__)

LOOK_SECONDS = 15.0
MOST_NAMES = 5_000
RESERVED = frozenset({"step", "time", "nonfinite"})


@dataclass
class Scalars:
    """Checks run directories now and then."""

    _looked_at: float = field(default_factory=time.monotonic)
    _ended: set[str] = field(default_factory=set)

    def is_due(self) -> bool:
        """Whether it is time for the next check; then it counts as made."""
        if time.monotonic() - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = time.monotonic()
        return True

    def finish(self, folder: AttemptFolder, newest_run: int) -> bool:
        """A last look when a run has ended; False if it was made before."""
        run = f"{folder.attempt}.{newest_run}"
        if run in self._ended:
            return False
        self._ended.add(run)
        self.append_new(folder, newest_run)
        return True

    def append_new(self, folder: AttemptFolder, run: int) -> None:
        """Append what is new in the event files to the run's `tensorboard.jsonl`."""
        target = folder.run_folder(run)
        interrupted = (read_json(target / "tensorboard.state") or {}).get("file")
        files = written_since(target / "started", find_event_files(folder.run_dir))
        for file in sorted(files, key=lambda file: str(file) != interrupted):
            try:
                append_scalars(file, target)
            except OSError as error:
                log.warning("%s: %s", file, error)


def append_scalars(file: Path, target: Path) -> None:
    """Exactly once, also after a crash: the state says where a batch began, and reading it again gives the same lines."""
    state_file, lines_file = target / "tensorboard.state", target / "tensorboard.jsonl"
    state = read_json(state_file) or {"size": 0, "offsets": {}}
    size = lines_file.stat().st_size if lines_file.exists() else 0
    offsets = dict(state["offsets"])
    before = int(offsets.get(str(file), 0))
    points, offset = read_points(file, before, since=_started(target))
    if offset == before:
        return
    owners = dict(state.get("owners") or {})
    points = _own(points, kind_of(file), owners)
    lines = b"".join(json.dumps(point).encode() + b"\n" for point in points)
    already = max(0, size - int(state["size"])) if state.get("file") == str(file) else 0
    start = size - already
    known = {"offsets": offsets, "owners": owners}
    write_json(state_file, {**known, "size": start, "file": str(file)})
    with lines_file.open("ab") as stream:
        stream.write(lines[already:])
    offsets[str(file)] = offset
    write_json(state_file, {**known, "size": start + len(lines)})


def read_points(file: Path, offset: int, *, since: float = 0.0) -> tuple[list[dict[str, Any]], int]:
    """What a file has after `offset`, as lines of metrics.jsonl. A store of MLflow may hold earlier attempts: only what is
    newer than `since`, on the same node's clock, is of this run.
    """
    kind = kind_of(file)
    if kind == WANDB:
        return read_wandb(file, offset)
    if kind in (MLFLOW_FILE, MLFLOW_DATABASE):
        read = read_database if kind == MLFLOW_DATABASE else read_metric_file
        rows, offset = read(file, offset, since)
        return [row.as_line() for row in rows], offset
    return read_scalars(file, offset)


def _started(run_folder: Path) -> float:
    """When the run began, as its node wrote it; in whole seconds."""
    words = read_words(run_folder / "started")
    return float(words[3]) if len(words) > 3 and words[3].isdigit() else 0.0


def _own(points: list[dict[str, Any]], kind: str, owners: dict[str, str]) -> list[dict[str, Any]]:
    """Without what another kind of file has logged under the same name: a script may log to several, and a curve is drawn once."""
    kept = []
    for point in points:
        names = [name for name in point if name not in RESERVED]
        for name in names if len(owners) < MOST_NAMES else ():
            owners.setdefault(name, kind)
        line = {
            key: point[key] for key in point if key in RESERVED or owners.get(key, kind) == kind
        }
        if "nonfinite" in line:
            line["nonfinite"] = [name for name in line["nonfinite"] if name in line]
        if any(name in line for name in names):
            kept.append(line)
    return kept
