"""The life of a task, decided in one pure function from what was learned.

`docs/internals/lifecycle.md` draws the states. No clock, no disk, no network here.
"""

from __future__ import annotations

import signal as signals
from dataclasses import dataclass, replace
from typing import Callable, Dict, List, Tuple, Type, Union

from diamond.core.events import (
    Allowed,
    AttemptKnown,
    CancelAsked,
    Event,
    Exited,
    Gone,
    Held,
    Lost,
    NotAllowed,
    NoWord,
    Observed,
    PrepareFailed,
    Progressed,
    Staging,
    Started,
    Submitted,
)
from diamond.core.order import Continue
from diamond.core.task import Attempt, ContinuePolicy, Phase, Reached, Reason, State, Task

CONTINUE_EXIT_CODE = 75
MOST_STALLED = 2
"""Attempts in a row without progress after which a chain stops."""
CONTINUE_WORDS = {
    Reason.WALL_TIME: "wall-time",
    Reason.PREEMPTED: "preempted",
    Reason.NODE_LOST: "node-lost",
    Reason.OUT_OF_MEMORY: "out-of-memory",
    Reason.EXIT_CODE: "exit-code",
    Reason.SIGNAL: "exit-code",
    Reason.HUNG: "exit-code",
}


@dataclass(frozen=True)
class Recorded:
    """The event changed nothing; keep it in the task's history."""

    event: Event
    why: str = ""


@dataclass(frozen=True)
class SendCancel:
    """Tell the agent to end the attempt."""

    attempt: str


@dataclass(frozen=True)
class NextAttempt:
    """Submit attempt `number`, resuming from the newest checkpoint."""

    number: int


@dataclass(frozen=True)
class FollowUpTakes:
    """The attempt `ended`, for `reason`; the follow-up that the agent has already is the present one now."""

    ended: str
    reason: Reason


Action = Union[Recorded, SendCancel, NextAttempt, FollowUpTakes]
Step = Tuple[Task, List[Action]]


def step(task: Task, event: Event) -> Step:
    """Decide what an event means for a task; one that no longer matters is recorded, never raised."""
    if task.is_final:
        return _after_the_end(task, event)
    after, actions = _step(task, event)
    if after.is_final and after.follow_up is not None:
        actions = [*actions, SendCancel(after.follow_up.id)]
    return after, actions


def _step(task: Task, event: Event) -> Step:
    if isinstance(event, AttemptKnown):
        return _adopt(task, event)
    if task.follow_up is not None and event.attempt == task.follow_up.id:
        return _of_follow_up(task, task.follow_up, event)
    if event.attempt and event.attempt != task.attempt.id:
        return task, [Recorded(event, "of another attempt")]
    if task.phase is Phase.ASKING and not isinstance(event, (Allowed, CancelAsked)):
        return task, [Recorded(event, "the attempt had ended")]
    handler = _HANDLERS.get(type(event))
    if handler is None:
        return task, [Recorded(event)]
    return handler(_as_heard(task, event), event)


def policy_of(resume: Continue) -> ContinuePolicy:
    """What an order says about going on."""
    return ContinuePolicy(frozenset(resume.on), resume.max_attempts, bool(resume.pattern))


def begin_attempt(task: Task, attempt_id: str, number: int) -> Task:
    """The task as it waits for its attempt `number` to be prepared."""
    phase = Phase.NONE if number == 1 else Phase.BETWEEN_ATTEMPTS
    return replace(
        task,
        state=State.PREPARING if number == 1 else State.PENDING,
        phase=phase,
        reason=Reason.NONE,
        native_state="",
        exit_code=None,
        signal=None,
        attempt=Attempt(id=attempt_id, number=number),
        follow_up=None,
        numbered=max(task.numbered, number),
    )


def _as_heard(task: Task, event: Event) -> Task:
    """`as_of` is what the endpoint said last; a person's own request is no news from there."""
    if isinstance(event, (CancelAsked, NotAllowed, Allowed)):
        return task
    return replace(task, as_of=max(task.as_of, event.at))


def _staging(task: Task, event: Event) -> Step:
    assert isinstance(event, Staging)
    if task.state is not State.PREPARING and task.phase is not Phase.BETWEEN_ATTEMPTS:
        return task, [Recorded(event, "already queued")]
    phase = Phase.BUILDING if event.what == "environment" else Phase.STAGING
    if task.cancel_requested:
        phase = Phase.CANCELLING
    return replace(task, state=State.PREPARING, phase=phase, message=event.message), []


def _prepare_failed(task: Task, event: Event) -> Step:
    assert isinstance(event, PrepareFailed)
    if task.attempt.run:
        return task, [Recorded(event, "the program had started")]
    if task.cancel_requested:
        return _end_cancelled(task)
    return _end(task, State.FAILED, _reason(event.reason, Reason.REFUSED), event.message), []


def _held(task: Task, event: Event) -> Step:
    assert isinstance(event, Held)
    if task.attempt.native_id or task.attempt.run:
        return task, [Recorded(event, "already queued")]
    phase = Phase.CANCELLING if task.cancel_requested else Phase.HELD
    reason = _reason(event.reason, Reason.SITE_LIMIT)
    return replace(task, state=State.PENDING, phase=phase, reason=reason, message=event.message), []


def _submitted(task: Task, event: Event) -> Step:
    assert isinstance(event, Submitted)
    attempt = replace(task.attempt, native_id=event.native_id or task.attempt.native_id)
    if task.state is State.RUNNING:
        return replace(task, attempt=attempt), []
    phase = Phase.CANCELLING if task.cancel_requested else Phase.QUEUED
    return replace(
        task, state=State.PENDING, phase=phase, reason=Reason.NONE, message="", attempt=attempt
    ), []


def _adopt(task: Task, event: AttemptKnown) -> Step:
    if event.number < task.attempt.number or event.attempt == task.attempt.id:
        return task, [Recorded(event, "of another attempt")]
    if event.number > task.attempt.number and task.phase is not Phase.ASKING:
        return _with_follow_up(task, Attempt(id=event.attempt, number=event.number))
    begun = begin_attempt(task, event.attempt, event.number)
    actions: List[Action] = [SendCancel(event.attempt)] if task.cancel_requested else []
    return replace(begun, phase=task.phase if task.cancel_requested else begun.phase), actions


def _with_follow_up(task: Task, follow_up: Attempt) -> Step:
    if task.follow_up is not None and task.follow_up.id == follow_up.id:
        return task, []
    actions: List[Action] = [SendCancel(follow_up.id)] if task.cancel_requested else []
    numbered = max(task.numbered, follow_up.number)
    return replace(task, follow_up=follow_up, numbered=numbered), actions


def _of_follow_up(task: Task, follow_up: Attempt, event: Event) -> Step:
    """It changes the task only by going away, or by starting: that its predecessor has ended was known where it runs."""
    if isinstance(event, (Started, Exited)):
        task, actions = _take_follow_up(task, follow_up, _own_end(task), "")
        task, more = _step(task, event)
        return task, actions + more
    is_over = isinstance(event, Observed) and event.status == "ended"
    if is_over or isinstance(event, (PrepareFailed, Gone, Lost)):
        return replace(task, follow_up=None), [Recorded(event, "the follow-up went away")]
    native_id = getattr(event, "native_id", "") or follow_up.native_id
    known = replace(task, follow_up=replace(follow_up, native_id=native_id))
    return known, [Recorded(event, "of the follow-up")]


def _take_follow_up(task: Task, follow_up: Attempt, reason: Reason, message: str) -> Step:
    begun = begin_attempt(task, follow_up.id, follow_up.number)
    phase = Phase.QUEUED if follow_up.native_id else Phase.BETWEEN_ATTEMPTS
    phase = Phase.CANCELLING if task.cancel_requested else phase
    taken = replace(begun, attempt=follow_up, phase=phase, message=message)
    return taken, [FollowUpTakes(task.attempt.id, reason)]


def _progressed(task: Task, event: Event) -> Step:
    assert isinstance(event, Progressed)
    told = Reached(event.checkpoint, event.modified, event.step)
    reached = told.farthest(task.attempt.reached)
    return replace(task, attempt=replace(task.attempt, reached=reached)), []


def _started(task: Task, event: Event) -> Step:
    assert isinstance(event, Started)
    if event.run < task.attempt.run:
        return task, [Recorded(event, "of an older run")]
    if event.run == task.attempt.run and task.state is State.RUNNING:
        return task, [Recorded(event, "known")]
    attempt = replace(
        task.attempt, run=event.run, native_id=event.native_id or task.attempt.native_id
    )
    phase = Phase.CANCELLING if task.cancel_requested else Phase.NONE
    message = "" if event.run == 1 else f"started again by the site (run {event.run})"
    started = replace(
        _without_old_word(task), state=State.RUNNING, phase=phase, reason=Reason.NONE,
        message=message, attempt=attempt,
    )  # fmt: skip
    return _with_known_exit(started)


def _without_old_word(task: Task) -> Task:
    """What the scheduler said before a file told of a start or an end holds no longer."""
    return replace(task, native_state="")


def _with_known_exit(task: Task) -> Step:
    """An exit file may be seen before the file that says its run had started."""
    attempt = task.attempt
    if attempt.exit_code is not None and attempt.exit_run == attempt.run:
        return _exit_of_current_run(task, attempt.exit_code)
    return task, []


def _exited(task: Task, event: Event) -> Step:
    assert isinstance(event, Exited)
    attempt = task.attempt
    if event.run < attempt.run:
        return task, [Recorded(event, "of an older run")]
    attempt = replace(attempt, run=event.run, exit_code=event.exit_code, exit_run=event.run)
    task = _without_old_word(task)
    task = replace(task, state=State.RUNNING, attempt=attempt, signal=event.signal)
    if event.exit_code:
        task = replace(task, reason=_reason(event.reason, Reason.NONE), message=event.message)
    return _exit_of_current_run(task, event.exit_code)


def _exit_of_current_run(task: Task, exit_code: int) -> Step:
    if exit_code == 0:
        return _end(replace(task, exit_code=0, signal=None), State.SUCCEEDED, Reason.NONE, ""), []
    task = replace(task, exit_code=exit_code)
    if exit_code == CONTINUE_EXIT_CODE and not task.cancel_requested:
        return _end_or_continue(task, Reason.EXIT_CODE, "")
    phase = Phase.CANCELLING if task.cancel_requested else Phase.ENDING
    return replace(task, phase=phase), []


def _observed(task: Task, event: Event) -> Step:
    assert isinstance(event, Observed)
    if event.run and event.run < task.attempt.run:
        return task, [Recorded(event, "of an older run")]
    if _is_overtaken(task, event):
        return task, [Recorded(event, "it has started since")]
    attempt = replace(task.attempt, native_id=event.native_id or task.attempt.native_id)
    task = replace(task, native_state=event.native_state, attempt=attempt)
    if event.status == "ended":
        return _ended(task, event)
    if task.cancel_requested or task.phase is Phase.ENDING:
        return task, []
    if event.status == "queued":
        return _queued(task, event), []
    if event.status == "suspended":
        return replace(task, phase=Phase.SUSPENDED, message=event.message), []
    if event.status == "running" and task.phase is Phase.SUSPENDED:
        return replace(task, state=State.RUNNING, phase=Phase.NONE, message=""), []
    if event.status == "unknown":
        return replace(task, message=event.message), []
    return task, []


def _is_overtaken(task: Task, event: Observed) -> bool:
    """A wait before the run that is known: run n starts after n - 1 requeues."""
    return event.status == "queued" and 0 <= event.restarts < task.attempt.run


def _queued(task: Task, event: Observed) -> Task:
    """Waiting, or requeued by the site after it had run."""
    phase = Phase.HELD if event.held else Phase.QUEUED
    message = event.message
    if task.state is State.RUNNING:
        message = f"the site put it back in the queue. {message}".strip()
    return replace(task, state=State.PENDING, phase=phase, reason=Reason.NONE, message=message)


def _ended(task: Task, event: Observed) -> Step:
    if task.cancel_requested:
        return _end_cancelled(task)
    reason = _reason(event.reason, Reason.NONE)
    exit_code, signal = task.exit_code, task.signal
    if exit_code is None:
        exit_code, signal = event.exit_code, event.signal
    task = replace(task, exit_code=exit_code, signal=signal)
    if reason is Reason.NONE and exit_code == 0:
        return _end(task, State.SUCCEEDED, Reason.NONE, ""), []
    own = task.message if task.phase is Phase.ENDING else ""
    if reason not in (Reason.NONE, Reason.EXIT_CODE):
        return _end_or_continue(task, reason, ". ".join(filter(None, [event.message, own])))
    return _end_or_continue(task, _own_end(task), own or ("" if signal else event.message))


def _no_word(task: Task, event: Event) -> Step:
    if task.exit_code is None:
        return task, [Recorded(event, "no exit file either")]
    if task.cancel_requested:
        return _end_cancelled(task)
    return _end_or_continue(task, _own_end(task), task.message)


def _own_end(task: Task) -> Reason:
    """To a batch system a program killed by a signal is a script that ended with 128+n; the exit file knows better.

    Of several ranks, their overseer knows better still.
    """
    if task.phase is Phase.ENDING and task.reason is not Reason.NONE:
        return task.reason
    return Reason.SIGNAL if task.signal else Reason.EXIT_CODE


def _lost(task: Task, event: Event) -> Step:
    assert isinstance(event, Lost)
    if task.cancel_requested:
        return _end_cancelled(task)
    return _end(task, State.FAILED, Reason.LOST, event.message), []


def _gone(task: Task, event: Event) -> Step:
    """Only ever the answer to a cancel: a service that knows of none was restored from an older backup."""
    return _end_cancelled(replace(_without_old_word(task), cancel_requested=True))


def _cancel_asked(task: Task, event: Event) -> Step:
    assert isinstance(event, CancelAsked)
    task = replace(task, cancel_requested=True)
    if not event.delivered or task.phase is Phase.ASKING:
        return _end_cancelled(task)
    known = [task.attempt, *([task.follow_up] if task.follow_up else [])]
    return replace(task, phase=Phase.CANCELLING), [SendCancel(one.id) for one in known]


def _not_allowed(task: Task, event: Event) -> Step:
    """The answer to a `NextAttempt`."""
    assert isinstance(event, NotAllowed)
    if task.phase is not Phase.BETWEEN_ATTEMPTS or task.follow_up is not None:
        return task, [Recorded(event, "no next attempt was wanted")]
    reason = _reason(event.reason, Reason.BUDGET)
    if event.ask:
        return replace(task, phase=Phase.ASKING, reason=reason, message=event.message), []
    return _end(task, State.FAILED, reason, event.message), []


def _allowed(task: Task, event: Event) -> Step:
    if task.phase is not Phase.ASKING:
        return task, [Recorded(event, "it did not ask")]
    task = replace(task, phase=Phase.BETWEEN_ATTEMPTS, message="")
    return task, [NextAttempt(_next_number(task))]


def _end_or_continue(task: Task, reason: Reason, message: str) -> Step:
    if not _asks_to_continue(task, reason):
        return _end(task, State.FAILED, reason, message or _words(task, reason)), []
    task = _with_progress(task, reason)
    if task.stalled >= MOST_STALLED:
        return _end(task, State.FAILED, Reason.NO_PROGRESS, _stalled_words(task)), []
    if task.attempt.number >= task.policy.max_attempts:
        words = f"{task.attempt.number} attempts were made and it asked for more ({reason.value})"
        return _end(task, State.FAILED, Reason.CONTINUE_LIMIT, words), []
    if task.follow_up is not None:
        return _take_follow_up(task, task.follow_up, reason, message)
    task = replace(
        task, state=State.PENDING, phase=Phase.BETWEEN_ATTEMPTS, reason=reason, message=message
    )
    return task, [NextAttempt(_next_number(task))]


def _next_number(task: Task) -> int:
    return max(task.numbered, task.attempt.number) + 1


def _with_progress(task: Task, reason: Reason) -> Task:
    reached = task.attempt.reached
    stalled = 0 if _came_further(task, reason) else task.stalled + 1
    return replace(task, stalled=stalled, reached=reached.farthest(task.reached))


def _came_further(task: Task, reason: Reason) -> bool:
    """Where nothing tells how far it came, a program's own word that it wants to go on (75) is believed."""
    if task.attempt.reached.is_beyond(task.reached):
        return True
    is_known = task.attempt.reached.is_known or task.reached.is_known or task.policy.has_pattern
    return not is_known and reason is Reason.EXIT_CODE and task.exit_code == CONTINUE_EXIT_CODE


def _stalled_words(task: Task) -> str:
    last = f"step {task.reached.step}" if task.reached.step >= 0 else "no step"
    newest = task.reached.checkpoint or "none"
    return (
        f"{task.stalled} attempts in a row came no further: last logged {last}, newest checkpoint {newest}. "
        "Does the program read DIAMOND_RESUME_FROM, and does it save before the time limit?"
    )


def _asks_to_continue(task: Task, reason: Reason) -> bool:
    if reason is Reason.EXIT_CODE and task.exit_code == CONTINUE_EXIT_CODE:
        return True
    return CONTINUE_WORDS.get(reason, "") in task.policy.on


def _end_cancelled(task: Task) -> Step:
    return _end(task, State.CANCELLED, Reason.BY_PERSON, "cancelled"), []


def _end(task: Task, state: State, reason: Reason, message: str) -> Task:
    return replace(task, state=state, phase=Phase.NONE, reason=reason, message=message)


def _after_the_end(task: Task, event: Event) -> Step:
    recorded = Recorded(event, "the task had ended")
    if _is_beyond_the_end(task, event):
        return task, [recorded, SendCancel(event.attempt)]
    if task.state is State.CANCELLED and _is_alive(task, event):
        return task, [recorded, SendCancel(task.attempt.id)]
    return _refine(task, event), [recorded]


def _is_beyond_the_end(task: Task, event: Event) -> bool:
    """A follow-up of a task that has ended: one that still lives, or that nobody knew of."""
    if isinstance(event, AttemptKnown):
        return event.number > task.attempt.number
    is_follow_up = task.follow_up is not None and event.attempt == task.follow_up.id
    return is_follow_up and isinstance(event, (Submitted, Started))


def _is_alive(task: Task, event: Event) -> bool:
    """Word of the current attempt in the queue or at work."""
    if event.attempt != task.attempt.id:
        return False
    if isinstance(event, Observed):
        return event.status in ("queued", "running", "suspended")
    return isinstance(event, (Submitted, Started))


def _refine(task: Task, event: Event) -> Task:
    """A scheduler's late word may sharpen why a task failed, never whether it did."""
    if not isinstance(event, Observed) or event.status != "ended":
        return task
    if event.attempt and event.attempt != task.attempt.id:
        return task
    task = replace(task, native_state=event.native_state or task.native_state)
    reason = _reason(event.reason, task.reason)
    vague = task.reason in (Reason.EXIT_CODE, Reason.SIGNAL, Reason.LOST)
    known_better = task.reason is Reason.SIGNAL and reason is Reason.EXIT_CODE
    if task.state is State.FAILED and vague and event.reason and not known_better:
        return replace(task, reason=reason, message=event.message or task.message)
    return task


def _words(task: Task, reason: Reason) -> str:
    if reason is Reason.SIGNAL and task.signal:
        return _words_for_signal(task.signal)
    if reason is Reason.EXIT_CODE and task.exit_code is not None:
        return f"the program ended with exit code {task.exit_code}"
    return ""


def _words_for_signal(number: int) -> str:
    known = number in {one.value for one in signals.Signals}
    name = f" ({signals.Signals(number).name})" if known else ""
    hint = "; often that is memory running out" if number == signals.SIGKILL else ""
    return f"the program was killed by signal {number}{name}{hint}"


def _reason(value: str, default: Reason) -> Reason:
    try:
        return Reason(value) if value else default
    except ValueError:
        return default


_HANDLERS: Dict[Type[Event], Callable[[Task, Event], Step]] = {
    Staging: _staging,
    PrepareFailed: _prepare_failed,
    Held: _held,
    Submitted: _submitted,
    Started: _started,
    Exited: _exited,
    Observed: _observed,
    NoWord: _no_word,
    Lost: _lost,
    Gone: _gone,
    Progressed: _progressed,
    CancelAsked: _cancel_asked,
    NotAllowed: _not_allowed,
    Allowed: _allowed,
}
