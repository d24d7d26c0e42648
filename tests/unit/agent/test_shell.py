"""`agent.pyz shell`: which run it enters, and what it never does."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.agent.folders import Folders
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.shell import Where, running_run, shell_call
from diamond.cli.ssh_bootstrap import agent_line
from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.core.order import Placement, Resources
from diamond.schedulers.base import Submission
from diamond.schedulers.local import LocalScheduler
from support.waiting import wait_for


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    made = Folders(tmp_path / "keep", tmp_path / "work", tmp_path)
    made.make()
    return made


def attempt(folders: Folders, name: str, number: int, *, run: str = "") -> AttemptFolder:
    folder = TaskFolders(folders).record("t1", name, number, {"task": "t1"})
    if run:
        place = folder.run_folder(1)
        place.mkdir(parents=True, exist_ok=True)
        (place / "started").write_text(run)
    return folder


def test_the_newest_run_without_an_end_is_entered(folders: Folders) -> None:
    ended = attempt(folders, "a1", 1, run="7 0 n1 1.0 -\n")
    (ended.run_folder(1) / "exit").write_text("0 2.0\n")
    attempt(folders, "a2", 2, run="8 0 n1 3.0 -\n")
    attempt(folders, "a3", 3)
    assert running_run(folders, "t1").native_id == "8"


def test_a_task_between_two_attempts_and_an_unknown_one_say_so(folders: Folders) -> None:
    attempt(folders, "a1", 1)
    with pytest.raises(Conflict, match="No attempt of t1 is running"):
        running_run(folders, "t1")
    with pytest.raises(NotFound, match="no task 't2'"):
        running_run(folders, "t2")
    with pytest.raises(BadRequest):
        running_run(folders, "../t1")


def test_a_script_of_an_older_agent_is_not_started_a_second_time(folders: Folders) -> None:
    """It knows no `shell`: it would take itself for a requeue and begin its program again."""
    scheduler = LocalScheduler(folders.work / "schedulers" / "local")
    folder = attempt(folders, "a1", 1)
    folder.path.joinpath("script.sh").write_text("sleep 600\n")
    native = scheduler.submit(
        Submission("n", folder.path / "script.sh", folder.path, Resources(), Placement())
    )
    try:
        wait_for(lambda: scheduler.status([native])[native].status == "running", what="the job")
        folder.write_native(native, scheduler="local", at=0)
        attempt(folders, "a1", 1, run=f"{native} 0 n1 1.0 -\n")
        with pytest.raises(Conflict, match="older agent"):
            shell_call(folders, "t1", Where(), ["true"], terminal=False)
    finally:
        scheduler.cancel(native)


def test_only_an_id_names_a_folder_on_the_remote_machine() -> None:
    assert "'a b'" in agent_line("e1", ["shell", "t1", "--", "a b"]).replace("'\"'\"'", "'")
    for wrong in ("e1; rm -rf x", "$(id)", "../e1", ""):
        with pytest.raises(BadRequest):
            agent_line(wrong, ["shell", "t1"])
