"""The truth rules: files and the batch system's words become events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diamond.agent.tasks import verdicts
from diamond.agent.tasks.verdicts import (
    GO,
    STOP,
    TURNED_AWAY,
    Watched,
    heard,
    judge_end,
    saw_exit,
    saw_start,
    time_passed,
)
from diamond.core.events import Event, Exited, Gone, Lost, NoWord, Observed, Started
from diamond.core.lifecycle import policy_of
from diamond.core.native import NativeStatus
from diamond.core.order import Continue
from diamond.core.task import Attempt, Task

QUEUED = NativeStatus("queued", "PENDING", message="waiting for its turn")
RUNNING = NativeStatus("running", "RUNNING")
TIMEOUT = NativeStatus("ended", "TIMEOUT", reason="wall-time", exit_code=0)
COMPLETED = NativeStatus("ended", "COMPLETED", exit_code=0)
FAILED = NativeStatus("ended", "FAILED", exit_code=7)


def running() -> Watched:
    watched = Watched(native_id="12")
    saw_start(watched, 1, native_id="12", node="n1")
    return watched


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def test_exit_code_0_is_the_end_without_any_question() -> None:
    watched = running()
    assert saw_exit(watched, 1, 0, now=0) == [Exited(run=1, exit_code=0)]
    assert watched.over and not watched.awaits_answer


def test_another_code_is_told_at_once_and_the_batch_systems_word_follows() -> None:
    watched = running()
    assert saw_exit(watched, 1, 143, now=0) == [Exited(run=1, exit_code=143, signal=15)]
    assert watched.awaits_answer
    assert heard(watched, RUNNING, now=1) == [
        Observed(status="running", native_state="RUNNING", native_id="12", run=1, restarts=0)
    ]
    [event] = heard(watched, TIMEOUT, now=2)
    assert isinstance(event, Observed) and event.reason == "wall-time"
    assert watched.over


def test_without_a_word_the_exit_file_stands_alone_after_15_seconds() -> None:
    watched = running()
    saw_exit(watched, 1, 1, now=0)
    assert time_passed(watched, now=14.9) == []
    assert kinds(time_passed(watched, now=15)) == [NoWord]
    assert time_passed(watched, now=16) == []
    assert not watched.over, "a late word may still sharpen the reason"
    assert kinds(heard(watched, TIMEOUT, now=60)) == [Observed]
    assert watched.over


def test_a_death_by_signal_waits_longer_while_the_batch_system_is_not_done_with_it() -> None:
    watched = running()
    saw_exit(watched, 1, 143, now=0)
    heard(watched, NativeStatus("completing", "COMPLETING"), now=14)
    assert time_passed(watched, now=59) == []
    assert kinds(time_passed(watched, now=60)) == [NoWord]


COMPLETING = NativeStatus("completing", "COMPLETING")


@pytest.mark.parametrize("code", [1, 143], ids=["exit-code", "signal"])
def test_a_chain_waits_for_the_word_while_an_epilog_runs(code: int) -> None:
    """Whether it was the time limit is told only after that."""
    watched = replace(running(), is_patient=True)
    saw_exit(watched, 1, code, now=0)
    heard(watched, COMPLETING, now=10)
    assert watched.awaits_answer
    assert time_passed(watched, now=600) == []
    assert not watched.awaits_answer, "the site's questions are for others too"
    [event] = heard(watched, TIMEOUT, now=601)
    assert isinstance(event, Observed) and event.reason == "wall-time"


def test_no_epilog_is_waited_for_without_end() -> None:
    watched = replace(running(), is_patient=True)
    saw_exit(watched, 1, 143, now=0)
    heard(watched, COMPLETING, now=10)
    assert kinds(time_passed(watched, now=900)) == [NoWord]


def test_a_job_that_vanishes_from_its_epilog_is_waited_for_no_longer() -> None:
    watched = replace(running(), is_patient=True)
    saw_exit(watched, 1, 143, now=0)
    heard(watched, COMPLETING, now=10)
    heard(watched, None, now=70)
    assert kinds(time_passed(watched, now=71)) == [NoWord]


def test_a_time_limit_that_is_named_during_the_epilog_is_believed_at_once() -> None:
    watched = running()
    saw_exit(watched, 1, 143, now=0)
    [event] = heard(watched, replace(COMPLETING, reason="wall-time"), now=10)
    assert isinstance(event, Observed) and (event.status, event.reason) == ("ended", "wall-time")


def test_a_job_that_was_turned_away_ends_nothing_while_its_rival_may_run() -> None:
    watched = Watched(native_id="12")
    heard(watched, NativeStatus("ended", "FAILED", exit_code=TURNED_AWAY), now=0)
    assert time_passed(watched, now=100) == []
    assert verdicts.follow_owner(watched, "11")
    assert time_passed(watched, now=300) == []


def test_an_end_without_an_exit_file_waits_a_little_for_the_file() -> None:
    watched = running()
    assert heard(watched, FAILED, now=0) == []
    assert time_passed(watched, now=2.9) == []
    [event] = time_passed(watched, now=3)
    assert isinstance(event, Observed) and event.exit_code == 7


def test_the_exit_file_that_comes_within_the_grace_is_told_with_the_word() -> None:
    watched = running()
    heard(watched, FAILED, now=0)
    assert kinds(saw_exit(watched, 1, 7, now=1)) == [Exited, Observed]


def test_an_exit_file_seen_before_its_start_counts() -> None:
    watched = Watched(native_id="12")
    assert kinds(saw_exit(watched, 1, 0, now=0)) == [Exited]
    assert kinds(saw_start(watched, 1, native_id="12", node="n1")) == [Started]
    assert watched.over


def test_a_job_that_nobody_names_is_lost_after_120_seconds_of_real_absence() -> None:
    watched = running()
    assert heard(watched, None, now=0) == []
    assert time_passed(watched, now=500) == [], "one answer alone proves nothing"
    assert heard(watched, None, now=119) == []
    assert time_passed(watched, now=119) == []
    heard(watched, None, now=121)
    assert kinds(time_passed(watched, now=121)) == [Lost]


def test_a_job_that_is_named_again_was_never_lost() -> None:
    watched = running()
    heard(watched, None, now=0)
    heard(watched, RUNNING, now=100)
    heard(watched, None, now=150)
    assert time_passed(watched, now=200) == []


def test_the_same_word_is_told_once() -> None:
    watched = Watched(native_id="12")
    assert kinds(heard(watched, QUEUED, now=0)) == [Observed]
    assert heard(watched, QUEUED, now=20) == []


def test_a_changed_time_limit_is_told() -> None:
    watched = running()
    heard(watched, replace(RUNNING, limit_seconds=600), now=0)
    [event] = heard(watched, replace(RUNNING, limit_seconds=1200), now=20)
    assert isinstance(event, Observed) and event.limit_seconds == 1200


def test_an_answer_older_than_the_start_is_not_a_requeue() -> None:
    watched = running()
    assert heard(watched, QUEUED, now=0) == []


def test_a_requeue_is_told_and_the_exit_of_the_older_run_no_longer_matters() -> None:
    watched = running()
    saw_exit(watched, 1, 143, now=0)
    again = NativeStatus("queued", "PENDING", restarts=1)
    assert kinds(heard(watched, again, now=1)) == [Observed]
    assert time_passed(watched, now=60) == []
    assert kinds(saw_start(watched, 2, native_id="12", node="n2")) == [Started]
    assert kinds(saw_exit(watched, 2, 0, now=70)) == [Exited]
    assert watched.over


def test_the_exit_of_an_older_run_ends_nothing() -> None:
    watched = running()
    saw_start(watched, 2, native_id="12", node="n2")
    assert kinds(saw_exit(watched, 1, 0, now=0)) == [Exited]
    assert not watched.over


def test_the_claim_names_the_job_to_follow() -> None:
    watched = Watched(native_id="13")
    heard(watched, COMPLETED, now=0)
    assert verdicts.follow_owner(watched, "12")
    assert time_passed(watched, now=10) == []
    assert watched.native_id == "12"


def test_a_cancelled_attempt_is_gone_with_its_exit_file() -> None:
    watched = running()
    assert verdicts.cancel(watched) == []
    assert kinds(saw_exit(watched, 1, 143, now=0)) == [Exited, Gone]
    assert watched.over


def test_a_cancelled_attempt_is_gone_with_the_batch_systems_word() -> None:
    watched = Watched(native_id="12")
    verdicts.cancel(watched)
    assert kinds(heard(watched, TIMEOUT, now=0)) == [Gone, Observed]
    assert watched.over


def test_a_cancelled_attempt_that_nobody_names_is_gone_after_a_short_grace() -> None:
    watched = Watched(native_id="12")
    verdicts.cancel(watched)
    heard(watched, None, now=0)
    heard(watched, None, now=21)
    assert kinds(time_passed(watched, now=21)) == [Gone]


def test_a_script_that_found_no_room_is_explained() -> None:
    watched = Watched(native_id="12")
    heard(watched, NativeStatus("ended", "FAILED", reason="exit-code", exit_code=73), now=0)
    [event] = time_passed(watched, now=5)
    assert isinstance(event, Observed) and event.reason == "disk"


@pytest.mark.parametrize(("code", "verdict"), [(75, GO), (0, STOP), (None, "")])
def test_a_chain_continues_ends_or_waits_by_the_rules_of_the_life_cycle(
    code: int | None, verdict: str
) -> None:
    attempt = Attempt(id="a1", number=1)
    task = Task(id="t1", attempt=attempt, policy=policy_of(Continue(on=["exit-75"])))
    events: list[Event] = [Started(attempt="a1", run=1, native_id="12", node="n1")]
    if code is not None:
        events.append(Exited(attempt="a1", run=1, exit_code=code))
    assert judge_end(task, events)[0] == verdict
    assert judge_end(replace(task, cancel_requested=True), events[:1])[0] == STOP
