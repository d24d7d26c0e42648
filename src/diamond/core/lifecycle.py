"""The life of a task, decided in one pure function from what was learned.

`docs/internals/lifecycle.md` draws the states. No clock, no disk, no network here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Dict, Type

from diamond.core.actions import NextAttempt, Recorded, SendCancel, Step
from diamond.core.afterwards import after_the_end
from diamond.core.endings import (
    end,
    end_cancelled,
    end_or_continue,
    next_number,
    own_end,
    reason_of,
)
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
from diamond.core.follow_ups import adopt, take_follow_up
from diamond.core.order import Continue
from diamond.core.task import (
    CONTINUE_EXIT_CODE,
    Attempt,
    ContinuePolicy,
    Phase,
    Reached,
    Reason,
    State,
    Task,
)


def step(task: Task, event: Event) -> Step:
    """Decide what an event means for a task; one that no longer matters is recorded, never raised."""
    if task.is_final:
        return after_the_end(task, event)
    after, actions = _step(task, event)
    if after.is_final and after.follow_up is not None:
        actions = [*actions, SendCancel(after.follow_up.id)]
    return after, actions


def _step(task: Task, event: Event) -> Step:
    if isinstance(event, AttemptKnown):
        return adopt(task, event)
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
    """What an order says about continuing."""
    return ContinuePolicy(frozenset(resume.on), resume.max_attempts, bool(resume.pattern))


def _as_heard(task: Task, event: Event) -> Task:
    """`as_of` is when the endpoint last reported; a person's own request does not change it."""
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
        return end_cancelled(task)
    return end(task, State.FAILED, reason_of(event.reason, Reason.REFUSED), event.message), []


def _held(task: Task, event: Event) -> Step:
    assert isinstance(event, Held)
    if task.attempt.native_id or task.attempt.run:
        return task, [Recorded(event, "already queued")]
    phase = Phase.CANCELLING if task.cancel_requested else Phase.HELD
    reason = reason_of(event.reason, Reason.SITE_LIMIT)
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


def _of_follow_up(task: Task, follow_up: Attempt, event: Event) -> Step:
    """It changes the task only by going away, or by starting: that its predecessor has ended was known where it runs."""
    if isinstance(event, (Started, Exited)):
        reason = own_end(task) if task.attempt.run else Reason.WITHDRAWN
        task, actions = take_follow_up(task, follow_up, reason, "")
        task, more = _step(task, event)
        return task, actions + more
    is_over = isinstance(event, Observed) and event.status == "ended"
    if is_over or isinstance(event, (PrepareFailed, Gone, Lost)):
        return replace(task, follow_up=None), [Recorded(event, "the follow-up went away")]
    native_id = getattr(event, "native_id", "") or follow_up.native_id
    known = replace(task, follow_up=replace(follow_up, native_id=native_id))
    return known, [Recorded(event, "of the follow-up")]


def _progressed(task: Task, event: Event) -> Step:
    assert isinstance(event, Progressed)
    news = Reached(event.checkpoint, event.modified, event.step)
    reached = news.farthest(task.attempt.reached)
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
        _without_old_word(task),
        state=State.RUNNING,
        phase=phase,
        reason=Reason.NONE,
        message=message,
        attempt=attempt,
    )
    return _with_known_exit(started)


def _without_old_word(task: Task) -> Task:
    """A file that shows a start or an end overrides what the scheduler said before."""
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
        task = replace(task, reason=reason_of(event.reason, Reason.NONE), message=event.message)
    return _exit_of_current_run(task, event.exit_code, event.message)


def _exit_of_current_run(task: Task, exit_code: int, message: str = "") -> Step:
    """`message`: of a run that went well, a warning."""
    if exit_code == 0:
        well = replace(task, exit_code=0, signal=None)
        return end(well, State.SUCCEEDED, Reason.NONE, message), []
    task = replace(task, exit_code=exit_code)
    if exit_code == CONTINUE_EXIT_CODE and not task.cancel_requested:
        return end_or_continue(task, Reason.EXIT_CODE, "")
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
    if task.phase is Phase.ENDING and _is_requeued(task, event):
        task = replace(task, phase=Phase.NONE, exit_code=None, signal=None)
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


def _is_requeued(task: Task, event: Observed) -> bool:
    """The run that ended was ended by the site, which wants to start it again."""
    return event.status == "queued" and event.restarts >= task.attempt.run


def _queued(task: Task, event: Observed) -> Task:
    """Waiting, or requeued by the site after it had run."""
    phase = Phase.HELD if event.held else Phase.QUEUED
    message = event.message
    if task.state is State.RUNNING:
        message = f"the site put it back in the queue. {message}".strip()
    return replace(task, state=State.PENDING, phase=phase, reason=Reason.NONE, message=message)


def _ended(task: Task, event: Observed) -> Step:
    if task.cancel_requested:
        return end_cancelled(task)
    reason = reason_of(event.reason, Reason.NONE)
    exit_code, signal = task.exit_code, task.signal
    if exit_code is None:
        exit_code, signal = event.exit_code, event.signal
    task = replace(task, exit_code=exit_code, signal=signal)
    if reason is Reason.NONE and exit_code == 0:
        return end(task, State.SUCCEEDED, Reason.NONE, ""), []
    own = task.message if task.phase is Phase.ENDING else ""
    if reason not in (Reason.NONE, Reason.EXIT_CODE):
        return end_or_continue(task, reason, ". ".join(filter(None, [event.message, own])))
    return end_or_continue(task, own_end(task), own or ("" if signal else event.message))


def _no_word(task: Task, event: Event) -> Step:
    if task.exit_code is None:
        return task, [Recorded(event, "no exit file either")]
    if task.cancel_requested:
        return end_cancelled(task)
    return end_or_continue(task, own_end(task), task.message)


def _lost(task: Task, event: Event) -> Step:
    assert isinstance(event, Lost)
    if task.cancel_requested:
        return end_cancelled(task)
    return end_or_continue(task, Reason.LOST, event.message)


def _gone(task: Task, event: Event) -> Step:
    """Only ever the answer to a cancel: a service that knows of none was restored from an older backup."""
    return end_cancelled(replace(_without_old_word(task), cancel_requested=True))


def _cancel_asked(task: Task, event: Event) -> Step:
    assert isinstance(event, CancelAsked)
    task = replace(task, cancel_requested=True)
    if not event.delivered or task.phase is Phase.ASKING:
        return end_cancelled(task)
    known = [task.attempt, *([task.follow_up] if task.follow_up else [])]
    return replace(task, phase=Phase.CANCELLING), [
        SendCancel(attempt.id, event.grace) for attempt in known
    ]


def _not_allowed(task: Task, event: Event) -> Step:
    """The answer to a `NextAttempt`."""
    assert isinstance(event, NotAllowed)
    if task.phase is not Phase.BETWEEN_ATTEMPTS or task.follow_up is not None:
        return task, [Recorded(event, "no next attempt was wanted")]
    reason = reason_of(event.reason, Reason.BUDGET)
    if event.ask:
        return replace(task, phase=Phase.ASKING, reason=reason, message=event.message), []
    return end(task, State.FAILED, reason, event.message), []


def _allowed(task: Task, event: Event) -> Step:
    if task.phase is not Phase.ASKING:
        return task, [Recorded(event, "it did not ask")]
    task = replace(task, phase=Phase.BETWEEN_ATTEMPTS, message="")
    return task, [NextAttempt(next_number(task))]


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
