"""What comes next in a chain, as tables of facts and decisions: no folder, no clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diamond.agent.tasks.machine
from diamond.agent.tasks.machine import chain as machine
from diamond.agent.tasks.machine.chain import (
    ChainState,
    ExcludeNodes,
    FollowUp,
    LineFacts,
    OnArrival,
    RunningProgram,
    Withdraw,
)
from diamond.agent.tasks.machine.reports import announce, record, report_progress
from diamond.agent.tasks.machine.state import (
    GO,
    STOP,
    AttemptFiles,
    AttemptPhase,
    AttemptState,
    Standing,
)
from diamond.core.actions import NextAttempt
from diamond.core.events import (
    AttemptKnown,
    Event,
    Exited,
    Gone,
    Held,
    Lost,
    Note,
    NoWord,
    Observed,
    Staging,
    Started,
    Submitted,
)
from diamond.core.follow_ups import begin_attempt
from diamond.core.lifecycle import policy_of, step
from diamond.core.native import NativeStatus
from diamond.core.order import Continue
from diamond.core.protocol import Grant, QueueAfter
from diamond.core.task import Reached, Task

HOUR = 3600.0
PURE = {"__future__", "collections.abc", "dataclasses", "enum", "math", "typing"}
PURE_PACKAGES = ("diamond.core.", "diamond.planning.", "diamond.agent.tasks.machine.")


def attempt(number: int, files: AttemptFiles | None = None, **known: object) -> AttemptState:
    """An attempt that waits in the queue; all but the first were queued early."""
    state = AttemptState(
        "t1",
        f"a{number}",
        number=number,
        after=f"a{number - 1}" if number > 1 else "",
        is_early=number > 1,
        resume=Continue(on=["exit-75"], ahead=True),
        walltime_minutes=60,
        phase=AttemptPhase.SUBMITTED,
        native_id=str(number),
        files=files or AttemptFiles(),
    )
    return replace(state, **known)  # type: ignore[arg-type]


def running(number: int) -> AttemptState:
    return attempt(number, run=1, starts=frozenset({1}))


def ended(number: int, code: int = 75) -> AttemptState:
    return replace(running(number), exits={1: code}, over=True)


def unloaded(number: int, files: AttemptFiles | None = None) -> AttemptState:
    return attempt(number, files, phase=AttemptPhase.UNLOADED)


def chain(*attempts: AttemptState) -> ChainState:
    return ChainState(attempts)


def names(actions: list[Withdraw]) -> list[str]:
    return [action.attempt for action in actions]


BARRED, CANCELLED = AttemptFiles(is_barred=True), AttemptFiles(is_cancelled=True)
WITHDRAWN = AttemptFiles(is_cancelled=True, is_withdrawn=True)
REJECTED, ARRIVED = AttemptFiles(has_failed=True), AttemptFiles(has_arrived=True)


def test_the_machine_imports_nothing_that_reads_or_waits() -> None:
    folder = Path(next(iter(diamond.agent.tasks.machine.__path__)))
    impure = [
        f"{file.name} imports {name}"
        for file in folder.glob("*.py")
        for name in imports_of(file)
        if name not in PURE and not f"{name}.".startswith(PURE_PACKAGES)
    ]
    assert not impure
    calls = [node for file in folder.glob("*.py") for node in ast.walk(ast.parse(file.read_text()))]
    assert not [node for node in calls if isinstance(node, ast.Name) and node.id == "open"]


def imports_of(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize(
    ("later", "successor"),
    [
        ([], None),
        ([attempt(2), attempt(3)], "a2"),
        ([unloaded(2)], "a2"),
        ([attempt(2, BARRED), attempt(3)], "a3"),
        ([attempt(2, WITHDRAWN), attempt(3, REJECTED), attempt(4)], "a4"),
        ([attempt(2, CANCELLED)], None),
    ],
    ids=["none", "the-next", "not-loaded-yet", "overtaken", "withdrawn-and-rejected", "cancelled"],
)
def test_the_next_attempt_that_still_may_begin_continues(
    later: list[AttemptState], successor: str | None
) -> None:
    next_one = chain(ended(1), *later).successor_of(ended(1))
    assert (next_one.attempt if next_one else None) == successor


@pytest.mark.parametrize(
    ("event", "state", "may_follow"),
    [
        (Exited(exit_code=75), attempt(1, resume=Continue()), True),
        (Exited(exit_code=1), attempt(1, resume=Continue()), False),
        (Exited(exit_code=1), attempt(2, resume=Continue()), True),
        (NoWord(), attempt(1, resume=Continue(pattern="*.pt")), True),
        (Lost(), attempt(1, resume=Continue(ahead=1)), True),
        (Observed(status="running"), attempt(2), False),
        (Gone(), attempt(2), False),
        (Started(), attempt(2), False),
    ],
)
def test_only_ends_of_attempts_that_may_be_followed_cost_a_look_at_the_chain(
    event: Event, state: AttemptState, may_follow: bool
) -> None:
    assert machine.may_be_followed(state, event) is may_follow


ASKS, TIMEOUT = Exited(run=1, exit_code=75), Observed(status="ended", run=1, reason="wall-time")
CRASH = [Exited(run=1, exit_code=1), NoWord()]


@pytest.mark.parametrize(
    ("on", "events", "cancelled", "verdict"),
    [
        ([], [ASKS], False, GO),
        ([], [Exited(run=1, exit_code=0)], False, STOP),
        ([], CRASH[:1], False, ""),
        ([], CRASH, False, STOP),
        ([], [TIMEOUT], False, STOP),
        (["wall-time"], [TIMEOUT], False, GO),
        (["node-lost"], [Lost()], False, GO),
        (["exit-code"], CRASH, False, GO),
        ([], [ASKS], True, STOP),
        (["wall-time"], [TIMEOUT], True, STOP),
        ([], [AttemptKnown(attempt="a9", number=9), ASKS], False, GO),
    ],
)
def test_an_end_is_judged_by_the_rules_of_the_life_cycle(
    on: list[str], events: list[Event], cancelled: bool, verdict: str
) -> None:
    state = attempt(1, resume=Continue(on=["exit-75", *on]), facts=(Started(run=1),))
    judged = machine.judge(state, events, before=Standing(), is_cancelled=cancelled)
    assert judged.verdict == verdict
    assert judged.standing.ended == 1


@pytest.mark.parametrize(("stalled", "verdict"), [(0, GO), (1, STOP)])
def test_a_chain_stops_after_two_attempts_without_progress(stalled: int, verdict: str) -> None:
    state = attempt(2, resume=Continue(on=["wall-time"], pattern="*.pt"))
    before = Standing(Reached("1.pt", 5.0), stalled=stalled, ended=1)
    judged = machine.judge(state, [TIMEOUT], before=before, is_cancelled=False)
    assert (judged.verdict, judged.standing.stalled) == (verdict, stalled + 1)


@pytest.mark.parametrize(
    ("reached", "doubted"), [(Reached("1.pt", 5.0), "1.pt"), (Reached("2.pt", 9.0), None)]
)
def test_a_checkpoint_with_which_an_attempt_fails_at_once_is_doubted(
    reached: Reached, doubted: str | None
) -> None:
    resume = Continue(on=["wall-time", "exit-code"], pattern="*.pt")
    state, events = report_progress(attempt(2, resume=resume), reached)
    before = Standing(Reached("1.pt", 5.0), ended=1)
    judged = machine.judge(state, [*events, *CRASH], before=before, is_cancelled=False)
    assert (judged.verdict, judged.doubted) == (GO, doubted)


def test_an_end_also_binds_later_attempts_that_never_begin() -> None:
    every = chain(ended(1), attempt(2, BARRED), attempt(3, WITHDRAWN), attempt(4), attempt(5))
    assert machine.bound_by_end(every, ended(1)) == ["a2", "a3"]


def test_after_the_last_attempt_all_that_still_might_begin_is_withdrawn() -> None:
    every = chain(
        attempt(1, BARRED),
        ended(2, 0),
        attempt(3),
        attempt(4, REJECTED),
        attempt(5, CANCELLED),
        unloaded(6),
    )
    assert names(machine.not_needed_after(every, ended(2, 0))) == ["a1", "a3", "a6"]


def test_a_cancel_by_the_service_ends_also_attempts_it_has_not_heard_of() -> None:
    every = chain(
        attempt(1, is_unannounced=True),
        running(2),
        attempt(3, CANCELLED),
        attempt(4, is_unannounced=True),
        ended(5),
    )
    assert names(machine.not_needed_after_cancel(every, 2)) == ["a1", "a4"]


def test_follow_ups_are_kept_off_nodes_that_failed_the_task_twice() -> None:
    answer = NativeStatus("running", "RUNNING", nodes="n[1-3]")
    every = chain(
        running(1),
        attempt(2),
        attempt(3, native_id=""),
        attempt(4, replace(ARRIVED, nodes=("n3", "n4"))),
        attempt(5, ARRIVED, reported=answer),
        attempt(6, replace(ARRIVED, nodes=("n7",))),
    )
    wanted = [ExcludeNodes("a2"), Withdraw("a4"), Withdraw("a5")]
    assert machine.avoid_nodes(every, ["n3"]) == wanted
    assert machine.avoid_nodes(every, []) == []


@pytest.mark.parametrize(
    ("ran_seconds", "can_hand_over", "choice"),
    [
        (0.3 * HOUR, True, OnArrival.HAND_OVER),
        (0.3 * HOUR, False, OnArrival.GIVE_BACK),
        (0.1 * HOUR, True, OnArrival.GIVE_BACK),
        (0.95 * HOUR, True, OnArrival.WAIT),
        (0.95 * HOUR, False, OnArrival.WAIT),
    ],
)
def test_a_follow_up_with_nodes_waits_hands_over_or_gives_them_back(
    ran_seconds: float, can_hand_over: bool, choice: OnArrival
) -> None:
    follow_up = attempt(2, ARRIVED, arrived=True)
    program = RunningProgram(ran_seconds, can_hand_over)
    every = chain(running(1), follow_up)
    assert machine.on_arrival(every, follow_up, program=program, grant=Grant()) is choice


@pytest.mark.parametrize(
    ("others", "choice"),
    [
        ([ended(1)], OnArrival.START),
        ([attempt(2)], OnArrival.START),
        ([attempt(2, ARRIVED, arrived=True)], OnArrival.LEAVE),
        ([attempt(2, AttemptFiles(owner="2"))], OnArrival.LEAVE),
        ([attempt(2, WITHDRAWN, arrived=True)], OnArrival.START),
        ([running(4)], OnArrival.NOTHING),
    ],
    ids=["alone", "first", "behind-nodes", "behind-a-claim", "that-one-left", "overtaken"],
)
def test_what_becomes_of_nodes_depends_on_those_before_it(
    others: list[AttemptState], choice: OnArrival
) -> None:
    follow_up = attempt(3, ARRIVED, arrived=True)
    every = chain(*sorted([*others, follow_up], key=lambda each: each.number))
    decided = machine.on_arrival(every, follow_up, program=RunningProgram(), grant=Grant())
    assert decided is choice


def test_nodes_that_came_far_too_early_are_asked_for_again_after_half_of_the_rest() -> None:
    assert machine.queue_again_seconds(running(1), RunningProgram(HOUR / 4)) == 0.375 * HOUR


def test_only_barred_attempts_before_it_are_overtaken() -> None:
    every = chain(ended(1), unloaded(2, BARRED), attempt(3), attempt(4), attempt(5, BARRED))
    assert [each.attempt for each in machine.overtaken_by(every, attempt(4))] == ["a2"]


@pytest.mark.parametrize(
    ("state", "due", "wanted"),
    [
        (running(1), 0.0, True),
        (running(1), 11.0, False),
        (attempt(1), 0.0, False),
        (replace(running(1), cancelled=True), 0.0, False),
        (replace(running(1), resume=Continue()), 0.0, False),
    ],
    ids=["running", "too-soon", "queued", "cancelled", "nothing-ahead"],
)
def test_a_follow_up_is_queued_only_for_a_running_program(
    state: AttemptState, due: float, wanted: bool
) -> None:
    assert machine.wants_follow_up(state, due=due, now=10.0) is wanted


@pytest.mark.parametrize(
    ("hands_over", "ran", "due"), [(True, 10, True), (False, 10, False), (False, 3000, True)]
)
def test_a_program_that_cannot_hand_over_is_followed_later(
    hands_over: bool, ran: float, due: bool
) -> None:
    grant = Grant(queue_after_seconds=0.0, alone=QueueAfter(queue_after_seconds=3000.0))
    rules = machine.queue_rules(grant, hands_over=hands_over)
    assert machine.is_follow_up_due(rules, ran) is due
    assert not machine.is_follow_up_due(Grant(), 1e9), "not granted"


@pytest.mark.parametrize(
    ("grant", "is_over"),
    [
        (Grant(), False),
        (Grant(until=2, counted=2), False),
        (Grant(until=1, counted=2), True),
        (Grant(until=2, counted=3), False),
        (Grant(counted=1), True),
    ],
)
def test_a_follow_up_goes_when_its_grant_was_withdrawn(grant: Grant, is_over: bool) -> None:
    assert machine.is_over_budget(grant, 2) is is_over


@pytest.mark.parametrize(
    ("states", "announced"),
    [
        ([attempt(1), attempt(2), attempt(3)], ["a1", "a2"]),
        ([running(1), attempt(2), attempt(3)], ["a2"]),
        ([attempt(1, BARRED), attempt(2), attempt(3)], ["a2"]),
        ([attempt(1, replace(BARRED, is_cancelled=True)), attempt(2), attempt(3)], ["a2", "a3"]),
        ([ended(1), attempt(2, CANCELLED), attempt(3)], ["a3"]),
    ],
    ids=["none-runs", "one-runs", "overtaken", "overtaken-and-gone", "cancelled"],
)
def test_the_service_learns_of_the_present_attempt_and_the_next(
    states: list[AttemptState], announced: list[str]
) -> None:
    assert machine.to_announce(chain(*states)) == announced


def test_attempts_that_a_later_one_has_passed_are_withdrawn() -> None:
    asked = attempt(2, cancelled=True)
    every = chain(ended(1), asked, attempt(3), running(4), attempt(5))
    assert names(machine.passed_by(every, running(4))) == ["a3"]


@pytest.mark.parametrize(
    ("state", "has_turn", "has_begun", "unannounced"),
    [
        (attempt(2), False, False, True),
        (attempt(2), True, False, False),
        (attempt(2), False, True, False),
        (attempt(1), False, False, False),
        (attempt(2, resume=Continue(ahead=1)), False, False, False),
    ],
)
def test_one_that_waits_behind_others_begins_unannounced(
    state: AttemptState, has_turn: bool, has_begun: bool, unannounced: bool
) -> None:
    decided = machine.begins_unannounced(state, has_turn=has_turn, has_begun=has_begun)
    assert decided is unannounced


def queued_at(number: int, at: float) -> AttemptState:
    return attempt(number, AttemptFiles(submitted_at=at))


@pytest.mark.parametrize(
    ("ahead", "cushion", "wanted"),
    [
        (2, 0.0, None),
        (2, 1e9, FollowUp(after="a2")),
        (1, 1e9, None),
    ],
    ids=["too-soon", "due", "full"],
)
def test_one_more_is_queued_behind_the_last_when_it_is_due(
    ahead: int, cushion: float, wanted: FollowUp | None
) -> None:
    last = replace(queued_at(2, 1000.0), resume=Continue(ahead=ahead))
    facts = LineFacts(now=1001.0, cushion_seconds=cushion, has_started=True)
    assert machine.queue_behind(chain(running(1), last), last, facts) == wanted


def test_while_nothing_runs_the_youngest_makes_room_in_a_full_line() -> None:
    resume = Continue(ahead=2)
    older, last = (replace(queued_at(n, 1000.0 * n), resume=resume) for n in (1, 2))
    facts = LineFacts(now=2000.0 + HOUR, has_started=False)
    made = machine.queue_behind(chain(older, last), last, facts)
    assert made == FollowUp(after="a1", instead="a2")


@pytest.mark.parametrize(
    ("state", "is_last"),
    [
        (attempt(3), True),
        (attempt(2), False),
        (attempt(3, arrived=True), False),
        (attempt(3, phase=AttemptPhase.READY), False),
    ],
)
def test_one_more_waits_only_behind_the_last_that_is_queued_without_nodes(
    state: AttemptState, is_last: bool
) -> None:
    others = [each for each in (attempt(2), attempt(3)) if each.number != state.number]
    every = chain(*sorted([*others, state], key=lambda each: each.number))
    assert machine.is_last_in_line(every, state) is is_last


def test_after_one_that_was_rejected_no_further_one_is_tried() -> None:
    assert machine.has_failed_behind(chain(attempt(2), attempt(3, REJECTED)), attempt(2))
    assert not machine.has_failed_behind(chain(attempt(1, REJECTED), attempt(2)), attempt(2))


def test_of_events_that_replace_each_other_the_last_is_repeated() -> None:
    state = attempt(1)
    for event in (Staging(message="1"), Held(message="2"), Note(message="3"), Staging(message="4")):
        state, sent = record(state, event)
        assert sent == (event,)
    assert state.facts == (Held(message="2"), Note(message="3"), Staging(message="4"))


def test_an_unannounced_attempt_is_reported_with_its_first_run_and_all_before_it() -> None:
    state, sent = record(attempt(2, is_unannounced=True), Submitted(native_id="2"))
    assert sent == () and announce(state).events == (Submitted(native_id="2"),)
    state, sent = record(state, Started(run=1))
    assert sent == (Submitted(native_id="2"), Started(run=1))
    assert announce(state).events == ()


FILES = st.builds(
    AttemptFiles,
    is_cancelled=st.booleans(),
    owner=st.sampled_from(["", "7"]),
    is_barred=st.booleans(),
    has_failed=st.booleans(),
    has_arrived=st.booleans(),
    nodes=st.sampled_from([(), ("n1",), ("n1", "n2")]),
    submitted_at=st.floats(0, 1e5),
)


@st.composite
def chains(draw: st.DrawFn) -> ChainState:
    """Up to five attempts in any state; only one program of a task runs at a time."""
    made, has_running = [], False
    for number in range(1, draw(st.integers(1, 5)) + 1):
        state = attempt(
            number,
            draw(FILES),
            phase=draw(st.sampled_from(AttemptPhase)),
            arrived=draw(st.booleans()),
            cancelled=draw(st.booleans()),
            over=draw(st.booleans()),
        )
        if not has_running and draw(st.booleans()):
            state, has_running = replace(state, run=1, starts=frozenset({1})), True
        made.append(state)
    return ChainState(tuple(made))


def withdraw(every: ChainState, actions: list[Withdraw]) -> ChainState:
    """The chain as its files show it afterwards."""
    gone = set(names(actions))
    return ChainState(
        tuple(
            replace(each, files=replace(each.files, is_cancelled=True))
            if each.attempt in gone
            else each
            for each in every.attempts
        )
    )


@settings(max_examples=200, deadline=None)
@given(chains(), st.data())
def test_after_a_stop_nothing_can_begin_and_deciding_again_does_nothing(
    every: ChainState, data: st.DataObject
) -> None:
    last = data.draw(st.sampled_from(every.attempts))
    actions = machine.not_needed_after(every, last)
    after = withdraw(every, actions)
    assert last.attempt not in names(actions)
    assert after.successor_of(last) is None
    assert machine.not_needed_after(after, last) == []


@settings(max_examples=200, deadline=None)
@given(chains(), st.floats(0, 2 * HOUR), st.booleans(), st.data())
def test_a_program_is_asked_to_hand_over_only_by_the_first_that_has_nodes(
    every: ChainState, ran: float, can_hand_over: bool, data: st.DataObject
) -> None:
    state = data.draw(st.sampled_from(every.attempts))
    program = RunningProgram(ran, can_hand_over)
    choice = machine.on_arrival(every, state, program=program, grant=Grant())
    assert choice is machine.on_arrival(every, state, program=program, grant=Grant())
    if choice is OnArrival.HAND_OVER:
        assert can_hand_over and every.running is not None
        assert every.running.number < state.number
        assert not any(each.arrived for each in every.waiting_before(state))


END_EVENTS = st.lists(
    st.one_of(
        st.builds(Started, run=st.integers(1, 2)),
        st.builds(Exited, run=st.integers(1, 2), exit_code=st.sampled_from([0, 1, 75, 143])),
        st.builds(
            Observed,
            status=st.sampled_from(["queued", "running", "ended"]),
            reason=st.sampled_from(["", "wall-time", "node-lost", "exit-code"]),
            run=st.integers(0, 2),
            restarts=st.integers(0, 2),
        ),
        st.builds(NoWord),
        st.builds(Lost),
        st.builds(Note, message=st.just("by the way")),
    ),
    max_size=8,
)
RESUMES = st.builds(
    Continue,
    on=st.lists(st.sampled_from(["exit-75", "wall-time", "node-lost", "exit-code"]), unique=True),
    pattern=st.sampled_from(["", "*.pt"]),
    max_attempts=st.integers(1, 4),
)


@settings(max_examples=300, deadline=None)
@given(RESUMES, END_EVENTS)
def test_agent_and_service_decide_the_same_from_the_same_events(
    resume: Continue, events: list[Event]
) -> None:
    state = attempt(1, resume=resume)
    judged = machine.judge(state, events, before=Standing(), is_cancelled=False)
    task = begin_attempt(Task(id="t1", policy=policy_of(resume)), "a1", 1)
    verdict = ""
    for event in events:
        task, actions = step(task, replace(event, attempt="a1"))
        if any(isinstance(action, NextAttempt) for action in actions):
            verdict = GO
        elif task.is_final:
            verdict = STOP
        if verdict:
            break
    assert judged.verdict == verdict


@settings(max_examples=200, deadline=None)
@given(RESUMES, END_EVENTS, st.integers(0, 8))
def test_a_new_agent_that_remembers_half_of_the_events_and_reads_the_rest_decides_the_same(
    resume: Continue, events: list[Event], half: int
) -> None:
    fresh = attempt(1, resume=resume)
    remembered = replace(fresh, facts=tuple(events[:half]))
    before = Standing()
    assert machine.judge(fresh, events, before=before, is_cancelled=False) == machine.judge(
        remembered, events[half:], before=before, is_cancelled=False
    )
