"""What an agent writes down before it acts, and what it makes of half of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from diamond.agent.folders import Folders
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.commands import Clerk
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.core.events import Event, PrepareFailed
from diamond.core.protocol import Command, Submit

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
        self.submitted: list[str] = []

    def cancel(self, folder: AttemptFolder) -> None:
        self.cancelled.append(folder.attempt)

    def submit(self, folder: AttemptFolder, number: int, rival: AttemptFolder | None) -> None:
        self.submitted.append(folder.attempt)


class Desk:
    """A clerk with what it told and did; `allowed` is the only command that the machine's policy lets run."""

    def __init__(self, tmp_path: Path, allowed: str = "true") -> None:
        self.tasks, self.attempts = folders(tmp_path), Listening()
        self.told: list[Event] = []

        def nothing(*_: Any) -> None: ...

        def refusal(command: Command) -> str:
            return "no" if isinstance(command, Submit) and is_other(command) else ""

        def is_other(command: Submit) -> bool:
            return command.asked.order.command != allowed

        self.clerk = Clerk(
            self.tasks,
            cast(Attempts, self.attempts),
            self._at_once,
            lambda task, event: self.told.append(event),
            probe=nothing,
            upgrade=nothing,
            clean=nothing,
            image=nothing,
            refusal=refusal,
            note=nothing,
            reached=nothing,
            accepted=nothing,
        )

    def take(self, kind: str, attempt: str = "a1", **told: Any) -> None:
        self.clerk.take(
            {"id": f"{kind}-{attempt}", "type": kind, "task": "t1", "attempt": attempt, **told}
        )

    def submit(self, attempt: str, number: int, command: str = "true", **told: Any) -> None:
        task_json = {**ORDER, "order": {"name": "x", "command": command}}
        self.take("submit", attempt, number=number, task_json=task_json, **told)

    def failures(self) -> list[tuple[str, str]]:
        return [(one.attempt, one.reason) for one in self.told if isinstance(one, PrepareFailed)]

    @staticmethod
    def _at_once(act: Callable[[], None]) -> None:
        act()


def test_a_cancel_that_cannot_be_written_down_is_done_and_taken_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (desk.tasks.root / "t1").write_text("a file where the task's folder should be")
    desk.take("cancel")
    assert desk.attempts.cancelled == ["a1"]
    assert desk.clerk.done == set()


def test_a_tombstone_lets_no_order_past_the_policy(tmp_path: Path) -> None:
    """A service that was taken over would else put its own order under a task, then let an allowed one begin it."""
    desk = Desk(tmp_path)
    desk.tasks.record_cancel("t1", "a1")
    desk.submit("a1", 1, command="evil")
    desk.submit("a2", 2)
    assert desk.failures() == [("a1", "policy")]
    assert desk.tasks.attempt("t1", "a2").order().command == "true"


def test_a_task_never_gets_another_order(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.tasks.record("t1", "a1", 1, {**ORDER, "order": {"name": "x", "command": "old"}})
    desk.submit("a2", 2)
    assert desk.failures() == [("a2", "refused")]
    assert desk.attempts.submitted == []
    assert not desk.tasks.attempt("t1", "a2").is_known


def test_a_later_attempt_with_the_order_of_its_task_is_taken(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.submit("a1", 1)
    desk.submit("a2", 2)
    assert (desk.attempts.submitted, desk.told) == (["a1", "a2"], [])


def test_an_order_that_cannot_be_read_is_said_to_have_failed(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.submit("a1", "first")  # type: ignore[arg-type]
    assert desk.failures() == [("a1", "refused")]
    assert desk.clerk.done == {"submit-a1"}


def test_a_submission_whose_intent_stands_is_never_said_to_have_failed(tmp_path: Path) -> None:
    """Its job may be in the queue already: what is left to write down is tried again."""
    desk = Desk(tmp_path)
    (desk.tasks.root / "t1").mkdir()
    in_the_way = desk.tasks.root / "t1" / f".chain.json.{os.getpid()}.new"
    in_the_way.mkdir()
    desk.submit("a1", 1, chain={"until": 3})
    assert (desk.told, desk.clerk.done) == ([], set())
    in_the_way.rmdir()
    desk.submit("a1", 1, chain={"until": 3})
    assert (desk.attempts.submitted, desk.clerk.done) == (["a1"], {"submit-a1"})
