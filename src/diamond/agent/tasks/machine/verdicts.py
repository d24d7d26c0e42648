"""What is true of one attempt, decided from its files and the batch system's answers.

`now` is a monotonic count of seconds. Each function returns the next state and the events that the service must learn.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from diamond.agent.tasks.machine.state import AttemptPhase, AttemptState, Outcome
from diamond.core.events import Event, Exited, Gone, Lost, NoWord, Observed, Started
from diamond.core.native import NativeStatus
from diamond.core.task import Reason

WORD_GRACE = 15.0
"""How long an exit code other than 0 waits for the batch system's answer."""
REFINE_GRACE = 120.0
"""How long after that a late answer may still give a better reason."""
EXIT_FILE_GRACE = 3.0
"""How long an exit file may be on its way when the batch system is clear about the end."""
LOST_GRACE = 120.0
"""How long an attempt may be unknown to everybody before it counts as lost."""
GONE_GRACE = 20.0
"""The same after a cancel."""
NOT_STARTED = 73
"""The batch script's own exit code for: no room, nothing was started."""
TURNED_AWAY = 74
"""Its exit code for: another job holds the attempt, or a cancel came before; nothing was started."""
LATE_SECONDS = 120.0
"""How long files of a run without an exit file may still appear after its end: a shared file system can be slow."""
SIGNAL_GRACE = 60.0
"""How long a death by signal waits while the batch system still says completing, or has not answered."""
COMPLETING_GRACE = 900.0
"""How long any ending waits while the batch system says completing, if its answer decides whether a chain continues:
some epilogs take minutes, and only after them it distinguishes a time limit from a failure."""
CANCEL_AGAIN_SECONDS = 30.0
"""How long a cancel may have no effect before the batch system is asked again."""


class NextStep(Enum):
    """How an attempt continues that is loaded from its folder."""

    FOLLOW = "follow"
    """The batch system has it."""
    FAIL = "fail"
    """It was rejected, and is never tried again."""
    FIND = "find"
    """It may have been submitted: the batch system is asked first."""
    GIVE_UP = "give-up"
    """It was cancelled before it was submitted."""
    STAGE = "stage"


def next_step(
    *, native_id: str, has_failed: bool, was_submitting: bool, is_cancelled: bool
) -> NextStep:
    """Where an attempt was left, by its files."""
    if native_id:
        return NextStep.FOLLOW
    if has_failed:
        return NextStep.FAIL
    if was_submitting:
        return NextStep.FIND
    return NextStep.GIVE_UP if is_cancelled else NextStep.STAGE


def saw_start(state: AttemptState, run: int, *, native_id: str, node: str) -> Outcome:
    """A `started` file. The job that wrote it holds the claim: it is the one to follow."""
    if run in state.starts:
        return Outcome(state)
    state = replace(state, starts=state.starts | {run})
    if run >= state.run:
        state = _forget_end(replace(state, run=run, native_id=native_id or state.native_id))
    return Outcome(state, (Started(run=run, native_id=native_id, node=node),))


def saw_exit(state: AttemptState, run: int, code: int, *, now: float) -> Outcome:
    """An `exit` file."""
    if run in state.exits:
        return Outcome(state)
    state = replace(state, exits={**state.exits, run: code})
    signal = code - 128 if 128 < code <= 128 + 64 else None
    exited = Exited(run=run, exit_code=code, signal=signal)
    if run < state.run:
        return Outcome(state, (exited,))
    state, events = _end_of_newest_run(replace(state, run=run), code, now)
    return Outcome(state, (exited, *events))


def after_status(state: AttemptState, status: NativeStatus | None, *, now: float) -> Outcome:
    """An answer that was really given; None: neither the queue nor the accounting names the job."""
    if state.over:
        return Outcome(state)
    if status is None:
        return _absent(state, now)
    state = replace(state, absent_since=None)
    if status.status == "ended":
        return _heard_end(state, status, now)
    has_exited = state.exit_at is not None
    state = replace(
        state,
        ended=None,
        heard_since_exit=has_exited and status.status == "running",
        is_completing=has_exited and status.status == "completing",
    )
    if state.is_completing and status.reason:
        return _report_end(state, replace(status, status="ended"))
    if status.status == "queued" and state.run:
        return _heard_queued_again(state, status)
    return _report(state, status)


def is_requeued(state: AttemptState, status: NativeStatus | None) -> bool:
    """An answer may be older than the start that was seen since: only a higher restart count is a requeue."""
    if status is None or status.status != "queued" or not state.run:
        return False
    return status.restarts >= state.run


def follow_owner(state: AttemptState, owner: str) -> AttemptState:
    """If the claim names another job than the one asked about, that one ran, and this one was turned away."""
    if not owner or owner == state.native_id:
        return state
    return replace(state, native_id=owner, ended=None, absent_since=None)


def follow_limit(state: AttemptState, status: NativeStatus | None) -> AttemptState:
    """The time limit as the batch system has it now."""
    limit = status.limit_seconds if status is not None else 0.0
    if not limit or limit == state.asked_seconds:
        return state
    return replace(state, limit_seconds=limit)


def cancel(state: AttemptState) -> Outcome:
    """The user wants the end."""
    state = replace(state, cancelled=True)
    if state.over or state.run in state.exits:
        return Outcome(replace(state, over=True), (Gone(),))
    return Outcome(state)


def flag(state: AttemptState, *, now: float, grace: float) -> AttemptState:
    """It has the stop flag from now on."""
    return replace(state, kill_at=now + grace)


def must_kill(state: AttemptState, *, now: float) -> bool:
    return state.kill_at is not None and now >= state.kill_at


def must_cancel_again(state: AttemptState, *, now: float) -> bool:
    if state.kill_at is not None:
        return False
    return state.cancelled and now - (state.cancel_asked_at or 0) > CANCEL_AGAIN_SECONDS


def time_passed(state: AttemptState, *, now: float) -> Outcome:
    """What to decide after a long silence."""
    if state.over:
        return Outcome(state)
    if state.exit_at is not None:
        return _without_word(state, now - state.exit_at)
    if state.ended is not None and now - state.ended_at >= _end_grace(state.ended):
        return _report_end(state, state.ended)
    if state.absent_since is not None:
        return _absent_for(state, state.absent_last - state.absent_since)
    return Outcome(state)


def awaits_an_end(state: AttemptState) -> bool:
    """The batch system reports the end, or no longer knows the job; its files may say more."""
    return state.ended is not None or state.absent_since is not None


def ended_by_limit(state: AttemptState) -> Observed:
    """Where the batch system says nothing, a run that lasted until its time limit was ended by the limit."""
    return Observed(
        status="ended",
        reason=Reason.WALL_TIME.value,
        run=state.run,
        native_id=state.native_id,
        message="it ran until its time limit, and the batch system gives no other reason",
    )


def is_silent_end(state: AttemptState, event: Event) -> bool:
    """An end of a run about which the batch system says nothing."""
    return isinstance(event, (NoWord, Lost)) and state.run > 0


def may_have_late_files(state: AttemptState) -> bool:
    """Only the batch system has reported its end: its files may still appear."""
    return state.phase is AttemptPhase.SUBMITTED and state.over and state.run not in state.exits


def note_end(state: AttemptState, *, now: float) -> AttemptState:
    """From when late files are awaited."""
    if not may_have_late_files(state) or state.over_at:
        return state
    return replace(state, over_at=now)


def is_late(state: AttemptState, *, now: float) -> bool:
    """Whether its end was noted a short while ago, so that files may still appear."""
    is_noted = may_have_late_files(state) and state.over_at is not None
    return is_noted and now - (state.over_at or 0.0) < LATE_SECONDS


def _end_of_newest_run(state: AttemptState, code: int, now: float) -> Outcome:
    if code == 0:
        return Outcome(replace(state, over=True))
    if state.cancelled:
        return Outcome(replace(state, over=True), (Gone(),))
    if state.ended is not None:
        return _report_end(state, state.ended)
    return Outcome(replace(state, exit_at=now))


def _forget_end(state: AttemptState) -> AttemptState:
    """A new run has started: reports about the end of an older one no longer count."""
    return replace(
        state,
        exit_at=None,
        ended=None,
        absent_since=None,
        reported_no_word=False,
        heard_since_exit=False,
        is_completing=False,
        waits_long=False,
        over=state.over and state.run in state.exits,
    )


def _heard_end(state: AttemptState, status: NativeStatus, now: float) -> Outcome:
    if state.cancelled:
        state, events = _report_end(state, status)
        return Outcome(state, (Gone(), *events))
    if state.run in state.exits:
        return _report_end(state, status)
    ended_at = now if state.ended is None else state.ended_at
    return Outcome(replace(state, ended=status, ended_at=ended_at))


def _heard_queued_again(state: AttemptState, status: NativeStatus) -> Outcome:
    return _report(_forget_end(state), status) if is_requeued(state, status) else Outcome(state)


def _absent(state: AttemptState, now: float) -> Outcome:
    since = now if state.absent_since is None else state.absent_since
    return Outcome(replace(state, is_completing=False, absent_since=since, absent_last=now))


def _absent_for(state: AttemptState, seconds: float) -> Outcome:
    if state.cancelled and seconds >= GONE_GRACE:
        gone = Gone(message="the batch system no longer knows it")
        return Outcome(replace(state, over=True), (gone,))
    if seconds < LOST_GRACE:
        return Outcome(state)
    message = f"neither the batch system nor the run directory has named job {state.native_id}"
    lost = Lost(message=f"{message} for {LOST_GRACE:.0f} s")
    return Outcome(replace(state, over=True), (lost,))


def _without_word(state: AttemptState, seconds: float) -> Outcome:
    """A time limit, a preemption and a full memory look like a signal: their answer is worth a longer wait."""
    grace = _word_grace(state)
    waits_long = seconds >= SIGNAL_GRACE
    over = seconds >= max(grace, SIGNAL_GRACE) + REFINE_GRACE
    if (waits_long, over) != (state.waits_long, state.over):
        state = replace(state, waits_long=waits_long, over=over)
    if seconds < grace or state.reported_no_word:
        return Outcome(state)
    return Outcome(replace(state, reported_no_word=True), (NoWord(),))


def _word_grace(state: AttemptState) -> float:
    if state.is_completing and state.is_patient:
        return COMPLETING_GRACE
    is_signal = state.exits.get(state.run, 0) > 128
    return SIGNAL_GRACE if is_signal and not state.heard_since_exit else WORD_GRACE


def _end_grace(status: NativeStatus) -> float:
    if status.exit_code == TURNED_AWAY:
        return LOST_GRACE  # the job that was let in will be seen
    is_clear = bool(status.reason) or status.exit_code is not None or status.signal is not None
    return EXIT_FILE_GRACE if is_clear else LOST_GRACE


def _report_end(state: AttemptState, status: NativeStatus) -> Outcome:
    return Outcome(replace(state, over=True), (_observed(state, status),))


def _report(state: AttemptState, status: NativeStatus) -> Outcome:
    if state.reported is not None and _same(state.reported, status):
        return Outcome(state)
    return Outcome(replace(state, reported=status), (_observed(state, status),))


def _same(each: NativeStatus, other: NativeStatus) -> bool:
    return (
        each.status,
        each.native_state,
        each.message,
        each.held,
        each.restarts,
        each.limit_seconds,
    ) == (
        other.status,
        other.native_state,
        other.message,
        other.held,
        other.restarts,
        other.limit_seconds,
    )


def _observed(state: AttemptState, status: NativeStatus) -> Observed:
    reason, message = status.reason, status.message
    vague = reason in ("", Reason.EXIT_CODE.value)
    if state.run == 0 and status.exit_code == NOT_STARTED and vague:
        reason = Reason.DISK.value
        message = "no room or no right to write in the run directory; the program was not started"
    return Observed(
        status=status.status,
        native_state=status.native_state,
        native_id=state.native_id,
        run=state.run,
        restarts=status.restarts,
        limit_seconds=status.limit_seconds,
        reason=reason,
        exit_code=status.exit_code,
        signal=status.signal,
        message=message,
        held=status.held,
    )
