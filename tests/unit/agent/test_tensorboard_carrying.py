"""Scalars of event files are carried exactly once, also after a crash half-way."""

from __future__ import annotations

import json
import os
from pathlib import Path

from diamond.agent.disk import write_json
from diamond.agent.output.tensorboard import append_scalars
from diamond.launchers.ranks.event_files import find_event_files, written_since
from diamond.training.tensorboard_reader import read_scalars

FIXTURES = Path(__file__).parent.parent / "training"


def event_file(folder: Path) -> Path:
    recorded = next(file for file in FIXTURES.rglob("*") if "tfevents" in file.name)
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
