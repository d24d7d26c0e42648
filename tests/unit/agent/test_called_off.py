"""A follow-up that the agent itself calls off says nothing about the chain that goes on."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, cast

import pytest

from diamond.agent import chains
from diamond.agent.attempts import Attempts
from diamond.agent.disk import write_json
from diamond.agent.folders import Folders
from diamond.agent.profile import Profile
from diamond.agent.tasks import AttemptFolder, TaskFolders
from diamond.agent.workers import Workers
from diamond.core.actions import Action, NextAttempt
from diamond.core.events import Event, Gone, PrepareFailed
from diamond.core.lifecycle import policy_of, step
from diamond.core.native import NativeStatus
from diamond.core.order import Order
from diamond.core.task import Attempt, Phase, Reason, Task

ORDER = {"name": "x", "command": "true"}


class Idle:
    """Stands for the threads: nothing is staged or handed over unless the test says so."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> None: ...


class Chain:
    """A task whose attempts are queued and end as told."""

    def __init__(self, tmp_path: Path, ahead: int = 1) -> None:
        places = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
        places.make()
        self.tasks, self.told = TaskFolders(places), list[Event]()
        self.profile = Profile()
        self.attempts = Attempts(
            self.tasks, tell=lambda task, event: self.told.append(event), profile=lambda: self.profile,
            workers=cast(Workers, Idle()),
        )  # fmt: skip
        order = {**ORDER, "resume": {"on": ["exit-75"], "ahead": ahead}}
        first = self.tasks.record("t1", "a1", 1, {"task": "t1", "order": order})
        write_json(self.tasks.root / "t1" / "chain.json", {"until": 9, "queue_after_seconds": 0.0})
        self.attempts.load(first)

    def has_queue(self) -> None:
        self.profile.facts["scheduler"] = {"name": "slurm"}

    def attempt(self, number: int) -> AttemptFolder:
        return next(one for one in self.tasks.attempts("t1") if one.number == number)

    def runs(self, number: int) -> None:
        folder = self.attempt(number)
        self.queued(number)
        (folder.run_folder(1) / "started").write_text(f"{number} x node1\n")
        self.look(number)

    def queued(self, number: int) -> None:
        self.attempts.submitted(self.attempt(number), str(number))

    def asks_to_go_on(self, number: int) -> None:
        (self.attempt(number).run_folder(1) / "exit").write_text("75 now\n")
        self.look(number)

    def saves_for_a_while(self, number: int) -> None:
        place, begun = self.attempt(number).run_folder(1), time.time() - 2400
        (place / "checkpoints.jsonl").touch()
        os.utime(place / "started", (begun, begun))

    def arrives(self, number: int) -> None:
        (self.attempt(number).path / "arrived").write_text(f"{number} node1 now\n")
        self.look(number)

    def look(self, number: int) -> None:
        self.attempts.look_at(self.attempts.known[self.attempt(number).attempt])

    def hears_end(self, number: int) -> None:
        ended = NativeStatus(status="ended", native_state="CANCELLED")
        self.attempts.answered({str(number): ended})


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    """The first attempt runs, the second is queued to follow it and was called off."""
    made = Chain(tmp_path)
    made.runs(1)
    made.attempts.chains.look()
    made.queued(2)
    made.attempts.chains._call_off(made.attempt(2))
    return made


def test_the_end_of_a_follow_up_that_gave_its_nodes_back_leaves_the_next_one_alone(
    chain: Chain,
) -> None:
    chain.asks_to_go_on(1)
    chain.queued(3)
    chain.hears_end(2)
    assert not chain.attempt(3).is_cancelled
    gone = {one.attempt for one in chain.told if isinstance(one, Gone)}
    assert gone == {chain.attempt(2).attempt}


def test_who_was_to_follow_a_withdrawn_attempt_begins_when_that_would_have(chain: Chain) -> None:
    assert chain.attempt(2).verdict == ""
    chain.asks_to_go_on(1)
    assert chain.attempt(2).verdict == "go"


def test_nobody_waits_for_a_follow_up_that_was_called_off(chain: Chain) -> None:
    """The service hears of it before it hears that the present attempt has ended."""
    chain.tasks.write_grant("t1", {"until": 2})
    chain.asks_to_go_on(1)
    task = Task(id="t1", attempt=Attempt(id="a1", number=1), policy=policy_of(Order("x").resume))
    actions: list[Action] = []
    for event in chain.told:
        task, fresh = step(task, event)
        actions += fresh
    assert NextAttempt(3) in actions
    assert (task.phase, task.follow_up) == (Phase.BETWEEN_ATTEMPTS, None)


def test_a_hand_over_that_could_not_be_written_down_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain(tmp_path)
    chain.runs(1)
    chain.saves_for_a_while(1)
    chain.attempts.chains.look()
    chain.queued(2)
    with monkeypatch.context() as broken:
        broken.setattr(chains, "mark", _fails)
        chain.arrives(2)
    stop = chain.attempt(1).path / "stop"
    assert not stop.exists()
    chain.attempts.chains.look()
    assert stop.exists()
    stop.unlink()
    chain.attempts.chains.look()
    assert not stop.exists(), "decided once"


@pytest.mark.parametrize("restarted", [False, True], ids=["same-agent", "new-agent"])
def test_of_a_follow_up_whose_turn_has_come_all_is_told(tmp_path: Path, restarted: bool) -> None:
    """It was made early and not yet handed to the batch system, which then refuses it."""
    chain = Chain(tmp_path, ahead=True)
    chain.runs(1)
    chain.attempts.chains.look()
    chain.asks_to_go_on(1)
    if restarted:
        chain.attempts.known.pop(chain.attempt(2).attempt)
        chain.attempts.load(chain.attempt(2))
    chain.attempts.refused(chain.attempt(2), Reason.REFUSED, "no such partition")
    failed = [one.attempt for one in chain.told if isinstance(one, PrepareFailed)]
    assert failed == [chain.attempt(2).attempt]


def test_one_that_was_refused_is_not_followed_by_the_next_at_once(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=True)
    chain.tasks.write_grant("t1", {"until": 9, "queue_after_seconds": 0.0, "cushion_seconds": 1e9})
    chain.has_queue()
    chain.runs(1)
    chain.attempts.chains.look()
    chain.queued(2)
    chain.attempts.chains.look()
    chain.attempts.refused(chain.attempt(3), Reason.REFUSED, "the queue is closed")
    for _ in range(3):
        chain.attempts.chains.look()
    assert [one.number for one in chain.tasks.attempts("t1")] == [1, 2, 3]


def _fails(*_: object) -> None:
    raise OSError(28, "No space left on device")
