"""A follow-up that the agent itself calls off says nothing about the chain that goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.agent.tasks import chains
from diamond.core.actions import Action, NextAttempt
from diamond.core.events import Gone, PrepareFailed
from diamond.core.lifecycle import policy_of, step
from diamond.core.order import Order
from diamond.core.task import Attempt, Phase, Reason, Task
from support.agent_chain import Chain


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    """The first attempt runs, the second is queued to follow it and was called off."""
    made = Chain(tmp_path)
    made.runs(1)
    made.attempts.chains.look()
    made.queued(2)
    made.attempts.chains._withdraw(made.attempt(2))
    return made


def test_the_end_of_a_follow_up_that_gave_its_nodes_back_leaves_the_next_one_alone(
    chain: Chain,
) -> None:
    chain.asks_to_continue(1)
    chain.queued(3)
    chain.reports_end(2)
    assert not chain.attempt(3).is_cancelled
    gone = {one.attempt for one in chain.told if isinstance(one, Gone)}
    assert gone == {chain.attempt(2).attempt}


def test_who_was_to_follow_a_withdrawn_attempt_begins_when_that_would_have(chain: Chain) -> None:
    assert chain.attempt(2).verdict == ""
    chain.asks_to_continue(1)
    assert chain.attempt(2).verdict == "go"


def test_nobody_waits_for_a_follow_up_that_was_called_off(chain: Chain) -> None:
    """The service hears of it before it hears that the present attempt has ended."""
    chain.tasks.write_grant("t1", {"until": 2})
    chain.asks_to_continue(1)
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
    chain.asks_to_continue(1)
    if restarted:
        chain.attempts.known.pop(chain.attempt(2).attempt)
        chain.attempts.load(chain.attempt(2))
    chain.attempts.failed(chain.attempt(2), Reason.REFUSED, "no such partition")
    failed = [one.attempt for one in chain.told if isinstance(one, PrepareFailed)]
    assert failed == [chain.attempt(2).attempt]


def test_one_that_was_refused_is_not_followed_by_the_next_at_once(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=True)
    chain.lines_up(until=9)
    chain.attempts.failed(chain.attempt(3), Reason.REFUSED, "the queue is closed")
    for _ in range(3):
        chain.attempts.chains.look()
    assert [one.number for one in chain.tasks.attempts("t1")] == [1, 2, 3]


def _fails(*_: object) -> None:
    raise OSError(28, "No space left on device")
