"""Metrics of MLflow: files as its file store writes them, and a database with its tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from diamond.launchers.ranks.event_files import find_event_files, kind_of
from diamond.training.mlflow_reader import read_database, read_metric_file

TABLE = """CREATE TABLE metrics (key VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL)"""


@pytest.fixture
def metric(tmp_path: Path) -> Path:
    run = tmp_path / "mlruns" / "1" / "a1"
    file = run / "metrics" / "val" / "acc"
    file.parent.mkdir(parents=True)
    (run / "meta.yaml").touch()
    file.write_text("1700000000500 0.5 0\n1700000001500 nan 1\n1700000002500 2.5 2")
    return file


def test_a_metric_is_named_by_its_path_and_its_last_line_waits_to_be_whole(metric: Path) -> None:
    rows, offset = read_metric_file(metric, 0)
    assert [(row.run, row.key, row.step) for row in rows] == [
        ("a1", "val/acc", 0),
        ("a1", "val/acc", 1),
    ]
    assert rows[0].as_line() == {"step": 0, "time": 1700000000.5, "val/acc": 0.5}
    assert rows[1].as_line()["nonfinite"] == ["val/acc"]
    with metric.open("a") as file:
        file.write("\nnonsense\n")
    assert [row.value for row in read_metric_file(metric, offset)[0]] == [2.5]
    assert [row.step for row in read_metric_file(metric, 0, since=1700000001.5)[0]] == [1, 2]


def test_only_metrics_of_a_run_are_taken_for_such(metric: Path, tmp_path: Path) -> None:
    params = metric.parents[2] / "params" / "lr"
    params.parent.mkdir()
    params.touch()
    stray = tmp_path / "metrics" / "loss.txt"
    stray.parent.mkdir()
    stray.touch()
    assert find_event_files(tmp_path) == [metric]
    assert [kind_of(each) for each in (params, stray, tmp_path / "mlflow.db")] == [
        "",
        "",
        "mlflow.db",
    ]


def test_rows_of_a_database_are_read_once_and_in_order(tmp_path: Path) -> None:
    place = tmp_path / "odd name?#" / "mlflow.db"
    place.parent.mkdir()
    database = sqlite3.connect(place)
    database.execute(TABLE)
    rows = [("loss", 1.0, 1700000000500, "a1", 0, 0), ("loss", 0, 1700000001500, "a1", 1, 1)]
    rows.append(("loss", -1.7976931348623157e308, 1700000002500, "a1", 2, 0))
    database.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", rows)
    database.commit()
    read, offset = read_database(place, 0)
    assert [row.as_line()["loss"] for row in read] == [1.0, None, None]
    assert read[2].value == float("-inf")
    assert read_database(place, offset) == ([], offset)
    database.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OSError, match="locked"):
        read_database(place, offset)


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_bytes(b"x" * 5000)
    with pytest.raises(OSError, match="not a database"):
        read_database(tmp_path / "mlflow.db", 0)
