"""The truth rules: files and the batch system's words become events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diamond.agent.tasks.machine import verdicts
from diamond.agent.tasks.machine.chain import judge_end
from diamond.agent.tasks.machine.state import GO, STOP, AttemptPhase, AttemptState, Outcome
from diamond.agent.tasks.machine.verdicts import LATE_SECONDS, TURNED_AWAY, NextStep, next_step
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


class Watch:
    """One attempt, from fact to fact."""

    def __init__(self, native_id: str = "12", on: tuple[str, ...] = ("exit-75",)) -> None:
        resume = Continue(on=list(on))
        self.state = AttemptState(
            "t1", "a1", resume=resume, native_id=native_id, phase=AttemptPhase.SUBMITTED
        )

    def take(self, outcome: Outcome) -> list[Event]:
        self.state = outcome.state
        return list(outcome.events)

    def saw_start(self, run: int, node: str = "n1") -> list[Event]:
        return self.take(verdicts.saw_start(self.state, run, native_id="12", node=node))

    def saw_exit(self, run: int, code: int, *, now: float) -> list[Event]:
        return self.take(verdicts.saw_exit(self.state, run, code, now=now))

    def heard(self, status: NativeStatus | None, *, now: float) -> list[Event]:
        return self.take(verdicts.after_status(self.state, status, now=now))

    def time_passed(self, *, now: float) -> list[Event]:
        return self.take(verdicts.time_passed(self.state, now=now))

    def cancel(self) -> list[Event]:
        return self.take(verdicts.cancel(self.state))

    def follow_owner(self, owner: str) -> None:
        self.state = verdicts.follow_owner(self.state, owner)


def running(*on: str) -> Watch:
    watch = Watch(on=on or ("exit-75",))
    watch.saw_start(1)
    return watch


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def test_exit_code_0_is_the_end_without_any_question() -> None:
    watch = running()
    assert watch.saw_exit(1, 0, now=0) == [Exited(run=1, exit_code=0)]
    assert watch.state.over and not watch.state.awaits_answer


def test_another_code_is_told_at_once_and_the_batch_systems_word_follows() -> None:
    watch = running()
    assert watch.saw_exit(1, 143, now=0) == [Exited(run=1, exit_code=143, signal=15)]
    assert watch.state.awaits_answer
    assert watch.heard(RUNNING, now=1) == [
        Observed(status="running", native_state="RUNNING", native_id="12", run=1, restarts=0)
    ]
    [event] = watch.heard(TIMEOUT, now=2)
    assert isinstance(event, Observed) and event.reason == "wall-time"
    assert watch.state.over


def test_without_a_word_the_exit_file_stands_alone_after_15_seconds() -> None:
    watch = running()
    watch.saw_exit(1, 1, now=0)
    assert watch.time_passed(now=14.9) == []
    assert kinds(watch.time_passed(now=15)) == [NoWord]
    assert watch.time_passed(now=16) == []
    assert not watch.state.over, "a late word may still sharpen the reason"
    assert kinds(watch.heard(TIMEOUT, now=60)) == [Observed]
    assert watch.state.over


def test_a_death_by_signal_waits_longer_while_the_batch_system_is_not_done_with_it() -> None:
    watch = running()
    watch.saw_exit(1, 143, now=0)
    watch.heard(NativeStatus("completing", "COMPLETING"), now=14)
    assert watch.time_passed(now=59) == []
    assert kinds(watch.time_passed(now=60)) == [NoWord]


COMPLETING = NativeStatus("completing", "COMPLETING")


@pytest.mark.parametrize("code", [1, 143], ids=["exit-code", "signal"])
def test_a_chain_waits_for_the_word_while_an_epilog_runs(code: int) -> None:
    """Whether it was the time limit is told only after that."""
    watch = running("wall-time")
    watch.saw_exit(1, code, now=0)
    watch.heard(COMPLETING, now=10)
    assert watch.state.awaits_answer
    assert watch.time_passed(now=600) == []
    assert not watch.state.awaits_answer, "the site's questions are for others too"
    [event] = watch.heard(TIMEOUT, now=601)
    assert isinstance(event, Observed) and event.reason == "wall-time"


def test_no_epilog_is_waited_for_without_end() -> None:
    watch = running("wall-time")
    watch.saw_exit(1, 143, now=0)
    watch.heard(COMPLETING, now=10)
    assert kinds(watch.time_passed(now=900)) == [NoWord]


def test_a_job_that_vanishes_from_its_epilog_is_waited_for_no_longer() -> None:
    watch = running("wall-time")
    watch.saw_exit(1, 143, now=0)
    watch.heard(COMPLETING, now=10)
    watch.heard(None, now=70)
    assert kinds(watch.time_passed(now=71)) == [NoWord]


def test_a_time_limit_that_is_named_during_the_epilog_is_believed_at_once() -> None:
    watch = running()
    watch.saw_exit(1, 143, now=0)
    [event] = watch.heard(replace(COMPLETING, reason="wall-time"), now=10)
    assert isinstance(event, Observed) and (event.status, event.reason) == ("ended", "wall-time")


def test_a_job_that_was_turned_away_ends_nothing_while_its_rival_may_run() -> None:
    watch = Watch()
    watch.heard(NativeStatus("ended", "FAILED", exit_code=TURNED_AWAY), now=0)
    assert watch.time_passed(now=100) == []
    watch.follow_owner("11")
    assert watch.time_passed(now=300) == []


def test_an_end_without_an_exit_file_waits_a_little_for_the_file() -> None:
    watch = running()
    assert watch.heard(FAILED, now=0) == []
    assert watch.time_passed(now=2.9) == []
    [event] = watch.time_passed(now=3)
    assert isinstance(event, Observed) and event.exit_code == 7


def test_the_exit_file_that_comes_within_the_grace_is_told_with_the_word() -> None:
    watch = running()
    watch.heard(FAILED, now=0)
    assert kinds(watch.saw_exit(1, 7, now=1)) == [Exited, Observed]


def test_an_exit_file_seen_before_its_start_counts() -> None:
    watch = Watch()
    assert kinds(watch.saw_exit(1, 0, now=0)) == [Exited]
    assert kinds(watch.saw_start(1)) == [Started]
    assert watch.state.over


def test_a_job_that_nobody_names_is_lost_after_120_seconds_of_real_absence() -> None:
    watch = running()
    assert watch.heard(None, now=0) == []
    assert watch.time_passed(now=500) == [], "one answer alone proves nothing"
    assert watch.heard(None, now=119) == []
    assert watch.time_passed(now=119) == []
    watch.heard(None, now=121)
    assert kinds(watch.time_passed(now=121)) == [Lost]


def test_a_job_that_is_named_again_was_never_lost() -> None:
    watch = running()
    watch.heard(None, now=0)
    watch.heard(RUNNING, now=100)
    watch.heard(None, now=150)
    assert watch.time_passed(now=200) == []


def test_the_same_word_is_told_once() -> None:
    watch = Watch()
    assert kinds(watch.heard(QUEUED, now=0)) == [Observed]
    assert watch.heard(QUEUED, now=20) == []


def test_a_changed_time_limit_is_told() -> None:
    watch = running()
    watch.heard(replace(RUNNING, limit_seconds=600), now=0)
    [event] = watch.heard(replace(RUNNING, limit_seconds=1200), now=20)
    assert isinstance(event, Observed) and event.limit_seconds == 1200


def test_an_answer_older_than_the_start_is_not_a_requeue() -> None:
    watch = running()
    assert watch.heard(QUEUED, now=0) == []


def test_a_requeue_is_told_and_the_exit_of_the_older_run_no_longer_matters() -> None:
    watch = running()
    watch.saw_exit(1, 143, now=0)
    again = NativeStatus("queued", "PENDING", restarts=1)
    assert kinds(watch.heard(again, now=1)) == [Observed]
    assert watch.time_passed(now=60) == []
    assert kinds(watch.saw_start(2, "n2")) == [Started]
    assert kinds(watch.saw_exit(2, 0, now=70)) == [Exited]
    assert watch.state.over


def test_the_exit_of_an_older_run_ends_nothing() -> None:
    watch = running()
    watch.saw_start(2, "n2")
    assert kinds(watch.saw_exit(1, 0, now=0)) == [Exited]
    assert not watch.state.over


def test_the_claim_names_the_job_to_follow() -> None:
    watch = Watch("13")
    watch.heard(COMPLETED, now=0)
    watch.follow_owner("12")
    assert watch.time_passed(now=10) == []
    assert watch.state.native_id == "12"


def test_a_cancelled_attempt_is_gone_with_its_exit_file() -> None:
    watch = running()
    assert watch.cancel() == []
    assert kinds(watch.saw_exit(1, 143, now=0)) == [Exited, Gone]
    assert watch.state.over


def test_a_cancelled_attempt_is_gone_with_the_batch_systems_word() -> None:
    watch = Watch()
    watch.cancel()
    assert kinds(watch.heard(TIMEOUT, now=0)) == [Gone, Observed]
    assert watch.state.over


def test_a_cancelled_attempt_that_nobody_names_is_gone_after_a_short_grace() -> None:
    watch = Watch()
    watch.cancel()
    watch.heard(None, now=0)
    watch.heard(None, now=21)
    assert kinds(watch.time_passed(now=21)) == [Gone]


def test_a_script_that_found_no_room_is_explained() -> None:
    watch = Watch()
    watch.heard(NativeStatus("ended", "FAILED", reason="exit-code", exit_code=73), now=0)
    [event] = watch.time_passed(now=5)
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


@pytest.mark.parametrize(
    ("files", "step"),
    [
        (set(), NextStep.STAGE),
        ({"cancelled"}, NextStep.GIVE_UP),
        ({"submitting", "cancelled"}, NextStep.FIND),
        ({"failed", "submitting"}, NextStep.FAIL),
        ({"native", "failed", "cancelled"}, NextStep.FOLLOW),
    ],
    ids=["new", "cancelled-first", "killed-while-submitting", "rejected", "in-the-queue"],
)
def test_an_attempt_continues_where_its_files_show_it_was_left(
    files: set[str], step: NextStep
) -> None:
    left = next_step(
        native_id="12" if "native" in files else "",
        has_failed="failed" in files,
        was_submitting="submitting" in files,
        is_cancelled="cancelled" in files,
    )
    assert left is step


def test_no_function_changes_the_state_it_is_given() -> None:
    before = running().state
    copy = replace(before)
    for status in (QUEUED, RUNNING, TIMEOUT, FAILED, None):
        verdicts.after_status(before, status, now=1)
    verdicts.saw_exit(before, 1, 143, now=1)
    verdicts.cancel(before)
    assert before == copy and before.exits == {}


def test_a_cancel_without_effect_is_repeated_after_a_while() -> None:
    asked = replace(running().state, cancelled=True, cancel_asked_at=100.0)
    assert not verdicts.must_cancel_again(asked, now=130)
    assert verdicts.must_cancel_again(asked, now=131)


def test_a_changed_time_limit_is_followed_once() -> None:
    state = replace(running().state, walltime_minutes=10)
    assert verdicts.follow_limit(state, replace(RUNNING, limit_seconds=600)) is state
    assert verdicts.follow_limit(state, None) is state
    longer = verdicts.follow_limit(state, replace(RUNNING, limit_seconds=900))
    assert longer.asked_seconds == 900
    assert verdicts.follow_limit(longer, replace(RUNNING, limit_seconds=900)) is longer


def test_files_of_a_run_without_an_exit_file_are_awaited_for_a_while() -> None:
    state = replace(running().state, over=True)
    noted = verdicts.note_end(state, now=50)
    assert verdicts.note_end(noted, now=99).over_at == 50, "noted once"
    assert verdicts.is_late(noted, now=50 + LATE_SECONDS - 1)
    assert not verdicts.is_late(noted, now=50 + LATE_SECONDS)
    assert not verdicts.is_late(replace(noted, exits={1: 0}), now=50), "its files are all there"
