"""What is true of an attempt, decided from its files and the batch system's answers. No disk, no clock.

`now` is a monotonic count of seconds. Each function changes the `Watched` it is given and returns the
events that the service must learn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from diamond.core.actions import NextAttempt
from diamond.core.events import Event, Exited, Gone, Lost, NoWord, Observed, Started
from diamond.core.lifecycle import step
from diamond.core.native import NativeStatus, node_names
from diamond.core.task import Reason, Task

GO, STOP = "go", "stop"
"""What follows from the end of an attempt: another one, or the end of the task."""
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


@dataclass
class Watched:
    """All that is known of one submitted attempt."""

    native_id: str = ""
    is_patient: bool = False
    """Whether another attempt follows or not by what the batch system says of the end."""
    run: int = 0
    """The newest run seen to have started."""
    starts: set[int] = field(default_factory=set)
    exits: dict[int, int] = field(default_factory=dict)
    cancelled: bool = False
    arrived: bool = False
    """A follow-up that waits on its nodes."""
    over: bool = False
    """Nothing more can be learned that matters."""
    exit_at: float | None = None
    """When a code other than 0 of the newest run was seen."""
    reported_no_word: bool = False
    heard_since_exit: bool = False
    """The batch system answered after that, and named no end that may still come."""
    is_completing: bool = False
    """It answered after that that it clears up."""
    waits_long: bool = False
    """The answer has been awaited for longer than prompt questions are worth."""
    ended: NativeStatus | None = None
    ended_at: float = 0.0
    absent_since: float | None = None
    absent_last: float = 0.0
    reported: NativeStatus | None = None

    @property
    def nodes(self) -> list[str]:
        """Those it has, by the last answer."""
        return node_names(self.reported.nodes) if self.reported is not None else []

    @property
    def awaits_answer(self) -> bool:
        """A prompt question to the batch system would help somebody who waits."""
        awaited = self.cancelled or (self.exit_at is not None and not self.waits_long)
        return not self.over and awaited and not self.reported_no_word

    @property
    def is_running(self) -> bool:
        return not self.over and self.run > 0 and self.run not in self.exits


def saw_start(watched: Watched, run: int, *, native_id: str, node: str) -> list[Event]:
    """A `started` file. The job that wrote it holds the claim: it is the one to follow."""
    if run in watched.starts:
        return []
    watched.starts.add(run)
    if run >= watched.run:
        watched.run = run
        watched.native_id = native_id or watched.native_id
        _forget_end(watched)
    return [Started(run=run, native_id=native_id, node=node)]


def saw_exit(watched: Watched, run: int, code: int, *, now: float) -> list[Event]:
    """An `exit` file."""
    if run in watched.exits:
        return []
    watched.exits[run] = code
    signal = code - 128 if 128 < code <= 128 + 64 else None
    events: list[Event] = [Exited(run=run, exit_code=code, signal=signal)]
    if run < watched.run:
        return events
    watched.run = run
    return events + _end_of_newest_run(watched, code, now)


def heard(watched: Watched, status: NativeStatus | None, *, now: float) -> list[Event]:
    """An answer that was really given; None: neither the queue nor the accounting names the job."""
    if watched.over:
        return []
    if status is None:
        return _absent(watched, now)
    watched.absent_since = None
    if status.status == "ended":
        return _heard_end(watched, status, now)
    watched.ended = None
    watched.heard_since_exit = watched.exit_at is not None and status.status == "running"
    watched.is_completing = watched.exit_at is not None and status.status == "completing"
    if watched.is_completing and status.reason:
        return _report_end(watched, replace(status, status="ended"))
    if status.status == "queued" and watched.run:
        return _heard_queued_again(watched, status)
    return _report(watched, status)


def is_requeued(watched: Watched, status: NativeStatus | None) -> bool:
    """An answer may be older than the start that was seen since: only a higher restart count is a requeue."""
    if status is None or status.status != "queued" or not watched.run:
        return False
    return status.restarts >= watched.run


def follow_owner(watched: Watched, owner: str) -> bool:
    """The claim names another job than the one asked about: that one ran, this one was turned away."""
    if not owner or owner == watched.native_id:
        return False
    watched.native_id = owner
    watched.ended, watched.absent_since = None, None
    return True


def cancel(watched: Watched) -> list[Event]:
    """The user wants the end."""
    watched.cancelled = True
    if watched.over or watched.run in watched.exits:
        watched.over = True
        return [Gone()]
    return []


def time_passed(watched: Watched, *, now: float) -> list[Event]:
    """What follows from nothing having been heard for long enough."""
    if watched.over:
        return []
    if watched.exit_at is not None:
        return _without_word(watched, now - watched.exit_at)
    if watched.ended is not None and now - watched.ended_at >= _end_grace(watched.ended):
        return _report_end(watched, watched.ended)
    if watched.absent_since is not None:
        return _absent_for(watched, watched.absent_last - watched.absent_since)
    return []


def judge_end(task: Task, events: Iterable[Event]) -> tuple[str, Task]:
    """What follows from these events by the rules of the life cycle: GO, STOP, or '' while more must be known.

    Returns the task as it is at that point too.
    """
    for event in events:
        task, actions = step(task, event)
        if any(isinstance(action, NextAttempt) for action in actions):
            return GO, task
        if task.is_final:
            return STOP, task
    return STOP if task.cancel_requested else "", task


def _end_of_newest_run(watched: Watched, code: int, now: float) -> list[Event]:
    if code == 0:
        watched.over = True
        return []
    if watched.cancelled:
        watched.over = True
        return [Gone()]
    if watched.ended is not None:
        return _report_end(watched, watched.ended)
    watched.exit_at = now
    return []


def _forget_end(watched: Watched) -> None:
    """A new run has begun: what was said about the end of an older one no longer counts."""
    watched.exit_at, watched.ended, watched.absent_since = None, None, None
    watched.reported_no_word, watched.heard_since_exit = False, False
    watched.is_completing, watched.waits_long = False, False
    if watched.run in watched.exits:
        return
    watched.over = False


def _heard_end(watched: Watched, status: NativeStatus, now: float) -> list[Event]:
    if watched.cancelled:
        return [Gone(), *_report_end(watched, status)]
    if watched.run in watched.exits:
        return _report_end(watched, status)
    if watched.ended is None:
        watched.ended_at = now
    watched.ended = status
    return []


def _heard_queued_again(watched: Watched, status: NativeStatus) -> list[Event]:
    if not is_requeued(watched, status):
        return []
    _forget_end(watched)
    return _report(watched, status)


def _absent(watched: Watched, now: float) -> list[Event]:
    watched.is_completing = False
    if watched.absent_since is None:
        watched.absent_since = now
    watched.absent_last = now
    return []


def _absent_for(watched: Watched, seconds: float) -> list[Event]:
    if watched.cancelled and seconds >= GONE_GRACE:
        watched.over = True
        return [Gone(message="the batch system no longer knows it")]
    if seconds < LOST_GRACE:
        return []
    watched.over = True
    message = f"neither the batch system nor the run directory has named job {watched.native_id}"
    return [Lost(message=f"{message} for {LOST_GRACE:.0f} s")]


def _without_word(watched: Watched, seconds: float) -> list[Event]:
    """A time limit, a preemption and a full memory look like a signal: their answer is worth a longer wait."""
    grace = _word_grace(watched)
    watched.waits_long = seconds >= SIGNAL_GRACE
    watched.over = seconds >= max(grace, SIGNAL_GRACE) + REFINE_GRACE
    if seconds < grace or watched.reported_no_word:
        return []
    watched.reported_no_word = True
    return [NoWord()]


def _word_grace(watched: Watched) -> float:
    if watched.is_completing and watched.is_patient:
        return COMPLETING_GRACE
    is_signal = watched.exits.get(watched.run, 0) > 128
    return SIGNAL_GRACE if is_signal and not watched.heard_since_exit else WORD_GRACE


def _end_grace(status: NativeStatus) -> float:
    if status.exit_code == TURNED_AWAY:
        return LOST_GRACE  # the job that was let in will be seen
    is_clear = bool(status.reason) or status.exit_code is not None or status.signal is not None
    return EXIT_FILE_GRACE if is_clear else LOST_GRACE


def _report_end(watched: Watched, status: NativeStatus) -> list[Event]:
    watched.over = True
    return [_observed(watched, status)]


def _report(watched: Watched, status: NativeStatus) -> list[Event]:
    if watched.reported is not None and _same(watched.reported, status):
        return []
    watched.reported = status
    return [_observed(watched, status)]


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


def _observed(watched: Watched, status: NativeStatus) -> Observed:
    reason, message = status.reason, status.message
    vague = reason in ("", Reason.EXIT_CODE.value)
    if watched.run == 0 and status.exit_code == NOT_STARTED and vague:
        reason = Reason.DISK.value
        message = "no room or no right to write in the run directory; the program was not started"
    return Observed(
        status=status.status,
        native_state=status.native_state,
        native_id=watched.native_id,
        run=watched.run,
        restarts=status.restarts,
        limit_seconds=status.limit_seconds,
        reason=reason,
        exit_code=status.exit_code,
        signal=status.signal,
        message=message,
        held=status.held,
    )
