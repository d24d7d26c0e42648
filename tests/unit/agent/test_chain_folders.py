"""What the agent keeps of a chain in the task's folder, and reads again after a restart."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from diamond.agent.folders import Folders
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.machine.state import Standing
from diamond.agent.tasks.progress import reached_by
from diamond.agent.tasks.takeover import home_of, take_over
from diamond.core.errors import NotFound
from diamond.core.task import Reached

ORDER = {"name": "x", "resume": {"on": ["exit-75"], "pattern": "ckpt/*.pt"}}


@pytest.fixture
def tasks(tmp_path: Path) -> TaskFolders:
    folders = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
    folders.tasks.mkdir(parents=True)
    return TaskFolders(folders)


def first(tasks: TaskFolders, task: str = "t1", **more: str) -> AttemptFolder:
    return tasks.record(task, f"{task}a", 1, {"task": task, "order": ORDER, **more})


def test_no_attempt_is_made_beyond_what_was_granted(tasks: TaskFolders) -> None:
    one = first(tasks)
    assert tasks.record_next(one, "b", until=1, early=False) is None
    two = tasks.record_next(one, "b", until=2, early=True)
    assert two is not None
    assert (two.number, two.after, two.is_early) == (2, "t1a", True)
    assert tasks.take("t1", "c", 2, {}) is None


def test_follow_ups_that_never_had_nodes_use_up_no_number(tasks: TaskFolders) -> None:
    one = first(tasks)
    tasks.write_grant("t1", {"until": 2, "counted": 1})
    two = tasks.record_next(one, "b", until=2, early=True)
    assert two is not None and tasks.record_next(two, "c", until=2, early=True) is None
    three = tasks.record_next(one, "c", until=2, early=True, instead=two)
    two.write_tombstone()
    assert three is not None and three.number == 3
    assert tasks.record_next(three, "d", until=2, early=True) is None, "three waits"
    three.write_tombstone()
    (three.path / "arrived").write_text("7 node1 now\n")
    assert tasks.record_next(one, "d", until=2, early=True) is None, "three had nodes"


def test_a_follow_up_whose_turn_has_not_come_is_no_attempt_that_began(tasks: TaskFolders) -> None:
    one = first(tasks)
    two = tasks.record_next(one, "b", until=9, early=True)
    assert two is not None
    assert tasks.begun("t1") == [one]
    one.write_verdict("go")
    assert tasks.begun("t1") == [one, two]
    two.write_tombstone()
    assert tasks.begun("t1") == [one]


def test_progress_is_the_newest_match_and_the_highest_step(tasks: TaskFolders) -> None:
    one = first(tasks)
    assert not reached_by(one).is_known
    (one.run_dir / "ckpt").mkdir()
    for name, modified in (("9.pt", 100), ("10.pt", 200), ("notes.txt", 300)):
        (one.run_dir / "ckpt" / name).touch()
        os.utime(one.run_dir / "ckpt" / name, (modified, modified))
    run = one.run_folder(1)
    run.joinpath("metrics.jsonl").write_text('{"step": 7}\nnonsense\n{"step": 5, "loss": 1}\n{"st')
    lines = [{"event": "saved", "step": 8, "name": "s8"}, {"event": "resumed", "step": 99}]
    run.joinpath("checkpoints.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert reached_by(one) == Reached("ckpt/10.pt", 200, 8)


def test_of_checkpoints_as_new_as_each_other_the_first_by_name_is_taken(
    tasks: TaskFolders,
) -> None:
    """As the batch script takes it."""
    one = first(tasks)
    (one.run_dir / "ckpt").mkdir()
    for name in ("2.pt", "1.pt", "3.pt"):
        (one.run_dir / "ckpt" / name).touch()
        os.utime(one.run_dir / "ckpt" / name, (200, 200))
    assert reached_by(one).checkpoint == "ckpt/1.pt"


def test_how_far_the_task_had_come_outlives_the_agent(tasks: TaskFolders) -> None:
    one = first(tasks)
    one.write_standing(Standing(Reached("ckpt/1.pt", 5.0, 3), 1, 1))
    two = tasks.record_next(one, "b", until=9, early=False)
    assert two is not None
    assert tasks.standing_before(two) == Standing(Reached("ckpt/1.pt", 5.0, 3), 1, 1)
    assert tasks.standing_before(one) == Standing()


def test_a_task_that_goes_on_takes_over_the_run_directory_once(tasks: TaskFolders) -> None:
    old, new = first(tasks), first(tasks, "t2", continues="t1")
    (old.run_dir / "ckpt.pt").write_text("kept")
    (old.run_dir.parent / "code").write_text("sha\n")
    take_over(new)
    take_over(new)
    assert (new.run_dir / "ckpt.pt").read_text() == "kept"
    assert home_of(tasks.root / "t1") == new.run_dir
    assert (new.run_dir.parent / "code").read_text() == "sha\n"
    with pytest.raises(NotFound, match="t2"):
        take_over(first(tasks, "t3", continues="t1"))


def test_a_task_cannot_go_on_with_files_that_are_gone(tasks: TaskFolders) -> None:
    with pytest.raises(NotFound, match="gone"):
        take_over(first(tasks, "t2", continues="t1"))
