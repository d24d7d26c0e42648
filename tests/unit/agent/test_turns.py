"""Trials that an agent holds for later start when fewer of their study are at work than it may run."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from diamond.agent.folders import Folders
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import TaskFolders
from diamond.agent.tasks.machine.state import AttemptPhase, AttemptState
from diamond.agent.tasks.work_queue import WorkQueue
from diamond.core.protocol import StudyShare

SHARE = StudyShare("s", 2)


@pytest.fixture
def folders(tmp_path: Path) -> TaskFolders:
    return TaskFolders(Folders(keep=tmp_path / "k", work=tmp_path / "w", tmp=tmp_path / "t"))


def waiting(folders: TaskFolders, known: list[AttemptState], attempt: str) -> str:
    attempts = Attempts(
        folders,
        report=lambda task, event: None,
        profile=lambda: cast("Profile", None),
        work=WorkQueue(),
        follow_up_rejection=lambda folder, number: "",
    )
    for state in known:
        attempts.save(state)
    task = attempts.known[attempt].task
    return attempts.turn(folders.attempt(task, attempt))


def state(task: str, *, after: str = "", is_at_work: bool = False) -> AttemptState:
    phase = AttemptPhase.SUBMITTED if is_at_work else AttemptPhase.STAGING
    return AttemptState(task, f"{task}-{2 if after else 1}", after=after, share=SHARE, phase=phase)


RUNNING = [state("t1", is_at_work=True), state("t2", is_at_work=True)]


def test_a_trial_waits_for_a_slot(folders: TaskFolders) -> None:
    assert waiting(folders, [RUNNING[0], state("t3")], "t3-1") == ""
    assert "runs 2" in waiting(folders, [*RUNNING, state("t3")], "t3-1")


def test_a_trial_that_continues_does_not_wait_behind_those_that_are_held(
    folders: TaskFolders,
) -> None:
    again = state("t1", after="t1-1")
    assert waiting(folders, [*RUNNING, state("t3"), again], again.attempt) == ""


def test_the_slot_of_a_trial_that_continues_is_not_given_away(folders: TaskFolders) -> None:
    again = state("t1", after="t1-1")
    assert "runs 2" in waiting(folders, [RUNNING[1], again, state("t3")], "t3-1")


def test_a_follow_up_in_the_queue_takes_no_second_slot(folders: TaskFolders) -> None:
    early = state("t1", after="t1-1", is_at_work=True)
    assert waiting(folders, [RUNNING[0], early, state("t3")], "t3-1") == ""
