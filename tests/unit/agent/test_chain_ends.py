"""What becomes of a chain when its attempts are cancelled, put back by the site, or called off in the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.core.events import AttemptKnown, Gone, Note
from diamond.core.native import NativeStatus
from support.agent_chain import Chain

AGAIN = NativeStatus(status="queued", native_state="PENDING", restarts=1)


@pytest.mark.parametrize("ahead", [0, 1])
def test_no_attempt_follows_a_cancelled_one_that_asks_to_go_on(tmp_path: Path, ahead: int) -> None:
    """Nor one that was queued ahead, and that the service has not heard of."""
    chain = Chain(tmp_path, ahead=ahead)
    chain.runs(1)
    chain.attempts.chains.look()
    chain.is_cancelled(1)
    chain.asks_to_go_on(1)
    later = chain.tasks.attempts("t1")[1:]
    assert len(later) == ahead and all(one.is_cancelled for one in later)
    assert chain.attempt(1).verdict == "stop"
    assert "a1" in {one.attempt for one in chain.told if isinstance(one, Gone)}


def test_a_cancel_also_ends_the_attempt_that_has_gone_on_meanwhile(tmp_path: Path) -> None:
    chain = Chain(tmp_path)
    chain.runs(1)
    chain.asks_to_go_on(1)
    chain.runs(2)
    chain.is_cancelled(1)
    assert chain.attempt(2).is_cancelled and "2" in chain.desk.cancelled


def test_an_attempt_that_is_requeued_after_the_next_was_made_is_called_off(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=0)
    chain.runs(1)
    chain.asks_to_go_on(1)
    chain.queued(2)
    chain.hears(1, AGAIN)
    assert chain.desk.cancelled == ["1"]
    assert chain.attempt(1).is_cancelled and not chain.attempt(2).is_cancelled
    assert "came-back" in {one.code for one in chain.told if isinstance(one, Note)}


def test_a_second_run_that_begins_after_the_end_was_judged_is_ended(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=0)
    chain.runs(1)
    chain.asks_to_go_on(1)
    second = chain.attempt(1).run_folder(2)
    second.mkdir()
    (second / "started").write_text("1 1 node2\n")
    chain.look(1)
    assert chain.desk.cancelled == ["1"]
    assert not chain.attempt(2).is_cancelled


def test_an_attempt_that_is_requeued_before_its_end_is_judged_goes_on(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=0)
    chain.runs(1)
    chain.exits(1, 143)
    chain.hears(1, AGAIN)
    assert chain.desk.cancelled == [] and not chain.attempt(1).is_cancelled


@pytest.fixture
def line(tmp_path: Path) -> Chain:
    """Two wait behind the first; of the second of them the service has not heard."""
    made = Chain(tmp_path, ahead=True)
    made.tasks.write_grant("t1", {"until": 3, "queue_after_seconds": 0.0, "cushion_seconds": 1e9})
    made.has_queue()
    made.runs(1)
    made.attempts.chains.look()
    made.queued(2)
    made.attempts.chains.look()
    made.queued(3)
    return made


def test_the_number_of_one_called_off_unheard_of_is_given_again(line: Chain) -> None:
    line.arrives(2)
    line.arrives(3)
    unheard = line.attempt(3)
    assert unheard.is_withdrawn
    assert unheard.attempt not in {one.attempt for one in line.told}
    taken = line.tasks.take("t1", "a9", 3, line.attempt(1).task_json())
    assert taken is not None and taken.number == 3


def test_one_called_off_is_not_announced_by_an_agent_that_starts_again(line: Chain) -> None:
    line.arrives(2)
    line.arrives(3)
    line.asks_to_go_on(1)
    unheard = line.attempt(3)
    line.attempts.known.pop(unheard.attempt)
    line.told.clear()
    line.attempts.load(unheard)
    assert not [one for one in line.told if isinstance(one, AttemptKnown)]
