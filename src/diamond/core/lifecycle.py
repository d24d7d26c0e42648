"""The life of a task, decided in one pure function from what was learned.

`docs/internals/lifecycle.md` draws the states. No clock, no disk, no network here.
"""

from __future__ import annotations

import signal as signals
from dataclasses import dataclass, replace
from typing import Callable, Dict, List, Tuple, Type, Union

from diamond.core.events import (
    AttemptKnown,
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
)
from diamond.core.task import Attempt, Phase, Reason, State, Task

CONTINUE_EXIT_CODE = 75
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


Action = Union[Recorded, SendCancel, NextAttempt]
Step = Tuple[Task, List[Action]]


def step(task: Task, event: Event) -> Step:
    """Decide what an event means for a task; one that no longer matters is recorded, never raised."""
    if task.is_final:
        return _after_the_end(task, event)
    if isinstance(event, AttemptKnown):
        return _adopt(task, event)
    if event.attempt and event.attempt != task.attempt.id:
        return task, [Recorded(event, "of another attempt")]
    handler = _HANDLERS.get(type(event))
    if handler is None:
        return task, [Recorded(event)]
    return handler(_as_heard(task, event), event)


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
    )


def _as_heard(task: Task, event: Event) -> Task:
    """`as_of` is what the endpoint said last; a person's own request is no news from there."""
    if isinstance(event, CancelAsked):
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
    begun = begin_attempt(task, event.attempt, event.number)
    actions: List[Action] = [SendCancel(event.attempt)] if task.cancel_requested else []
    return replace(begun, phase=task.phase if task.cancel_requested else begun.phase), actions


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
        task, state=State.RUNNING, phase=phase, reason=Reason.NONE, message=message, attempt=attempt
    )
    return _with_known_exit(started)


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
    task = replace(task, state=State.RUNNING, attempt=attempt, signal=event.signal)
    if event.exit_code:
        task = replace(task, reason=_reason(event.reason, Reason.NONE), message=event.message)
    return _exit_of_current_run(task, event.exit_code)


def _exit_of_current_run(task: Task, exit_code: int) -> Step:
    if exit_code == 0:
        return _end(replace(task, exit_code=0, signal=None), State.SUCCEEDED, Reason.NONE, ""), []
    phase = Phase.CANCELLING if task.cancel_requested else Phase.ENDING
    return replace(task, exit_code=exit_code, phase=phase), []


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
    return _end_cancelled(replace(task, cancel_requested=True))


def _cancel_asked(task: Task, event: Event) -> Step:
    assert isinstance(event, CancelAsked)
    task = replace(task, cancel_requested=True)
    if not event.delivered:
        return _end_cancelled(task)
    return replace(task, phase=Phase.CANCELLING), [SendCancel(task.attempt.id)]


def _end_or_continue(task: Task, reason: Reason, message: str) -> Step:
    if not _asks_to_continue(task, reason):
        return _end(task, State.FAILED, reason, message or _words(task, reason)), []
    if task.attempt.number >= task.policy.max_attempts:
        words = f"{task.attempt.number} attempts were made and it asked for more ({reason.value})"
        return _end(task, State.FAILED, Reason.CONTINUE_LIMIT, words), []
    task = replace(
        task, state=State.PENDING, phase=Phase.BETWEEN_ATTEMPTS, reason=reason, message=message
    )
    return task, [NextAttempt(task.attempt.number + 1)]


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
    if task.state is State.CANCELLED and _is_alive(task, event):
        return task, [recorded, SendCancel(task.attempt.id)]
    return _refine(task, event), [recorded]


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
    CancelAsked: _cancel_asked,
}
