"""What comes next in a chain of attempts: decided as the service would decide it, so that a chain continues while it is down.

The rules are those of `core.lifecycle` and `planning.follow_ups`; how far a chain may go by itself is granted by the service.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Union

from diamond.agent.tasks.machine.state import GO, STOP, AttemptState, Standing
from diamond.core.actions import NextAttempt
from diamond.core.endings import doubts_checkpoint
from diamond.core.events import AttemptKnown, Event, Exited, Lost, NoWord, Observed
from diamond.core.lifecycle import policy_of, step
from diamond.core.protocol import Grant, QueueAfter
from diamond.core.task import CONTINUE_EXIT_CODE, Attempt, Task
from diamond.planning.follow_ups import (
    Arrival,
    Chain,
    FollowUpPolicy,
    decide_arrival,
    max_waiting_attempts,
    must_withdraw,
    next_submission_time,
)

USUAL_HAND_OVER_SECONDS = 60.0


@dataclass(frozen=True)
class ChainState:
    """The attempts of one task, by number, with what their files showed a moment ago."""

    attempts: tuple[AttemptState, ...] = ()

    @property
    def waiting(self) -> tuple[AttemptState, ...]:
        """Those that have not begun and still may."""
        loaded = [each for each in self.attempts if each.is_open and not each.run]
        return tuple(each for each in loaded if each.files.may_begin)

    @property
    def running(self) -> AttemptState | None:
        return next((each for each in self.attempts if each.is_running), None)

    @property
    def has_present(self) -> bool:
        """One runs; or one was overtaken, and the other has not begun yet."""
        loaded = [each.files for each in self.attempts if each.is_open]
        overtaken = [files for files in loaded if files.is_barred and not files.is_cancelled]
        return bool(overtaken) or self.running is not None

    def waiting_before(self, state: AttemptState) -> tuple[AttemptState, ...]:
        return tuple(each for each in self.waiting if each.number < state.number)

    def later_than(self, state: AttemptState) -> tuple[AttemptState, ...]:
        return tuple(each for each in self.attempts if each.number > state.number)

    def successor_of(self, state: AttemptState) -> AttemptState | None:
        """The attempt that continues after this one, if there is one that was not cancelled."""
        alive = [each for each in self.later_than(state) if each.files.may_begin]
        return min(alive, key=lambda each: each.number, default=None)


@dataclass(frozen=True)
class Withdraw:
    """Cancel an attempt that is not needed."""

    attempt: str


@dataclass(frozen=True)
class ExcludeNodes:
    """Keep a queued job off the nodes that failed its task."""

    attempt: str


ForFollowUp = Union[Withdraw, ExcludeNodes]


@dataclass(frozen=True)
class FollowUp:
    """An attempt to make: it follows `after`, and takes the place of `instead`."""

    after: str
    instead: str = ""


@dataclass(frozen=True)
class Judgement:
    """What follows from the end of an attempt by the rules of the life cycle."""

    verdict: str = ""
    """GO, STOP, or '' while more must be known."""
    standing: Standing = field(default_factory=Standing)
    """How far the task has come with it."""
    doubted: str | None = None
    """The checkpoint with which it failed at once: the next attempt gets the one before it."""


def may_be_followed(state: AttemptState, event: Event) -> bool:
    """Whether the event ends an attempt after which another may come.

    Most tasks have one attempt and never ask for another: they cost nothing here.
    """
    if not _is_end(event):
        return False
    asks = isinstance(event, Exited) and event.exit_code == CONTINUE_EXIT_CODE
    return asks or state.number > 1 or state.resume.ahead > 0 or bool(state.resume.pattern)


def judge(
    state: AttemptState, fresh: Iterable[Event], *, before: Standing, is_cancelled: bool
) -> Judgement:
    """Run the life cycle again with all that is known of this attempt; `before` is how far the task had come."""
    task = _task(state, before, is_cancelled=is_cancelled)
    own = [fact for fact in (*state.facts, *fresh) if not isinstance(fact, AttemptKnown)]
    verdict, after = judge_end(task, [replace(fact, attempt=state.attempt) for fact in own])
    reached = after.reached.farthest(after.attempt.reached)
    standing = Standing(reached, after.stalled, after.ended + 1)
    return Judgement(verdict, standing, _doubted(task, after) if verdict == GO else None)


def judge_end(task: Task, events: Iterable[Event]) -> tuple[str, Task]:
    """GO, STOP, or '' while more must be known; and the task as it is at that point."""
    for event in events:
        task, actions = step(task, event)
        if any(isinstance(action, NextAttempt) for action in actions):
            return GO, task
        if task.is_final:
            return STOP, task
    return STOP if task.cancel_requested else "", task


def bound_by_end(chain: ChainState, state: AttemptState) -> list[str]:
    """Later attempts that will never begin: what follows from this end also follows from theirs."""
    later = chain.later_than(state)
    return [each.attempt for each in later if each.files.is_barred or each.files.is_withdrawn]


def not_needed_after(chain: ChainState, last: AttemptState) -> list[Withdraw]:
    """Once a task has ended: its later attempts, and those that were overtaken and still wait."""
    others = [each for each in chain.attempts if each.attempt != last.attempt]
    unneeded = [
        each
        for each in others
        if (each.is_open and each.files.is_barred)
        or (each.number > last.number and not each.files.has_failed)
    ]
    return [Withdraw(each.attempt) for each in unneeded if not each.files.is_cancelled]


def not_needed_after_cancel(chain: ChainState, number: int) -> list[Withdraw]:
    """The service ended a task by the attempt of this number: it may know nothing of those that come after it."""
    later = [each for each in chain.attempts if each.number > number or each.is_unannounced]
    return [
        Withdraw(each.attempt) for each in later if each.is_open and not each.files.is_cancelled
    ]


def can_exclude_nodes(state: AttemptState) -> bool:
    """The script of a follow-up names the nodes that had failed when it was written; there may be more since."""
    return bool(state.native_id) and state.is_early


def avoid_nodes(chain: ChainState, bad: Collection[str]) -> list[ForFollowUp]:
    """Keep follow-ups off nodes that failed the task twice; one that has such a node gives all of them back."""
    actions: list[ForFollowUp] = []
    for each in chain.waiting if bad else ():
        if each.files.has_arrived:
            if set(bad) & {*each.nodes, *each.files.nodes}:
                actions.append(Withdraw(each.attempt))
        elif can_exclude_nodes(each):
            actions.append(ExcludeNodes(each.attempt))
    return actions


class OnArrival(Enum):
    """What a follow-up does that has got its nodes."""

    LEAVE = "leave"
    """One before it has nodes too."""
    GIVE_BACK = "give-back"
    WAIT = "wait"
    HAND_OVER = "hand-over"
    """The running program is asked to save and exit."""
    START = "start"
    """No program runs."""
    NOTHING = "nothing"
    """A later attempt runs; this one is withdrawn as soon as that is seen."""


@dataclass(frozen=True)
class RunningProgram:
    """What is known about the program that runs when a follow-up gets its nodes."""

    ran_seconds: float = 0.0
    can_hand_over: bool = False


def decides_arrival(state: AttemptState) -> bool:
    """Whether it is still open what becomes of a follow-up with nodes."""
    return not state.run and not state.cancelled


def on_arrival(
    chain: ChainState, state: AttemptState, *, program: RunningProgram, grant: Grant
) -> OnArrival:
    """`program` belongs to `chain.running`, if there is one."""
    before = chain.waiting_before(state)
    if any(each.arrived or each.files.owner for each in before):
        return OnArrival.LEAVE
    running = chain.running
    if running is None:
        return OnArrival.START
    if running.number >= state.number:
        return OnArrival.NOTHING
    choice = _choose(running, state, program, grant)
    return OnArrival(choice.value)


def queue_again_seconds(running: AttemptState, program: RunningProgram) -> float:
    """One whose nodes came far too early is queued again later, not at the end: after half of the rest."""
    return (running.asked_seconds - program.ran_seconds) / 2


def overtaken_by(chain: ChainState, state: AttemptState) -> list[AttemptState]:
    """Those that were to go before it and were barred for it."""
    earlier = [each for each in chain.attempts if each.number < state.number]
    return [each for each in earlier if each.files.is_barred]


def wants_follow_up(state: AttemptState, *, due: float, now: float) -> bool:
    """Whether it is worth looking if a follow-up is to be queued; not before `due`."""
    if now < due or not state.is_running:
        return False
    return bool(state.resume.ahead) and not state.cancelled


def is_follow_up_due(granted: QueueAfter, ran_seconds: float) -> bool:
    after = granted.queue_after_seconds
    return after is not None and ran_seconds >= after


def queue_rules(grant: Grant, *, hands_over: bool) -> QueueAfter:
    """Follow-ups of a program that cannot hand over are queued later."""
    return grant if grant.alone is None or hands_over else grant.alone


def is_over_budget(grant: Grant, number: int) -> bool:
    """The service has withdrawn what it granted: the budget has no more room for a follow-up of this number."""
    until = grant.until or 0
    return until < (grant.counted or 0) and number > until


def may_lose_its_turn(state: AttemptState) -> bool:
    """A follow-up whose program has not begun."""
    return state.is_early and not state.run and not state.cancelled


def begins_unannounced(state: AttemptState, *, has_turn: bool, has_begun: bool) -> bool:
    """Whether an attempt that is loaded waits behind others."""
    is_queued_ahead = state.resume.may_line_up and state.is_early
    return is_queued_ahead and not has_turn and not has_begun


def to_announce(chain: ChainState) -> list[str]:
    """Those that the service should know: the present attempt and the next."""
    known = 1 if chain.has_present else 2
    return [each.attempt for each in chain.waiting[:known]]


def passed_by(chain: ChainState, running: AttemptState) -> list[Withdraw]:
    """Those that wait although a later one runs: they can never begin."""
    late = [each for each in chain.attempts if each.number < running.number and each.is_open]
    return [Withdraw(each.attempt) for each in late if not each.run and not each.cancelled]


def is_last_in_line(chain: ChainState, state: AttemptState) -> bool:
    """Whether one more may have to wait behind it: it is the last of those that wait, and has no nodes yet."""
    line = chain.waiting
    is_last = bool(line) and line[-1].attempt == state.attempt
    return is_last and state.is_active and not state.arrived


@dataclass(frozen=True)
class LineFacts:
    """What decides whether one more attempt is to wait in the queue. Seconds since the epoch."""

    now: float
    cushion_seconds: float = 0.0
    has_started: bool = False
    """Whether any program of the task has ever run."""
    last_exit: float | None = None
    """When the newest program ended, while none runs."""


def queue_behind(chain: ChainState, last: AttemptState, facts: LineFacts) -> FollowUp | None:
    """The attempt to make behind `last`, if one is due. Where every place is taken, the youngest makes room: age counts."""
    line = chain.waiting
    planned, policy = _plan(chain, last, facts), _waiting_policy(last, facts)
    due = next_submission_time(planned, facts.cushion_seconds, policy)
    if due is None or due > facts.now:
        return None
    if must_withdraw(planned, policy) and len(line) > 1:
        return FollowUp(after=line[-2].attempt, instead=last.attempt)
    return FollowUp(after=last.attempt)


def has_failed_behind(chain: ChainState, last: AttemptState) -> bool:
    """One that was rejected is not followed by the next at every check."""
    return any(each.files.has_failed for each in chain.later_than(last))


def _is_end(event: Event) -> bool:
    if isinstance(event, Observed):
        return event.status == "ended"
    return isinstance(event, (Exited, NoWord, Lost))


def _task(state: AttemptState, before: Standing, *, is_cancelled: bool) -> Task:
    """The task as the service would have it before any fact of this attempt."""
    return Task(
        id=state.task,
        attempt=Attempt(id=state.attempt, number=state.number),
        cancel_requested=is_cancelled,
        policy=policy_of(state.resume),
        reached=before.reached,
        stalled=before.stalled,
        ended=before.ended,
    )


def _doubted(before: Task, after: Task) -> str | None:
    judged = replace(before, attempt=after.attempt, exit_code=after.exit_code)
    return after.reached.checkpoint if doubts_checkpoint(judged, after.reason) else None


def _choose(
    running: AttemptState, state: AttemptState, program: RunningProgram, grant: Grant
) -> Arrival:
    policy = FollowUpPolicy(
        grant.hand_over_seconds or USUAL_HAND_OVER_SECONDS, can_hand_over=program.can_hand_over
    )
    chain = Chain(
        now=program.ran_seconds,
        limit_seconds=state.asked_seconds,
        work_seconds_left=math.inf,
        waiting_since=(),
        last_queued=0.0,
        program_ends=running.asked_seconds,
    )
    return decide_arrival(chain, policy)


def _plan(chain: ChainState, last: AttemptState, facts: LineFacts) -> Chain:
    queued = tuple(each.files.submitted_at for each in chain.waiting)
    running = chain.running
    return Chain(
        now=facts.now,
        limit_seconds=last.asked_seconds,
        work_seconds_left=math.inf,
        waiting_since=queued,
        last_queued=max(queued),
        program_ends=None if running is None else facts.now + running.asked_seconds,
        silent_since=None if running is not None else facts.last_exit,
    )


def _waiting_policy(last: AttemptState, facts: LineFacts) -> FollowUpPolicy:
    most = max_waiting_attempts(last.resume.ahead, has_started=facts.has_started)
    return FollowUpPolicy(0.0, most_waiting=most)
