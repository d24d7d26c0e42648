"""What an agent writes down before it acts, and what it makes of half of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from diamond.agent.folders import Folders
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.commands import CommandHandler
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


class Scene:
    """A command handler with what it reported; `allowed` is the only command that the machine's policy accepts."""

    def __init__(self, tmp_path: Path, allowed: str = "true") -> None:
        self.tasks, self.attempts = folders(tmp_path), Listening()
        self.reported: list[Event] = []

        def nothing(*_: Any) -> None: ...

        def rejection(command: Command) -> str:
            return "no" if isinstance(command, Submit) and is_other(command) else ""

        def is_other(command: Submit) -> bool:
            return command.request.order.command != allowed

        self.handler = CommandHandler(
            self.tasks,
            cast(Attempts, self.attempts),
            self._at_once,
            lambda task, event: self.reported.append(event),
            probe=nothing,
            upgrade=nothing,
            clean=nothing,
            data=lambda command: None,
            image=nothing,
            rejection=rejection,
            record=nothing,
            reached=nothing,
            accepted=nothing,
            close_pilot=nothing,
        )

    def take(self, kind: str, attempt: str = "a1", **told: Any) -> None:
        self.handler.handle(
            {"id": f"{kind}-{attempt}", "type": kind, "task": "t1", "attempt": attempt, **told}
        )

    def submit(self, attempt: str, number: int, command: str = "true", **told: Any) -> None:
        task_json = {**ORDER, "order": {"name": "x", "command": command}}
        self.take("submit", attempt, number=number, task_json=task_json, **told)

    def failures(self) -> list[tuple[str, str]]:
        return [
            (one.attempt, one.reason) for one in self.reported if isinstance(one, PrepareFailed)
        ]

    @staticmethod
    def _at_once(act: Callable[[], None]) -> None:
        act()


def test_a_cancel_that_cannot_be_written_down_is_done_and_taken_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    (scene.tasks.root / "t1").write_text("a file where the task's folder should be")
    scene.take("cancel")
    assert scene.attempts.cancelled == ["a1"]
    assert scene.handler.done() == set()


def test_a_tombstone_lets_no_order_past_the_policy(tmp_path: Path) -> None:
    """A service that was taken over would else put its own order under a task, then let an allowed one begin it."""
    scene = Scene(tmp_path)
    scene.tasks.record_cancel("t1", "a1")
    scene.submit("a1", 1, command="evil")
    scene.submit("a2", 2)
    assert scene.failures() == [("a1", "policy")]
    assert scene.tasks.attempt("t1", "a2").order().command == "true"


def test_a_task_never_gets_another_order(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.tasks.record("t1", "a1", 1, {**ORDER, "order": {"name": "x", "command": "old"}})
    scene.submit("a2", 2)
    assert scene.failures() == [("a2", "refused")]
    assert scene.attempts.submitted == []
    assert not scene.tasks.attempt("t1", "a2").is_known


def test_a_later_attempt_with_the_order_of_its_task_is_taken(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.submit("a1", 1)
    scene.submit("a2", 2)
    assert (scene.attempts.submitted, scene.reported) == (["a1", "a2"], [])


def test_an_order_that_cannot_be_read_is_said_to_have_failed(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.submit("a1", "first")  # type: ignore[arg-type]
    assert scene.failures() == [("a1", "refused")]
    assert scene.handler.done() == {"submit-a1"}


def test_a_submission_whose_intent_stands_is_never_said_to_have_failed(tmp_path: Path) -> None:
    """Its job may be in the queue already: what is left to write down is tried again."""
    scene = Scene(tmp_path)
    (scene.tasks.root / "t1").mkdir()
    in_the_way = scene.tasks.root / "t1" / f".chain.json.{os.getpid()}.{threading.get_ident()}.new"
    in_the_way.mkdir()
    scene.submit("a1", 1, chain={"until": 3})
    assert (scene.reported, scene.handler.done()) == ([], frozenset())
    in_the_way.rmdir()
    scene.submit("a1", 1, chain={"until": 3})
    assert (scene.attempts.submitted, scene.handler.done()) == (["a1"], frozenset({"submit-a1"}))
