"""What becomes of a chain when its attempts are cancelled, put back by the site, or called off in the line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from diamond.agent.disk import write_json
from diamond.agent.tasks.lifetimes import reached_limit, run_seconds
from diamond.core.events import AttemptKnown, Gone, Lost, Note, NoWord, Observed
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
    chain.asks_to_continue(1)
    later = chain.tasks.attempts("t1")[1:]
    assert len(later) == ahead and all(one.is_cancelled for one in later)
    assert chain.attempt(1).verdict == "stop"
    assert "a1" in {one.attempt for one in chain.told if isinstance(one, Gone)}


@pytest.mark.parametrize("ahead", [0, 1])
def test_the_late_word_on_an_attempt_makes_no_other_after_a_cancel(
    tmp_path: Path, ahead: int
) -> None:
    """The first asked to go on, the second was cancelled, and only then the batch system tells of the first one's end."""
    chain = Chain(tmp_path, ahead=ahead)
    chain.runs(1)
    chain.attempts.chains.look()
    chain.asks_to_continue(1)
    chain.queued(2)
    chain.is_cancelled(2)
    chain.hears(1, NativeStatus(status="ended", native_state="FAILED", exit_code=75))
    assert len(chain.tasks.attempts("t1")) == 2


def test_a_cancel_also_ends_the_attempt_that_has_gone_on_meanwhile(tmp_path: Path) -> None:
    chain = Chain(tmp_path)
    chain.runs(1)
    chain.asks_to_continue(1)
    chain.runs(2)
    chain.is_cancelled(1)
    assert chain.attempt(2).is_cancelled and "2" in chain.work.cancelled


def test_an_attempt_that_is_requeued_after_the_next_was_made_is_called_off(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=0)
    chain.runs(1)
    chain.asks_to_continue(1)
    chain.queued(2)
    chain.hears(1, AGAIN)
    assert chain.work.cancelled == ["1"]
    assert chain.attempt(1).is_cancelled and not chain.attempt(2).is_cancelled
    assert "came-back" in {one.code for one in chain.told if isinstance(one, Note)}


def test_a_second_run_that_begins_after_the_end_was_judged_is_ended(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=0)
    chain.runs(1)
    chain.asks_to_continue(1)
    second = chain.attempt(1).run_folder(2)
    second.mkdir()
    (second / "started").write_text("1 1 node2\n")
    chain.look(1)
    assert chain.work.cancelled == ["1"]
    assert not chain.attempt(2).is_cancelled


def test_an_attempt_that_is_requeued_before_its_end_is_judged_goes_on(tmp_path: Path) -> None:
    chain = Chain(tmp_path, ahead=0)
    chain.runs(1)
    chain.exits(1, 143)
    chain.hears(1, AGAIN)
    assert chain.work.cancelled == [] and not chain.attempt(1).is_cancelled


@pytest.mark.parametrize(
    ("left", "exit_line", "reason"),
    [
        (300, "143 1302\n", "wall-time"),
        (300, "1 1300\n", "wall-time"),
        (300, "", "wall-time"),
        (900, "143 1302\n", ""),
        (900, "", ""),
    ],
    ids=["signal", "exit-code", "killed", "signal-before", "killed-before"],
)
def test_who_lasted_until_the_limit_was_ended_by_it_where_the_batch_system_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int, exit_line: str, reason: str
) -> None:
    chain = Chain(tmp_path, ahead=0, on=["wall-time"])
    chain.queued(1)
    run = chain.attempt(1).run_folder(1)
    (run / "started").write_text(f"1 0 node1 1000 {left}\n")
    (run / "heartbeat").write_text("1290\n")
    (run / "exit").write_text(exit_line)
    chain.look(1)
    now = time.monotonic()
    for seconds in (0, 300):
        monkeypatch.setattr(time, "monotonic", lambda later=seconds: now + later)
        chain.hears(1, None)
        chain.attempts.time_passed()
    ended = [one for one in chain.told if isinstance(one, (Observed, NoWord, Lost))]
    assert [getattr(one, "reason", "") for one in ended] == [reason]


def test_a_limit_that_was_changed_counts_as_it_is_now(tmp_path: Path) -> None:
    folder = Chain(tmp_path).attempt(1)
    (folder.run_folder(1) / "started").write_text("1 0 node1 1000 300\n")
    (folder.run_folder(1) / "exit").write_text("143 1301\n")
    assert reached_limit(folder, 1)
    (folder.path / "deadline").write_text("1900\n")
    assert not reached_limit(folder, 1)


def test_how_long_a_run_has_lasted_is_told_by_its_heartbeats(tmp_path: Path) -> None:
    """The clock of the file server may be far off ours."""
    folder = Chain(tmp_path).attempt(1)
    assert run_seconds(folder, 1) is None
    for name, written in (("started", 5_000.0), ("heartbeat", 5_090.0)):
        (folder.run_folder(1) / name).touch()
        os.utime(folder.run_folder(1) / name, (written, written))
    assert run_seconds(folder, 1) == 90.0


def test_a_follow_up_for_which_the_budget_has_no_more_room_is_called_off(tmp_path: Path) -> None:
    chain = Chain(tmp_path)
    chain.tasks.write_grant("t1", {"until": 2, "counted": 1, "queue_after_seconds": 0.0})
    chain.runs(1)
    chain.attempts.chains.look()
    chain.queued(2)
    chain.attempts.chains.look()
    assert not chain.attempt(2).is_cancelled
    chain.tasks.write_grant("t1", {"until": 1, "counted": 2, "queue_after_seconds": 0.0})
    chain.attempts.chains.look()
    assert chain.attempt(2).is_withdrawn and chain.work.cancelled == ["2"]
    assert not chain.attempt(1).is_cancelled


def test_a_follow_up_whose_turn_has_come_is_not_taken_back(tmp_path: Path) -> None:
    chain = Chain(tmp_path)
    chain.runs(1)
    chain.attempts.chains.look()
    chain.queued(2)
    chain.asks_to_continue(1)
    chain.tasks.write_grant("t1", {"until": 1, "counted": 2, "queue_after_seconds": 0.0})
    chain.attempts.chains.look()
    assert not chain.attempt(2).is_cancelled


def test_one_whose_nodes_came_far_too_early_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not at once, as that one would get nodes just as early, but when half of what was left has passed."""
    chain = Chain(tmp_path)
    chain.runs(1)
    chain.attempts.chains.look()
    chain.queued(2)
    chain.arrives(2)
    assert chain.attempt(2).is_withdrawn
    now = time.monotonic()
    for seconds, made in ((1700, 2), (1900, 3)):
        monkeypatch.setattr(time, "monotonic", lambda later=seconds: now + later)
        chain.attempts.chains.look()
        assert len(chain.tasks.attempts("t1")) == made


def test_a_follow_up_that_was_not_granted_is_made_once_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain(tmp_path)
    chain.tasks.write_grant("t1", {"until": 1, "queue_after_seconds": 0.0})
    chain.runs(1)
    chain.attempts.chains.look()
    chain.tasks.write_grant("t1", {"until": 2, "queue_after_seconds": 0.0})
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    chain.attempts.chains.look()
    assert len(chain.tasks.attempts("t1")) == 2


def blames(chain: Chain, number: int) -> None:
    """Its run, and a run before it, were ended by node n3."""
    folder = chain.attempt(number)
    (folder.path / "runs" / "9").mkdir()
    for run in (1, 9):
        write_json(folder.run_folder(run) / "culprit.json", {"node": "n3", "blames_node": True})


def test_a_node_that_failed_twice_is_left_out_of_a_follow_up_that_waits_already(
    tmp_path: Path,
) -> None:
    chain = Chain(tmp_path, on=["exit-code"])
    chain.runs(1)
    chain.attempts.chains.look()
    chain.queued(2)
    assert chain.work.spared == []
    blames(chain, 1)
    chain.exits(1, 75)
    assert chain.work.spared == ["2"]


@pytest.mark.parametrize("told_by", ["the batch system", "the follow-up"])
@pytest.mark.parametrize(("nodes", "given_back"), [("n[1-4]", True), ("n[4-5],m3", False)])
def test_nodes_are_given_back_if_one_of_them_failed_twice(
    tmp_path: Path, nodes: str, given_back: bool, told_by: str
) -> None:
    """The batch system may not have been asked since the follow-up got them, nor its mark been seen."""
    chain = Chain(tmp_path)
    chain.tasks.write_grant(
        "t1", {"until": 9, "queue_after_seconds": 0.0, "hand_over_seconds": 9e9}
    )
    chain.runs(1)
    chain.attempts.chains.look()
    chain.queued(2)
    if told_by == "the follow-up":
        (chain.attempt(2).path / "arrived").write_text(f"2 node 0 {nodes}\n")
    else:
        chain.arrives(2)
        chain.hears(2, NativeStatus(status="running", native_state="RUNNING", nodes=nodes))
    blames(chain, 1)
    chain.asks_to_continue(1)
    assert chain.attempt(2).is_withdrawn is given_back
    assert len(chain.tasks.attempts("t1")) == 2 + given_back


def test_a_checkpoint_with_which_an_attempt_came_no_further_is_written_down(
    tmp_path: Path,
) -> None:
    chain = Chain(tmp_path, ahead=0, on=["wall-time"], pattern="*.pt")
    chain.tasks.write_grant("t1", {"until": 9})
    chain.runs(1)
    (chain.attempt(1).run_dir / "1.pt").touch()
    chain.exits(1, 75)
    chain.runs(2)
    chain.exits(2, 1)
    chain.hears(2, NativeStatus(status="ended", native_state="FAILED", reason="exit-code"))
    assert (chain.tasks.root / "t1" / "doubted").read_text() == "1.pt\n"
    assert [one.number for one in chain.tasks.attempts("t1")] == [1, 2, 3]
    assert "doubted" in {one.code for one in chain.told if isinstance(one, Note)}


@pytest.fixture
def line(tmp_path: Path) -> Chain:
    """Two wait behind the first; of the second of them the service has not heard."""
    made = Chain(tmp_path, ahead=True)
    made.lines_up(until=3)
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
    line.asks_to_continue(1)
    unheard = line.attempt(3)
    line.attempts.known.pop(unheard.attempt)
    line.told.clear()
    line.attempts.load(unheard)
    assert not [one for one in line.told if isinstance(one, AttemptKnown)]


def test_a_program_that_was_never_seen_to_hand_over_is_followed_late(tmp_path: Path) -> None:
    """Nodes would idle for as long as they came early. The limit is an hour."""
    chain = Chain(tmp_path)
    alone = {"queue_after_seconds": 3060.0}
    chain.tasks.write_grant("t1", {"until": 9, "queue_after_seconds": 0.0, "alone": alone})
    chain.runs(1, heeds=False)
    started = chain.attempt(1).run_folder(1) / "started"
    for minutes, made in ((40, 1), (50, 1), (52, 2)):
        begun = time.time() - 60 * minutes
        os.utime(started, (begun, begun))
        chain.attempts.chains.look()
        assert len(chain.tasks.attempts("t1")) == made, f"after {minutes} minutes"
