"""What is still learned of a task that has ended."""

from __future__ import annotations

from dataclasses import replace

from diamond.core.actions import Recorded, SendCancel, Step
from diamond.core.endings import reason_of
from diamond.core.events import AttemptKnown, Event, Observed, Started, Submitted
from diamond.core.task import Reason, State, Task


def after_the_end(task: Task, event: Event) -> Step:
    recorded = Recorded(event, "the task had ended")
    if _is_beyond_the_end(task, event):
        return task, [recorded, SendCancel(event.attempt)]
    is_alive = task.state is State.CANCELLED and _is_alive(task, event)
    if is_alive or _has_come_back(task, event):
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


def _has_come_back(task: Task, event: Event) -> bool:
    """Requeued by the site after its end was reported: nobody waits for what it does now."""
    if event.attempt != task.attempt.id:
        return False
    if isinstance(event, Observed):
        return event.status == "queued" and event.restarts >= task.attempt.run > 0
    return isinstance(event, Started) and event.run > task.attempt.run > 0


def _refine(task: Task, event: Event) -> Task:
    """A scheduler's late word may sharpen why a task failed, never whether it did."""
    if not isinstance(event, Observed) or event.status != "ended":
        return task
    if event.attempt and event.attempt != task.attempt.id:
        return task
    task = replace(task, native_state=event.native_state or task.native_state)
    reason = reason_of(event.reason, task.reason)
    vague = task.reason in (Reason.EXIT_CODE, Reason.SIGNAL, Reason.LOST)
    known_better = task.reason is Reason.SIGNAL and reason is Reason.EXIT_CODE
    if task.state is State.FAILED and vague and event.reason and not known_better:
        return replace(task, reason=reason, message=event.message or task.message)
    return task
