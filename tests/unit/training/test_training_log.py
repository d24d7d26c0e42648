"""`training.log` writes whole lines, and never costs a run."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from diamond.training.metrics import LINES_PER_SECOND, Pulse, Writer, log


@pytest.fixture
def metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "metrics.jsonl"
    monkeypatch.setenv("DIAMOND_METRICS", str(path))
    for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Scalar:
    """Like a tensor or numpy number with one element."""

    def item(self) -> float:
        return 0.5


def test_a_call_is_one_line_with_step_time_and_values(metrics: Path) -> None:
    log(3, loss=0.25, correct=7, tensor=Scalar())
    (line,) = lines(metrics)
    assert line["time"] > 0
    assert (line["step"], line["loss"], line["correct"], line["tensor"]) == (3, 0.25, 7, 0.5)


def test_what_is_not_finite_is_null_and_named(metrics: Path) -> None:
    log(1, loss=float("nan"), norm=float("inf"), lr=0.1)
    (line,) = lines(metrics)
    assert (line["loss"], line["norm"], line["lr"]) == (None, None, 0.1)
    assert line["nonfinite"] == ["loss", "norm"]


def test_without_a_step_calls_are_counted(metrics: Path) -> None:
    writer = Writer()
    for step in (None, None, 10, None):
        writer.write(step, {"loss": 1}, None)
    assert [line["step"] for line in lines(metrics)] == [0, 1, 10, 11]


def test_words_are_left_out_aloud_and_the_rest_is_kept(
    metrics: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer()
    writer.write(0, {"note": "words", "time": 3, "loss": 1}, None)
    (line,) = lines(metrics)
    assert line["loss"] == 1
    assert "note" not in line
    assert "note is not a number" in capsys.readouterr().err


def test_a_rank_that_mpirun_started_in_a_slurm_job_is_not_taken_for_the_first(
    metrics: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_PROCID", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "3")
    log(0, loss=1)
    assert not metrics.exists()


def test_only_the_first_rank_is_recorded_unless_asked(
    metrics: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "2")
    log(0, loss=1)
    assert not metrics.exists()
    log(0, every_rank=True, loss=1)
    assert lines(metrics)[0]["rank"] == 2


def test_a_flood_is_thinned_aloud_and_its_last_line_is_kept(
    metrics: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer()
    for step in range(20 * LINES_PER_SECOND):
        writer.write(step, {"loss": 1}, None)
    writer.flush()
    written = lines(metrics)
    assert len(written) < 10 * LINES_PER_SECOND
    assert written[-1]["step"] == 20 * LINES_PER_SECOND - 1
    assert capsys.readouterr().err.count("left out") == 1


def test_lines_of_several_threads_do_not_mix(metrics: Path) -> None:
    writer = Writer()

    def write() -> None:
        for step in range(20):
            writer.write(step, {"value": 1.0}, None)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(metrics)) == 160


def test_outside_of_diamond_it_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DIAMOND_METRICS", raising=False)
    Writer().write(2, {"loss": 0.125}, None)
    assert capsys.readouterr().out == "step 2  loss 0.125\n"


def test_a_folder_that_cannot_be_written_is_told_and_not_raised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DIAMOND_METRICS", f"{os.devnull}/metrics.jsonl")
    Writer().write(0, {"loss": 1}, None)
    assert "cannot be written" in capsys.readouterr().err


def test_every_rank_tells_its_launcher_how_far_it_is(
    metrics: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("DIAMOND_STEP_FILE", str(tmp_path / "3.step"))
    pulse = Pulse()
    pulse.step(7)
    pulse.step(8)
    assert (tmp_path / "3.step").read_text() == "7\n"
    log(1, loss=0.5)
    assert not metrics.exists()
