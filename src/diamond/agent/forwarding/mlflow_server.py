"""MLflow's REST API, as far as forwarding needs it."""

from __future__ import annotations

import base64
import json
import math
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from diamond.agent.forwarding.mlflow_store import StoredRun
from diamond.agent.forwarding.target import ForwardFailed, Target
from diamond.training.mlflow_reader import MetricRow

SECONDS = 30.0
MOST_METRICS, MOST_PAIRS = 1000, 100
"""The most that MLflow takes in one call."""
SOURCE_TAG = "diamond.source_run"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the password to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class MlflowServer:
    """Every call may be repeated: a run is found again by its tag, and MLflow drops values that it already has."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._opener = urllib.request.build_opener(_NoRedirect)

    def run_for(self, run: StoredRun, tags: Mapping[str, str]) -> str:
        """The id there of a run here; created if it is new."""
        experiment = self._experiment(run.experiment)
        wanted = {"experiment_ids": [experiment], "max_results": 1}
        found = self._call(
            "runs/search", {**wanted, "filter": f"tags.`{SOURCE_TAG}` = '{run.id}'"}
        ).get("runs")
        if found:
            return str(found[0]["info"]["run_id"])
        kept = {key: run.tags[key] for key in run.tags if not key.startswith("mlflow.")}
        made = self._call(
            "runs/create",
            {
                "experiment_id": experiment,
                "run_name": run.name,
                "start_time": run.started,
                "tags": _pairs({**kept, **tags, SOURCE_TAG: run.id}),
            },
        )
        return str(made["run"]["info"]["run_id"])

    def log(self, run: str, rows: Sequence[MetricRow], params: Mapping[str, str]) -> None:
        for part in _parts(_pairs(params), MOST_PAIRS):
            self._call("runs/log-batch", {"run_id": run, "params": part})
        for part in _parts([_metric(row) for row in rows], MOST_METRICS):
            self._call("runs/log-batch", {"run_id": run, "metrics": part})

    def end(self, run: str, stored: StoredRun) -> None:
        about = {"run_id": run, "status": stored.status, "end_time": stored.ended}
        self._call("runs/update", {key: value for key, value in about.items() if value})

    def _experiment(self, name: str) -> str:
        try:
            found = self._call(f"experiments/get-by-name?experiment_name={quote(name, safe='')}")
            return str(found["experiment"]["experiment_id"])
        except ForwardFailed as error:
            if error.status != 404:
                raise
        return str(self._call("experiments/create", {"name": name})["experiment_id"])

    def _call(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self._target.url}/api/2.0/mlflow/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **self._authorization()},
        )
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                said = json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            message = error.read(300).decode(errors="replace")
            raise ForwardFailed(
                f"{self._target.host} said {error.code}: {message}", error.code
            ) from None
        except (OSError, ValueError) as error:
            raise ForwardFailed(f"{self._target.host} did not answer: {error}") from None
        return said if isinstance(said, dict) else {}

    def _authorization(self) -> dict[str, str]:
        user, password = self._target.user, self._target.password
        if user:
            both = base64.b64encode(f"{user}:{password}".encode()).decode()
            return {"Authorization": f"Basic {both}"}
        return {"Authorization": f"Bearer {password}"} if password else {}


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in values.items()]


def _metric(row: MetricRow) -> dict[str, Any]:
    """JSON has no NaN: MLflow reads it as a text."""
    value = row.value if math.isfinite(row.value) else _odd(row.value)
    return {"key": row.key, "value": value, "timestamp": row.milliseconds, "step": row.step}


def _odd(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _parts(items: Sequence[Any], most: int) -> Iterable[Sequence[Any]]:
    return (items[start : start + most] for start in range(0, len(items), most))
