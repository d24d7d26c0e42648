"""Whatever order facts arrive in, repeated or late, a task tells no lie."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from diamond.core.actions import NextAttempt
from diamond.core.events import (
    CancelAsked,
    Event,
    Exited,
    Gone,
    Held,
    Lost,
    NoWord,
    Observed,
    PrepareFailed,
    Staging,
    Started,
    Submitted,
    event_data,
    event_from,
)
from diamond.core.follow_ups import begin_attempt
from diamond.core.lifecycle import step
from diamond.core.task import Attempt, ContinuePolicy, State, Task

ATTEMPTS = st.sampled_from(["a1", "a2", "stranger"])
RUNS = st.integers(1, 3)
CODES = st.sampled_from([0, 1, 75, 137])
REASONS = st.sampled_from(["", "wall-time", "node-lost", "preempted", "by-site", "nonsense"])
STATUSES = st.sampled_from(
    ["queued", "running", "suspended", "completing", "ended", "unknown", "???"]
)

EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Staging, attempt=ATTEMPTS, what=st.sampled_from(["code", "environment"])),
    st.builds(PrepareFailed, attempt=ATTEMPTS, reason=REASONS),
    st.builds(Held, attempt=ATTEMPTS, reason=REASONS),
    st.builds(Submitted, attempt=ATTEMPTS, native_id=st.just("7")),
    st.builds(Started, attempt=ATTEMPTS, run=RUNS),
    st.builds(Exited, attempt=ATTEMPTS, run=RUNS, exit_code=CODES),
    st.builds(
        Observed,
        attempt=ATTEMPTS,
        status=STATUSES,
        reason=REASONS,
        run=RUNS,
        exit_code=CODES,
        restarts=st.integers(-1, 3),
    ),
    st.builds(NoWord, attempt=ATTEMPTS),
    st.builds(Lost, attempt=ATTEMPTS),
    st.builds(Gone, attempt=ATTEMPTS),
    st.builds(CancelAsked, delivered=st.booleans()),
)
POLICIES = st.builds(
    ContinuePolicy,
    on=st.frozensets(st.sampled_from(["wall-time", "node-lost", "preempted"])),
    max_attempts=st.integers(1, 3),
)


def live(task: Task, event: Event) -> Task:
    """One step, with its follow-up attempt begun as the service begins it."""
    task, actions = step(task, event)
    for action in actions:
        if isinstance(action, NextAttempt):
            task = begin_attempt(task, f"a{action.number}", action.number)
    return task


@settings(max_examples=500, deadline=None)
@given(st.lists(EVENTS, max_size=25), POLICIES)
def test_a_final_state_never_changes(events: list[Event], policy: ContinuePolicy) -> None:
    task = Task(id="t", attempt=Attempt("a1"), policy=policy)
    final: State | None = None
    for event in events:
        task = live(task, event)
        if final:
            assert task.state is final
        elif task.is_final:
            final = task.state


@settings(max_examples=500, deadline=None)
@given(st.lists(EVENTS, max_size=25), POLICIES)
def test_success_needs_a_zero_from_the_newest_run_or_the_batch_system(
    events: list[Event], policy: ContinuePolicy
) -> None:
    task = Task(id="t", attempt=Attempt("a1"), policy=policy)
    seen: list[Event] = []
    for event in events:
        task = live(task, event)
        seen.append(event)
        if task.state is State.SUCCEEDED:
            assert any(
                isinstance(e, (Exited, Observed))
                and e.exit_code == 0
                and e.attempt == task.attempt.id
                for e in seen
            )
            assert task.exit_code == 0
            break


@settings(max_examples=300, deadline=None)
@given(st.lists(EVENTS, max_size=25), POLICIES)
def test_attempts_never_pass_the_limit_and_repeats_start_none(
    events: list[Event], policy: ContinuePolicy
) -> None:
    task = Task(id="t", attempt=Attempt("a1"), policy=policy)
    for event in events:
        task = live(task, event)
        again = live(task, event)
        if isinstance(event, CancelAsked) or event.attempt == task.attempt.id:
            assert again.attempt.number == task.attempt.number or not task.is_final
        assert task.attempt.number <= policy.max_attempts


@settings(max_examples=300, deadline=None)
@given(st.lists(EVENTS, max_size=25))
def test_nobody_cancels_but_a_person(events: list[Event]) -> None:
    task = Task(id="t", attempt=Attempt("a1"))
    for event in events:
        if not isinstance(event, (CancelAsked, Gone)):
            task = live(task, event)
    assert task.state is not State.CANCELLED


@given(EVENTS)
def test_events_survive_the_wire(event: Event) -> None:
    if not isinstance(event, CancelAsked):
        assert event_from(event_data(event)) == event


@given(st.dictionaries(st.text(), st.integers() | st.text()))
def test_an_unknown_event_becomes_a_note(data: dict[str, object]) -> None:
    data = {**data, "type": "from-the-future"}
    data.pop("at", None)
    task = Task(id="t", attempt=Attempt("a1"))
    after, _ = step(task, event_from(data))
    assert replace(after, as_of=0.0) == task
