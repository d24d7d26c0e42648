"""Attempts after the first: how one begins, and how a follow-up that waits in the queue takes over."""

from __future__ import annotations

from dataclasses import replace
from typing import List

from diamond.core.actions import Action, FollowUpTakes, Recorded, SendCancel, Step
from diamond.core.events import AttemptKnown
from diamond.core.task import Attempt, Phase, Reason, State, Task


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
        ended=task.ended + (number > task.attempt.number),
        numbered=max(task.numbered, number),
    )


def adopt(task: Task, event: AttemptKnown) -> Step:
    if event.number < task.attempt.number or event.attempt == task.attempt.id:
        return task, [Recorded(event, "of another attempt")]
    if event.number == task.attempt.number and task.attempt.native_id:
        return task, [Recorded(event, "another has its number")]
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


def take_follow_up(task: Task, follow_up: Attempt, reason: Reason, message: str) -> Step:
    begun = begin_attempt(task, follow_up.id, follow_up.number)
    phase = Phase.QUEUED if follow_up.native_id else Phase.BETWEEN_ATTEMPTS
    phase = Phase.CANCELLING if task.cancel_requested else phase
    ended = task.ended if reason is Reason.WITHDRAWN else begun.ended
    taken = replace(begun, attempt=follow_up, phase=phase, message=message, ended=ended)
    return taken, [FollowUpTakes(task.attempt.id, reason)]
