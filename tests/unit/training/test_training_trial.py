"""A program that names its own space gets the study's values, and draws those that are new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diamond import training
from diamond.core.facts import read_facts


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "params.json").write_text(json.dumps({"lr": 0.01, "width": 99}))
    monkeypatch.setenv("DIAMOND_PARAMS", str(tmp_path / "params.json"))
    monkeypatch.setenv("DIAMOND_METRICS", str(tmp_path / "metrics.jsonl"))
    monkeypatch.setenv("DIAMOND_TASK", "t1")
    return tmp_path


def test_known_names_come_from_the_study_and_new_ones_are_reported(job: Path) -> None:
    trial = training.trial("accuracy")
    assert trial.suggest_float("lr", 1e-5, 1e-1, log=True) == 0.01
    depth = trial.suggest_int("depth", 2, 8, step=2)
    width = trial.suggest_categorical("width", [32, 64])
    assert depth in (2, 4, 6, 8) and width in (32, 64), "99 is not one of the choices"
    assert trial.params == {"lr": 0.01, "depth": depth, "width": width}
    facts = read_facts((job / "facts.jsonl").read_bytes().splitlines()[-1])
    assert facts is not None
    assert [(each.name, each.value) for each in facts.suggested] == [
        ("depth", depth),
        ("width", width),
    ]


def test_all_ranks_and_attempts_draw_the_same_value(job: Path) -> None:
    first = training.trial().suggest_float("x", 0, 1)
    assert training.trial().suggest_float("x", 0, 1) == first


def test_reports_are_values_of_the_objective(job: Path) -> None:
    trial = training.trial("accuracy")
    trial.report(0.5, 1)
    assert json.loads((job / "metrics.jsonl").read_text().splitlines()[0])["accuracy"] == 0.5
    assert trial.should_prune() is False
