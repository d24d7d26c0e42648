"""Runs in an MLflow store below a run directory: folders, or the database `mlflow.db`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.launchers.ranks.event_files import MLFLOW_DATABASE, MLFLOW_FILE, kind_of
from diamond.training.mlflow_reader import (
    MetricRow,
    query_database,
    read_database,
    read_metric_file,
)

RUN = (
    "SELECT runs.run_uuid, runs.name, experiments.name, runs.status, runs.start_time, runs.end_time"
    " FROM runs JOIN experiments ON experiments.experiment_id = runs.experiment_id WHERE runs.run_uuid = ?"
)
STATUS = {"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}
"""The file store writes the number of a status."""
OPEN = ("RUNNING", "SCHEDULED")
MOST_BYTES = 8000
"""The longest value of a parameter or tag that MLflow's own database takes."""


@dataclass(frozen=True)
class StoredRun:
    id: str
    name: str
    experiment: str
    status: str
    started: int
    """In milliseconds, as MLflow has it."""
    ended: int | None = None
    params: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        return self.status in OPEN


def new_rows(file: Path, offset: int) -> tuple[list[MetricRow], int]:
    """Raises `OSError`."""
    if kind_of(file) == MLFLOW_DATABASE:
        return read_database(file, offset)
    return read_metric_file(file, offset)


def find_run(file: Path, run: str) -> StoredRun:
    """The run whose metrics the file has. Raises `OSError`, `ValueError`."""
    return _from_database(file, run) if kind_of(file) == MLFLOW_DATABASE else _from_folder(file)


def is_store(file: Path) -> bool:
    return kind_of(file) in (MLFLOW_DATABASE, MLFLOW_FILE)


def _from_database(file: Path, run: str) -> StoredRun:
    rows = query_database(file, RUN, (run,))
    if not rows:
        raise ValueError(f"there is no run {run}")
    found, name, experiment, status, started, ended = rows[0]
    pairs = "SELECT key, value FROM {} WHERE run_uuid = ?"
    return StoredRun(
        id=str(found),
        name=str(name or ""),
        experiment=str(experiment),
        status=str(status),
        started=int(started or 0),
        ended=_whole(ended),
        params={str(k): str(v) for k, v in query_database(file, pairs.format("params"), (run,))},
        tags={str(k): str(v) for k, v in query_database(file, pairs.format("tags"), (run,))},
    )


def _from_folder(metric: Path) -> StoredRun:
    folder = next(each.parent for each in metric.parents if each.name == "metrics")
    about, above = _meta(folder / "meta.yaml"), _meta(folder.parent / "meta.yaml")
    return StoredRun(
        id=folder.name,
        name=about.get("run_name", ""),
        experiment=above.get("name", folder.parent.name),
        status=STATUS.get(about.get("status", ""), "RUNNING"),
        started=_whole(about.get("start_time")) or 0,
        ended=_whole(about.get("end_time")),
        params=_values(folder / "params"),
        tags=_values(folder / "tags"),
    )


def _meta(file: Path) -> dict[str, str]:
    """MLflow writes one plain `key: value` on each line."""
    lines = (line.partition(":") for line in file.read_text(errors="replace").splitlines())
    return {key.strip(): value.strip().strip("'\"") for key, _, value in lines}


def _values(folder: Path) -> dict[str, str]:
    files = sorted(each for each in folder.rglob("*") if each.is_file()) if folder.is_dir() else []
    return {
        each.relative_to(folder).as_posix(): each.read_text(errors="replace")[:MOST_BYTES]
        for each in files
    }


def _whole(value: Any) -> int | None:
    text = str(value)
    return int(text) if text.isdigit() else None
