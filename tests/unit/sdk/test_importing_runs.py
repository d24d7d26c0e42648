"""Runs of other tools, read from files as these write them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.sdk.importing import read_runs
from diamond.sdk.importing.runs import MOST_POINTS, ForeignRun, number_or_text, thinned
from support.small_server import Reply, Request, serving

RECORDED = Path(__file__).parents[1] / "training" / "events" / "run-offline.wandb"


def mlruns(folder: Path) -> Path:
    place = folder / "mlruns" / "123" / "abc"
    for name in ("metrics", "params", "tags"):
        (place / name).mkdir(parents=True)
    (place.parent / "meta.yaml").write_text("experiment_id: '123'\nname: digits\n")
    (place / "meta.yaml").write_text(
        "run_id: abc\nrun_name: brave-owl\nstart_time: 1000\nend_time: 61000\nstatus: 3\n"
    )
    (place / "params" / "lr").write_text("0.1")
    (place / "tags" / "mlflow.user").write_text("ada")
    (place / "tags" / "team").write_text("blue")
    (place / "tags" / "mlflow.source.git.commit").write_text("c0ffee")
    (place / "metrics" / "val").mkdir()
    (place / "metrics" / "val" / "loss").write_text("1000 0.5 0\n2000 nan 1\n3000 0.25 2\n")
    return folder / "mlruns"


def only(source: object) -> ForeignRun:
    (run,) = read_runs(str(source))
    return run


def test_a_folder_of_mlflow(tmp_path: Path) -> None:
    run = only(mlruns(tmp_path))
    assert (run.key, run.name, run.experiment, run.state) == (
        "abc",
        "brave-owl",
        "digits",
        "succeeded",
    )
    assert (run.started, run.ended, run.commit) == (1.0, 61.0, "c0ffee")
    assert run.tags == ["team=blue"]
    body = run.as_body("group")
    assert body["params"] == {"lr": 0.1} and body["project"] == "group"
    assert body["curves"] == {"val/loss": [[0, 1.0, 0.5], [1, 2.0, None], [2, 3.0, 0.25]]}
    assert only(tmp_path).as_body() == run.as_body()  # the folder above it will do


def test_a_database_of_mlflow(tmp_path: Path) -> None:
    database = tmp_path / "mlflow.db"
    with sqlite3.connect(database) as connection:
        connection.executescript(
            "CREATE TABLE experiments (experiment_id INTEGER, name TEXT);"
            "CREATE TABLE runs (run_uuid TEXT, name TEXT, status TEXT, start_time INTEGER, end_time INTEGER,"
            " experiment_id INTEGER, lifecycle_stage TEXT);"
            "CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);"
            "CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT);"
            "CREATE TABLE metrics (key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, step INTEGER, is_nan INTEGER);"
            "INSERT INTO experiments VALUES (1, 'digits');"
            "INSERT INTO runs VALUES ('r1', 'owl', 'FAILED', 1000, 2000, 1, 'active');"
            "INSERT INTO runs VALUES ('r2', 'gone', 'FINISHED', 1000, 2000, 1, 'deleted');"
            "INSERT INTO params VALUES ('lr', '0.5', 'r1');"
            "INSERT INTO metrics VALUES ('loss', 0.5, 1000, 'r1', 1, 0);"
            "INSERT INTO metrics VALUES ('loss', 0, 1000, 'r1', 2, 1);"
        )
    connection.close()
    run = only(database)
    assert (run.key, run.state, run.params) == ("r1", "failed", {"lr": "0.5"})
    assert run.curves == {"loss": [(1.0, 1.0, 0.5), (2.0, 1.0, None)]}


def answer(request: Request) -> Reply:
    """As an MLflow server answers."""
    if request.method == "GET":
        assert request.query["metric_key"] == ["a b"]
        return _reply({"metrics": [{"step": 1, "timestamp": "1000", "value": 0.5}]})
    if request.path.endswith("experiments/search"):
        return _reply({"experiments": [{"experiment_id": "1", "name": "digits"}]})
    query = json.loads(request.body)
    run = {
        "info": {"run_id": f"r{query.get('page_token', '1')}", "status": "FINISHED"},
        "data": {"metrics": [{"key": "a b"}], "params": [{"key": "lr", "value": "1"}]},
    }
    more = {} if "page_token" in query else {"next_page_token": "2"}
    return _reply({"runs": [run], **more})


def _reply(data: dict[str, Any]) -> Reply:
    return Reply(json.dumps(data).encode())


def test_a_server_of_mlflow_is_read_page_by_page() -> None:
    with serving(answer) as server:
        runs = list(read_runs(server.url))
    assert [run.key for run in runs] == ["r1", "r2"]
    assert runs[0].curves == {"a b": [(1.0, 1.0, 0.5)]}


def test_the_configuration_that_wandb_wrote_into_its_own_file(tmp_path: Path) -> None:
    shutil.copy(RECORDED, tmp_path / "run-x1y2.wandb")
    run = only(tmp_path)
    assert (run.params, run.experiment) == ({"lr": 0.1}, "p")


def test_a_folder_of_wandb(tmp_path: Path) -> None:
    place = tmp_path / "wandb" / "offline-run-20260102_030405-x1y2"
    (place / "files").mkdir(parents=True)
    shutil.copy(RECORDED, place / "run-x1y2.wandb")
    (place / "files" / "config.yaml").write_text("lr:\n  value: 0.1\n_wandb:\n  value: {}\n")
    run = only(tmp_path)
    assert (run.source, run.key, run.params) == ("wandb", "x1y2", {"lr": 0.1})
    assert run.curves and all(points for points in run.curves.values())


@pytest.mark.parametrize("source", ["/nowhere", "nothing.db"])
def test_what_is_no_store_is_named_with_what_would_be(source: str) -> None:
    with pytest.raises(BadRequest) as error:
        list(read_runs(source))
    assert "mlruns" in error.value.hint


def test_an_empty_folder_has_no_runs(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="has no runs of MLflow or W&B"):
        read_runs(str(tmp_path))


def test_a_long_curve_is_thinned_and_keeps_its_end() -> None:
    points = [(float(n), None, float(n)) for n in range(5 * MOST_POINTS + 3)]
    kept = thinned(points)
    assert len(kept) <= MOST_POINTS + 1
    assert kept[0][0] == 0 and kept[-1][0] == 5 * MOST_POINTS + 2


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.10", 0.1), ("7", 7.0), ("adam", "adam"), ("nan", "nan"), (True, True), (None, None)],
)
def test_a_parameter_that_looks_like_a_number_is_one(text: Any, value: Any) -> None:
    assert number_or_text(text) == value
