"""When a chain of attempts goes on, with which attempt, and when it stops."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diamond.core.actions import FollowUpTakes, NextAttempt, SendCancel
from diamond.core.events import (
    Allowed,
    Arrived,
    AttemptKnown,
    CancelAsked,
    Event,
    Exited,
    Gone,
    NotAllowed,
    NoWord,
    Observed,
    Progressed,
    Started,
    Submitted,
)
from diamond.core.follow_ups import begin_attempt
from diamond.core.lifecycle import step
from diamond.core.task import RESUMABLE, ContinuePolicy, Phase, Reached, Reason, State, Task

WALL_TIME = ContinuePolicy(on=frozenset({"wall-time"}), max_attempts=9, has_pattern=True)


def running(policy: ContinuePolicy = WALL_TIME, attempt: str = "a1", number: int = 1) -> Task:
    begun = begin_attempt(Task(id="t1", policy=policy), attempt, number)
    return step(begun, Started(attempt=attempt))[0]


def told(task: Task, *events: Event) -> tuple[Task, list[object]]:
    actions: list[object] = []
    for event in events:
        task, more = step(task, event)
        actions += more
    return task, actions


def over(attempt: str) -> Observed:
    return Observed(attempt=attempt, status="ended", reason="wall-time", exit_code=0, signal=15)


def test_exit_75_goes_on_without_waiting_for_the_scheduler() -> None:
    task, actions = told(running(), Exited(attempt="a1", exit_code=75))
    assert actions == [NextAttempt(2)]
    assert task.phase is Phase.BETWEEN_ATTEMPTS


@pytest.mark.parametrize(
    "word",
    [
        NoWord(attempt="a1"),
        Observed(attempt="a1", status="ended", run=2, reason="exit-code", exit_code=73),
    ],
)
def test_a_run_that_its_script_held_back_for_the_budget_ends_the_task_with_that_reason(
    word: Event,
) -> None:
    """The site put it back in the queue; no ending after which a chain goes on."""
    policy = replace(WALL_TIME, on=frozenset({"exit-code", "wall-time"}))
    held_back = Exited(attempt="a1", run=2, exit_code=73, reason="budget", message="no room")
    task, actions = told(
        running(policy),
        Exited(attempt="a1", run=1, exit_code=143, signal=15),
        Observed(attempt="a1", status="queued", run=1, restarts=1),
        Started(attempt="a1", run=2),
        held_back,
        word,
    )
    assert (task.state, task.reason, task.message) == (State.FAILED, Reason.BUDGET, "no room")
    assert not any(isinstance(one, NextAttempt) for one in actions)
    assert task.reason in RESUMABLE


def test_two_attempts_without_progress_stop_the_chain() -> None:
    task, actions = told(running(), Progressed(attempt="a1", step=5), over("a1"))
    assert (actions, task.stalled) == ([NextAttempt(2)], 0)
    for number in (2, 3):
        attempt = f"a{number}"
        task = told(begin_attempt(task, attempt, number), Started(attempt=attempt))[0]
        task, actions = told(task, Progressed(attempt=attempt, step=5), over(attempt))
    assert (task.state, task.reason, actions) == (State.FAILED, Reason.NO_PROGRESS, [])
    assert "step 5" in task.message


def test_a_newer_checkpoint_is_progress_though_no_step_was_logged() -> None:
    task, _ = told(running(), Progressed(attempt="a1", checkpoint="1.pt", modified=10), over("a1"))
    task = told(begin_attempt(task, "a2", 2), Started(attempt="a2"))[0]
    task, actions = told(task, Progressed(attempt="a2", checkpoint="1.pt", modified=11), over("a2"))
    assert (task.stalled, task.reached.modified, actions) == (0, 11, [NextAttempt(3)])


def failed(attempt: str) -> list[Event]:
    return [Exited(attempt=attempt, exit_code=1), NoWord(attempt=attempt)]


def test_a_checkpoint_with_which_a_program_fails_at_once_is_doubted_once() -> None:
    """It may be half written: the last attempt was killed. If the one before is no better, the program is at fault."""
    saved = Progressed(attempt="a1", checkpoint="1.pt", modified=10)
    task, _ = told(running(), saved, over("a1"))
    task = told(begin_attempt(task, "a2", 2), Started(attempt="a2"))[0]
    task, actions = told(task, replace(saved, attempt="a2"), *failed("a2"))
    assert (actions, task.stalled) == ([NextAttempt(3)], 1)
    task = told(begin_attempt(task, "a3", 3), Started(attempt="a3"))[0]
    task, _ = told(task, replace(saved, attempt="a3"), *failed("a3"))
    assert (task.state, task.reason) == (State.FAILED, Reason.EXIT_CODE)


def test_a_program_that_fails_after_a_newer_checkpoint_has_no_doubt_in_its_favour() -> None:
    task, _ = told(running(), Progressed(attempt="a1", checkpoint="1.pt", modified=10), over("a1"))
    task = told(begin_attempt(task, "a2", 2), Started(attempt="a2"))[0]
    newer = Progressed(attempt="a2", checkpoint="2.pt", modified=20)
    task, _ = told(task, newer, *failed("a2"))
    assert (task.state, task.reason) == (State.FAILED, Reason.EXIT_CODE)


def test_the_first_attempts_failure_is_the_programs_own() -> None:
    task, _ = told(running(), *failed("a1"))
    assert (task.state, task.reason) == (State.FAILED, Reason.EXIT_CODE)


def test_where_nothing_tells_how_far_it_came_exit_75_is_believed() -> None:
    task = running(ContinuePolicy(max_attempts=9))
    for number in range(1, 6):
        attempt = f"a{number}"
        task, actions = told(task, Exited(attempt=attempt, exit_code=75))
        assert actions == [NextAttempt(number + 1)]
        task = begin_attempt(task, f"a{number + 1}", number + 1)
        task = told(task, Started(attempt=f"a{number + 1}"))[0]


def test_a_follow_up_changes_nothing_until_it_is_needed() -> None:
    task, actions = told(
        running(),
        AttemptKnown(attempt="f", number=2),
        Submitted(attempt="f", native_id="8"),
        Arrived(attempt="f", native_id="8", node="n2"),
    )
    assert not [one for one in actions if isinstance(one, (NextAttempt, SendCancel))]
    assert (task.state, task.attempt.id) == (State.RUNNING, "a1")
    assert task.follow_up is not None and task.follow_up.native_id == "8"


def test_the_follow_up_that_is_queued_takes_over_and_none_is_made() -> None:
    task, actions = told(
        running(),
        AttemptKnown(attempt="f", number=2),
        Submitted(attempt="f", native_id="8"),
        Progressed(attempt="a1", step=3),
        over("a1"),
    )
    assert actions[-1] == FollowUpTakes("a1", Reason.WALL_TIME)
    assert (task.attempt.id, task.attempt.number, task.phase) == ("f", 2, Phase.QUEUED)
    assert task.follow_up is None
    assert told(task, Started(attempt="f"))[0].state is State.RUNNING


def test_a_follow_up_whose_program_has_started_shows_that_the_one_before_is_over() -> None:
    task, actions = told(
        running(), AttemptKnown(attempt="f", number=2), Started(attempt="f", node="n2")
    )
    assert any(isinstance(one, FollowUpTakes) for one in actions)
    assert (task.state, task.attempt.id, task.attempt.run) == (State.RUNNING, "f", 1)
    late, _ = told(task, Exited(attempt="a1", exit_code=0))
    assert late.state is State.RUNNING


def test_a_follow_up_goes_away_when_the_work_is_done() -> None:
    known = AttemptKnown(attempt="f", number=2)
    task, actions = told(running(), known, Exited(attempt="a1", exit_code=0))
    assert task.state is State.SUCCEEDED
    assert actions == [SendCancel("f")]
    assert SendCancel("f") in told(task, Submitted(attempt="f"))[1]


def test_a_follow_up_that_was_given_back_keeps_its_number() -> None:
    task, _ = told(running(), AttemptKnown(attempt="f", number=2), Gone(attempt="f"))
    assert (task.state, task.follow_up) == (State.RUNNING, None)
    assert told(task, Exited(attempt="a1", exit_code=75))[1] == [NextAttempt(3)]


def test_a_cancel_reaches_the_follow_up_too() -> None:
    task, actions = told(running(), AttemptKnown(attempt="f", number=2), CancelAsked())
    assert actions == [SendCancel("a1"), SendCancel("f")]
    assert told(task, Gone(attempt="a1"))[0].state is State.CANCELLED


def test_a_task_that_may_not_go_on_asks_and_goes_on_when_it_is_allowed() -> None:
    task, _ = told(running(), Exited(attempt="a1", exit_code=75))
    asking, _ = told(task, NotAllowed(reason="continue-limit", message="three", ask=True))
    assert (asking.state, asking.phase, asking.message) == (State.PENDING, Phase.ASKING, "three")
    still, actions = told(asking, over("a1"))
    assert still.phase is Phase.ASKING
    assert not [one for one in actions if isinstance(one, NextAttempt)]
    allowed, actions = told(asking, Allowed(by="ann"))
    assert (allowed.phase, actions) == (Phase.BETWEEN_ATTEMPTS, [NextAttempt(2)])
    assert told(asking, CancelAsked())[0].state is State.CANCELLED


def test_a_task_beyond_its_budget_ends_with_that_reason() -> None:
    task, _ = told(running(), Exited(attempt="a1", exit_code=75))
    ended, _ = told(task, NotAllowed(reason="budget", message="0.1 left"))
    assert (ended.state, ended.reason) == (State.FAILED, Reason.BUDGET)


ATTEMPTS = st.sampled_from(["a1", "a2", "f", "stranger"])
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(AttemptKnown, attempt=ATTEMPTS, number=st.integers(1, 4)),
    st.builds(Submitted, attempt=ATTEMPTS, native_id=st.just("7")),
    st.builds(Arrived, attempt=ATTEMPTS),
    st.builds(Started, attempt=ATTEMPTS, run=st.integers(1, 2)),
    st.builds(Progressed, attempt=ATTEMPTS, step=st.integers(-1, 3), modified=st.floats(0, 3)),
    st.builds(
        Exited,
        attempt=ATTEMPTS,
        run=st.integers(1, 2),
        exit_code=st.sampled_from([0, 1, 75, 143]),
    ),
    st.builds(over, ATTEMPTS),
    st.builds(Gone, attempt=ATTEMPTS),
    st.builds(NotAllowed, reason=st.just("budget"), ask=st.booleans()),
    st.builds(Allowed),
    st.builds(CancelAsked, delivered=st.booleans()),
)


def carried_out(task: Task, event: Event) -> tuple[Task, list[object]]:
    """As the service does it: a next attempt is begun at once."""
    task, actions = step(task, event)
    for action in actions:
        if isinstance(action, NextAttempt):
            task = begin_attempt(task, f"n{action.number}", action.number)
    return task, list(actions)


@settings(max_examples=300, deadline=None)
@given(st.lists(EVENTS, max_size=25))
def test_whatever_comes_in_whatever_order_a_chain_holds_its_promises(events: list[Event]) -> None:
    task = running()
    for event in events:
        before = task
        task, actions = carried_out(task, event)
        begun = [one for one in actions if isinstance(one, NextAttempt)]
        assert len(begun) <= 1
        assert all(one.number > before.attempt.number for one in begun)
        took_over = any(isinstance(one, FollowUpTakes) for one in actions)
        assert took_over or not (begun and before.follow_up), "a follow-up was there already"
        assert task.attempt.number >= before.attempt.number
        assert task.stalled < 2 or task.is_final
        if before.is_final:
            assert replace(task, reason=before.reason, message=before.message) == replace(
                before, native_state=task.native_state
            )
        if task.follow_up is not None:
            assert task.follow_up.number > task.attempt.number
            assert task.follow_up.id != task.attempt.id
            if task.is_final and not before.is_final:
                assert SendCancel(task.follow_up.id) in actions


@given(
    st.builds(Reached, modified=st.floats(0, 9), step=st.integers(-1, 9)),
    st.builds(Reached, modified=st.floats(0, 9), step=st.integers(-1, 9)),
)
def test_the_farthest_of_two_is_behind_neither(one: Reached, other: Reached) -> None:
    farthest = one.farthest(other)
    assert not one.is_beyond(farthest)
    assert not other.is_beyond(farthest)


def test_follow_ups_that_never_began_do_not_count_as_attempts() -> None:
    """The second was withdrawn while it waited, the third was overtaken by the fourth."""
    task = running(ContinuePolicy(max_attempts=2))
    for event in (
        AttemptKnown(attempt="a2", number=2),
        Gone(attempt="a2"),
        AttemptKnown(attempt="a3", number=3),
        Exited(attempt="a1", exit_code=75),
        AttemptKnown(attempt="a4", number=4),
        Started(attempt="a4"),
    ):
        task, _ = step(task, event)
    assert (task.attempt.id, task.ended) == ("a4", 1)
    task, _ = step(task, Exited(attempt="a4", exit_code=75))
    assert task.reason is Reason.CONTINUE_LIMIT and task.message.startswith("2 attempts were made")


def test_a_chain_at_its_most_attempts_says_how_the_last_one_ended() -> None:
    most = ContinuePolicy(on=frozenset({"exit-75", "wall-time"}), max_attempts=1)
    asked, _ = told(running(most), Exited(attempt="a1", exit_code=75))
    assert asked.message.endswith("`max_attempts` allows, and the last asked to be continued")
    limited, _ = told(running(most), Progressed(attempt="a1", step=5), over("a1"))
    assert limited.message.endswith("the last ended so: the time limit was reached")


def test_an_end_without_a_message_is_told_in_the_words_of_its_reason() -> None:
    lost = Observed(attempt="a1", status="ended", reason="node-lost")
    task, _ = told(running(ContinuePolicy()), lost)
    assert (task.state, task.message) == (State.FAILED, "a node failed")
