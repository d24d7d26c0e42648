"""How an attempt's end is judged: the task ends with it, or continues in another one."""

from __future__ import annotations

import signal as signals
from dataclasses import replace

from diamond.core.actions import NextAttempt, Step
from diamond.core.follow_ups import take_follow_up
from diamond.core.task import CONTINUE_EXIT_CODE, Phase, Reason, State, Task
from diamond.core.words import reason_words

MOST_STALLED = 2
"""Attempts in a row without progress after which a chain stops."""
CONTINUE_WORDS = {
    Reason.WALL_TIME: "wall-time",
    Reason.PREEMPTED: "preempted",
    Reason.NODE_LOST: "node-lost",
    Reason.LOST: "node-lost",
    Reason.OUT_OF_MEMORY: "out-of-memory",
    Reason.EXIT_CODE: "exit-code",
    Reason.SIGNAL: "exit-code",
    Reason.HUNG: "exit-code",
}


def end_or_continue(task: Task, reason: Reason, message: str) -> Step:
    if not _asks_to_continue(task, reason):
        return end(task, State.FAILED, reason, message or _ending_text(task, reason)), []
    task = _with_progress(task, reason)
    if task.stalled >= MOST_STALLED:
        return end(task, State.FAILED, Reason.NO_PROGRESS, _stalled_words(task)), []
    made = task.ended + 1
    if made >= task.policy.max_attempts:
        return end(task, State.FAILED, Reason.CONTINUE_LIMIT, _limit_words(task, made, reason)), []
    if task.follow_up is not None:
        return take_follow_up(task, task.follow_up, reason, message)
    task = replace(
        task, state=State.PENDING, phase=Phase.BETWEEN_ATTEMPTS, reason=reason, message=message
    )
    return task, [NextAttempt(next_number(task))]


def end_cancelled(task: Task) -> Step:
    return end(task, State.CANCELLED, Reason.BY_PERSON, "cancelled"), []


def end(task: Task, state: State, reason: Reason, message: str) -> Task:
    return replace(task, state=state, phase=Phase.NONE, reason=reason, message=message)


def own_end(task: Task) -> Reason:
    """To a batch system a program killed by a signal is a script that ended with 128+n; the exit file knows better.

    Of several ranks, their overseer knows better still.
    """
    if task.phase is Phase.ENDING and task.reason is not Reason.NONE:
        return task.reason
    return Reason.SIGNAL if task.signal else Reason.EXIT_CODE


def next_number(task: Task) -> int:
    return max(task.numbered, task.attempt.number) + 1


def _asks_to_continue(task: Task, reason: Reason) -> bool:
    if reason is Reason.EXIT_CODE and task.exit_code == CONTINUE_EXIT_CODE:
        return True
    return CONTINUE_WORDS.get(reason, "") in task.policy.on or doubts_checkpoint(task, reason)


def doubts_checkpoint(task: Task, reason: Reason) -> bool:
    """Whether a chain that outlives kills may have failed by a checkpoint that was half written when the last attempt was killed.

    It came no further than that checkpoint, for the first time: the next attempt is given the one before.
    """
    if reason not in (Reason.EXIT_CODE, Reason.SIGNAL) or task.exit_code == CONTINUE_EXIT_CODE:
        return False
    outlives = bool(task.policy.on - {"exit-75"}) and task.policy.has_pattern
    resumed = task.ended > 0 and task.reached.modified > 0
    return outlives and resumed and not task.stalled and not _came_further(task, reason)


def _with_progress(task: Task, reason: Reason) -> Task:
    reached = task.attempt.reached
    stalled = 0 if _came_further(task, reason) else task.stalled + 1
    return replace(task, stalled=stalled, reached=reached.farthest(task.reached))


def _came_further(task: Task, reason: Reason) -> bool:
    """If nothing shows how far it came, a program's own request to continue (75) is believed."""
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


def _limit_words(task: Task, made: int, reason: Reason) -> str:
    is_asked = reason is Reason.EXIT_CODE and task.exit_code == CONTINUE_EXIT_CODE
    last = "asked to be continued" if is_asked else f"ended so: {reason_words(reason.value)}"
    return f"{made} attempts were made, as many as `max_attempts` allows, and the last {last}"


def _ending_text(task: Task, reason: Reason) -> str:
    if reason is Reason.SIGNAL and task.signal:
        return _words_for_signal(task.signal)
    if reason is Reason.EXIT_CODE and task.exit_code is not None:
        return f"the program ended with exit code {task.exit_code}"
    return reason_words(reason.value)


def _words_for_signal(number: int) -> str:
    known = number in {known_signal.value for known_signal in signals.Signals}
    name = f" ({signals.Signals(number).name})" if known else ""
    hint = "; often that is memory running out" if number == signals.SIGKILL else ""
    return f"the program was killed by signal {number}{name}{hint}"


def reason_of(value: str, default: Reason) -> Reason:
    try:
        return Reason(value) if value else default
    except ValueError:
        return default
