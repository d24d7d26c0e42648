"""Runs of MLflow: folders, database or server."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from diamond.core.errors import BadRequest
from diamond.sdk.importing.runs import ForeignRun, Point
from diamond.training.mlflow_reader import query_database, read_metric_file

STATES = {
    "FINISHED": "succeeded",
    "FAILED": "failed",
    "KILLED": "cancelled",
    "RUNNING": "running",
    "SCHEDULED": "running",
}
NUMBERED = {"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}
"""The file store writes the number of a status."""
INFINITE = 1.7976931348623157e308
SECONDS = 60.0
AT_ONCE = 1000


def mlflow_folder(folder: Path) -> Iterator[ForeignRun]:
    """`mlruns/<experiment>/<run>/{meta.yaml,params,metrics,tags}`."""
    for meta in sorted(folder.glob("*/*/meta.yaml")):
        place = meta.parent
        if (place / "metrics").exists() or (place / "params").exists():
            experiment = _flat_yaml(place.parent / "meta.yaml").get("name", place.parent.name)
            yield _folder_run(place, _flat_yaml(meta), experiment)


def _folder_run(place: Path, meta: Mapping[str, str], experiment: str) -> ForeignRun:
    tags = {file.name: file.read_text(errors="replace") for file in _files(place / "tags")}
    status = meta.get("status", "")
    metrics = place / "metrics"
    return ForeignRun(
        source="mlflow",
        key=meta.get("run_id") or meta.get("run_uuid") or place.name,
        name=meta.get("run_name") or tags.get("mlflow.runName", ""),
        experiment=experiment,
        state=STATES.get(NUMBERED.get(status, status), "succeeded"),
        created=_seconds(meta.get("start_time")) or 0.0,
        started=_seconds(meta.get("start_time")),
        ended=_seconds(meta.get("end_time")),
        params={
            str(file.relative_to(place / "params")): file.read_text(errors="replace")
            for file in _files(place / "params")
        },
        tags=_tags(tags),
        commit=tags.get("mlflow.source.git.commit", ""),
        curves={str(file.relative_to(metrics)): _curve(file) for file in _files(metrics)},
    )


def _curve(file: Path) -> list[Point]:
    points: list[Point] = []
    offset, before = 0, -1
    while offset != before:
        before = offset
        rows, offset = read_metric_file(file, offset)
        points += [(row.step, row.milliseconds / 1000, row.value) for row in rows]
    return points


def _files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.is_symlink()]


def _flat_yaml(file: Path) -> dict[str, str]:
    """MLflow writes one plain value a line."""
    if not file.is_file():
        return {}
    pairs = (line.partition(":") for line in file.read_text(errors="replace").splitlines())
    return {name.strip(): value.strip().strip("'\"") for name, colon, value in pairs if colon}


def mlflow_database(path: Path) -> Iterator[ForeignRun]:
    """Read-only, also while MLflow uses it."""
    try:
        runs = query_database(
            path,
            "SELECT runs.run_uuid, runs.name, runs.status, runs.start_time, runs.end_time, experiments.name"
            " FROM runs LEFT JOIN experiments ON experiments.experiment_id = runs.experiment_id"
            " WHERE runs.lifecycle_stage = 'active' ORDER BY runs.start_time",
        )
    except OSError as error:
        raise BadRequest(f"{path} cannot be read as a database of MLflow: {error}") from None
    for key, name, status, started, ended, experiment in runs:
        tags = dict(query_database(path, "SELECT key, value FROM tags WHERE run_uuid = ?", [key]))
        params = query_database(path, "SELECT key, value FROM params WHERE run_uuid = ?", [key])
        yield ForeignRun(
            source="mlflow",
            key=str(key),
            name=str(name or tags.get("mlflow.runName") or ""),
            experiment=str(experiment or ""),
            state=STATES.get(str(status), "succeeded"),
            created=_seconds(started) or 0.0,
            started=_seconds(started),
            ended=_seconds(ended),
            params=dict(params),
            tags=_tags(tags),
            commit=str(tags.get("mlflow.source.git.commit") or ""),
            curves=_database_curves(path, str(key)),
        )


def _database_curves(path: Path, run: str) -> dict[str, list[Point]]:
    curves: dict[str, list[Point]] = {}
    query = (
        "SELECT key, step, timestamp, value, is_nan FROM metrics WHERE run_uuid = ?"
        " ORDER BY key, step, timestamp"
    )
    for key, step, at, value, is_nan in query_database(path, query, [run]):
        known = None if is_nan or abs(value) >= INFINITE else float(value)
        curves.setdefault(str(key), []).append((float(step), at / 1000, known))
    return curves


def mlflow_server(address: str) -> Iterator[ForeignRun]:
    """By MLflow's own REST API; a token from MLFLOW_TRACKING_TOKEN."""
    base = address.rstrip("/")
    experiments = _pages(base, "experiments/search", {"max_results": AT_ONCE}, "experiments")
    for experiment in experiments:
        query = {"experiment_ids": [experiment["experiment_id"]], "max_results": AT_ONCE}
        for run in _pages(base, "runs/search", query, "runs"):
            yield _server_run(base, run, str(experiment.get("name", "")))


def _server_run(base: str, run: Mapping[str, Any], experiment: str) -> ForeignRun:
    info, data = run["info"], run.get("data", {})
    tags = {each["key"]: each["value"] for each in data.get("tags", [])}
    key = str(info.get("run_id") or info.get("run_uuid"))
    return ForeignRun(
        source="mlflow",
        key=key,
        name=str(info.get("run_name") or tags.get("mlflow.runName") or ""),
        experiment=experiment,
        state=STATES.get(str(info.get("status")), "succeeded"),
        created=_seconds(info.get("start_time")) or 0.0,
        started=_seconds(info.get("start_time")),
        ended=_seconds(info.get("end_time")),
        params={each["key"]: each["value"] for each in data.get("params", [])},
        tags=_tags(tags),
        commit=str(tags.get("mlflow.source.git.commit") or ""),
        curves={
            str(each["key"]): _server_curve(base, key, str(each["key"]))
            for each in data.get("metrics", [])
        },
    )


def _server_curve(base: str, run: str, metric: str) -> list[Point]:
    query = f"run_id={run}&metric_key={urllib.parse.quote(metric, safe='')}&max_results=20000"
    found = _ask(f"{base}/api/2.0/mlflow/metrics/get-history?{query}")
    return [
        (float(each.get("step", 0)), int(each["timestamp"]) / 1000, _number(each["value"]))
        for each in found.get("metrics", [])
    ]


def _pages(base: str, call: str, query: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    token = ""
    while True:
        body = {**query, **({"page_token": token} if token else {})}
        found = _ask(f"{base}/api/2.0/mlflow/{call}", body)
        yield from found.get(name, [])
        token = found.get("next_page_token", "")
        if not token:
            return


def _ask(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("MLFLOW_TRACKING_TOKEN", ""):
        headers["Authorization"] = f"Bearer {token}"
    data = json.dumps(body).encode() if body is not None else None
    try:
        request = urllib.request.Request(url, data, headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return dict(json.loads(answer.read()))
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise BadRequest(
            f"The MLflow server does not answer as one: {error}", "Is the address right?"
        ) from None


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if abs(number) < INFINITE else None


def _seconds(milliseconds: Any) -> float | None:
    try:
        return int(milliseconds) / 1000
    except (TypeError, ValueError):
        return None


def _tags(tags: Mapping[str, Any]) -> list[str]:
    """Those that people set; MLflow's own begin with `mlflow.`."""
    return [f"{name}={value}" for name, value in tags.items() if not name.startswith("mlflow.")]
