"""After a task's folder was removed, a task of the same name is another task."""

from __future__ import annotations

from pathlib import Path

from diamond.agent.folders import Folders
from diamond.agent.tasks.cleaning import remove_task
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders


def test_the_order_of_a_removed_task_is_never_used_again(tmp_path: Path) -> None:
    folders = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path / "tmp")
    folders.tasks.mkdir(parents=True)
    tasks = TaskFolders(folders)
    assert begin(tasks, "echo first").order().command == "echo first"
    remove_task(tasks, "t1")
    assert begin(tasks, "echo second").order().command == "echo second"


def begin(tasks: TaskFolders, command: str) -> AttemptFolder:
    return tasks.record("t1", "a1", 1, {"task": "t1", "order": {"name": "x", "command": command}})
