"""What a job has given is found; what it has not is said in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diamond import training
from diamond.core.task import CONTINUE_EXIT_CODE
from diamond.training.context import _StopFlag


@pytest.fixture(autouse=True)
def outside_of_diamond(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("RUN_DIR", "PARAMS", "DATA", "SECRETS", "RESUME_FROM", "DEADLINE", "STOP_FILE")
    for name in names:
        monkeypatch.delenv(f"DIAMOND_{name}", raising=False)


def test_outside_of_diamond_nothing_is_given() -> None:
    assert training.run_dir() == Path.cwd()
    assert training.params() == {}
    assert training.resume_from() is None
    assert training.deadline() is None
    assert not _StopFlag().is_up()


def test_inside_a_job_everything_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "params.json").write_text(json.dumps({"lr": 0.1}))
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "HF_TOKEN").write_text("hush\n")
    (tmp_path / "data" / "era5").mkdir(parents=True)
    monkeypatch.setenv("DIAMOND_RUN_DIR", str(tmp_path))
    monkeypatch.setenv("DIAMOND_PARAMS", str(tmp_path / "params.json"))
    monkeypatch.setenv("DIAMOND_SECRETS", str(tmp_path / "secrets"))
    monkeypatch.setenv("DIAMOND_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("DIAMOND_RESUME_FROM", "ckpt/3.pt")
    monkeypatch.setenv("DIAMOND_DEADLINE", "1700000000")
    assert training.run_dir() == tmp_path
    assert training.params() == {"lr": 0.1}
    assert training.secret("HF_TOKEN") == "hush"
    assert training.data("era5") == tmp_path / "data" / "era5"
    assert training.resume_from() == Path("ckpt/3.pt")
    assert training.deadline() == 1700000000.0


def test_a_missing_name_is_answered_with_the_next_step() -> None:
    with pytest.raises(training.NotGiven, match="`data:`"):
        training.data("nowhere")
    with pytest.raises(training.NotGiven, match="diamond secret set NO_SUCH_SECRET"):
        training.secret("NO_SUCH_SECRET")


def test_the_stop_flag_stays_up_once_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = tmp_path / "stop"
    stop.touch()
    monkeypatch.setenv("DIAMOND_STOP_FILE", str(stop))
    flag = _StopFlag()
    assert flag.is_up()
    stop.unlink()
    assert flag.is_up()


def test_the_code_that_asks_to_be_continued_is_one_and_the_same() -> None:
    assert training.CONTINUE == CONTINUE_EXIT_CODE
