"""A task whose run directory is gone does not read as running for ever."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diamond.agent.folders import Folders
from diamond.agent.tasks.folders import TaskFolders
from diamond.agent.tasks.orphans import Orphans
from diamond.agent.tasks.status import Budget
from diamond.core.events import Event, Lost
from diamond.core.protocol import OpenTask
from diamond.schedulers.local import LocalScheduler
from support.sync_service import eventually


class Scene:
    def __init__(self, place: Path) -> None:
        folders = Folders(keep=place / "keep", work=place / "work", tmp=place)
        folders.make()
        self.tasks, self.told = TaskFolders(folders), list[tuple[str, Event]]()
        self.orphans = Orphans(
            self.tasks,
            LocalScheduler(place / "local"),
            Budget(unlimited=True),
            report=lambda task, event: self.told.append((task, event)),
            grace=0.05,
        )


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_a_task_without_folder_or_job_is_lost_after_the_grace(scene: Scene) -> None:
    scene.orphans.expect([OpenTask("t1", "a1")], time.monotonic())
    scene.orphans.look(time.monotonic())
    assert scene.told == []

    def asked() -> bool:
        scene.orphans.look(time.monotonic())
        return bool(scene.told)

    eventually(asked)
    [(task, event)] = scene.told
    assert task == "t1" and isinstance(event, Lost)
    assert "gone from the machine" in event.message


def test_a_submit_that_comes_in_the_meantime_is_no_orphan(scene: Scene) -> None:
    scene.orphans.expect([OpenTask("t1", "a1")], time.monotonic())
    scene.tasks.record("t1", "a1", 1, {"task": "t1", "order": {"name": "x", "command": "true"}})
    scene.orphans.look(time.monotonic() + 10)
    assert scene.orphans._due == {}
