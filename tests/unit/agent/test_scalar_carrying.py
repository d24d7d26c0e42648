"""Scalars of event files are carried exactly once, also after a crash half-way."""

from __future__ import annotations

import json
import os
from pathlib import Path

from diamond.agent.disk import write_json
from diamond.agent.output.scalars import append_scalars
from diamond.launchers.ranks.event_files import find_event_files, written_since
from diamond.training.tensorboard_reader import read_scalars

FIXTURES = Path(__file__).parent.parent / "training"


def event_file(folder: Path) -> Path:
    recorded = FIXTURES / "events" / "torch.tfevents"
    target = folder / "run" / "logs" / recorded.name
    target.parent.mkdir(parents=True)
    target.write_bytes(recorded.read_bytes())
    return target


def test_event_files_are_found_below_the_run_directory(tmp_path: Path) -> None:
    file = event_file(tmp_path)
    (tmp_path / "run" / "logs" / "elsewhere").symlink_to("/")
    assert find_event_files(tmp_path / "run") == [file]


def test_what_came_with_the_code_is_none_of_the_runs_own(tmp_path: Path) -> None:
    file, started = event_file(tmp_path), tmp_path / "started"
    started.touch()
    os.utime(file, (1000, 1000))
    assert written_since(started, [file, tmp_path / "gone"]) == []
    file.touch()
    assert written_since(started, [file]) == [file]


def test_looking_again_appends_nothing(tmp_path: Path) -> None:
    file = event_file(tmp_path)
    append_scalars(file, tmp_path)
    once = (tmp_path / "tensorboard.jsonl").read_bytes()
    append_scalars(file, tmp_path)
    assert (tmp_path / "tensorboard.jsonl").read_bytes() == once
    points, _ = read_scalars(file, 0)
    assert [json.loads(line) for line in once.splitlines()] == points


def test_a_batch_cut_off_in_the_middle_is_completed_not_repeated(tmp_path: Path) -> None:
    file = event_file(tmp_path)
    append_scalars(file, tmp_path)
    whole = (tmp_path / "tensorboard.jsonl").read_bytes()
    (tmp_path / "tensorboard.jsonl").write_bytes(whole[: len(whole) // 2])
    write_json(tmp_path / "tensorboard.state", {"size": 0, "offsets": {}, "file": str(file)})
    append_scalars(file, tmp_path)
    assert (tmp_path / "tensorboard.jsonl").read_bytes() == whole


def test_a_name_that_two_loggers_use_is_drawn_once(tmp_path: Path) -> None:
    """A script may log the same to TensorBoard and W&B; both would make one curve that jumps back."""
    board = event_file(tmp_path)
    wandb = board.with_name("run-offline.wandb")
    wandb.write_bytes((FIXTURES / "events" / "run-offline.wandb").read_bytes())
    append_scalars(wandb, tmp_path)
    append_scalars(board, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "tensorboard.jsonl").read_text().splitlines()]
    points, _ = read_scalars(board, 0)
    assert any("loss" in point for point in points)
    assert sum("loss" in line for line in lines) == 60
    names = {name for line in lines for name in line}
    assert names >= {name for point in points for name in point}


def test_what_an_earlier_attempt_left_in_a_store_is_not_read_again(tmp_path: Path) -> None:
    run = tmp_path / "run" / "mlruns" / "1" / "a1"
    file = run / "metrics" / "loss"
    file.parent.mkdir(parents=True)
    (run / "meta.yaml").touch()
    file.write_text("1700000000500 0.5 0\n1700000009500 0.4 1\n")
    (tmp_path / "started").write_text("7 0 node 1700000005 60\n")
    append_scalars(file, tmp_path)
    assert '"step": 1' in (tmp_path / "tensorboard.jsonl").read_text()
    assert '"step": 0' not in (tmp_path / "tensorboard.jsonl").read_text()
