"""What an agent writes down before it acts, and what it makes of half of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from diamond.agent.attempts import Attempts
from diamond.agent.commands import Clerk
from diamond.agent.folders import Folders
from diamond.agent.tasks import AttemptFolder, TaskFolders

ORDER = {"task": "t1", "job": "j1", "name": "x", "order": {"name": "x", "command": "true"}}


def folders(tmp_path: Path) -> TaskFolders:
    made = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
    made.make()
    return TaskFolders(made)


def test_an_intent_that_was_cut_off_is_no_attempt(tmp_path: Path) -> None:
    tasks = folders(tmp_path)
    whole = tasks.record("t1", "a1", 1, ORDER)
    (tasks.root / "t1" / "attempts" / "a2").mkdir()
    assert [one.attempt for one in tasks.attempts("t1")] == [whole.attempt]


def test_a_tombstone_alone_is_enough_to_be_heeded(tmp_path: Path) -> None:
    tasks = folders(tmp_path)
    tasks.record_cancel("t1", "a1")
    assert [one.attempt for one in tasks.attempts("t1")] == ["a1"]


class Listening:
    """Stands for the attempts; only notes what it is asked."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []

    def cancel(self, folder: AttemptFolder) -> None:
        self.cancelled.append(folder.attempt)


def test_a_cancel_that_cannot_be_written_down_is_done_and_taken_again(tmp_path: Path) -> None:
    tasks, attempts = folders(tmp_path), Listening()
    (tasks.root / "t1").write_text("a file where the task's folder should be")

    def at_once(act: Callable[[], None]) -> None:
        act()

    def nothing(*_: Any) -> None: ...

    clerk = Clerk(
        tasks, cast(Attempts, attempts), at_once, nothing,
        probe=nothing, upgrade=nothing, clean=nothing, image=nothing, refusal=lambda command: "", note=lambda command, why: None, reached=nothing, accepted=nothing,
    )  # fmt: skip
    clerk.take({"id": "c1", "type": "cancel", "task": "t1", "attempt": "a1"})
    assert attempts.cancelled == ["a1"]
    assert clerk.done == set()
