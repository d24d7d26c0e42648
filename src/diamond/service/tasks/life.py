"""One task while events are applied to it: what the columns beside the life cycle keep of them. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from diamond.core.events import CLEANED, Arrived, Event, Exited, Note, Observed, Started, Submitted
from diamond.core.task import Attempt, Task
from diamond.service.chains.grants import node_seconds
from diamond.service.chains.rows import AttemptRow, ChainRow, RunRow
from diamond.service.tasks.core_rows import core_task, decided_chain, new_attempt, with_known
from diamond.service.tasks.rows import HistoryRow, TaskRow


@dataclass(frozen=True)
class Line:
    """An event for the history; one that changed nothing may stand there already."""

    row: HistoryRow
    """Its number is given when it is saved."""
    may_repeat: bool


@dataclass
class Life:
    """One task while events are applied to it."""

    row: TaskRow
    """As it was loaded."""
    task: Task
    attempts: list[AttemptRow]
    chain: ChainRow
    node: str
    run_dir: str
    updated: float
    started: float | None
    ended: float | None
    cleaned: float | None
    lines: list[Line] = field(default_factory=list)
    is_changed: bool = False
    is_news: bool = False
    needs_grant: bool = False
    """A program started, or costs more than before: the agent gets a new grant for the chain."""

    @classmethod
    def of(cls, row: TaskRow) -> Life:
        return cls(
            row=row,
            task=core_task(row),
            attempts=list(row.attempts),
            chain=row.chain,
            node=row.node,
            run_dir=row.run_dir,
            updated=row.updated,
            started=row.started,
            ended=row.ended,
            cleaned=row.cleaned,
        )

    def find(self, attempt: str) -> AttemptRow | None:
        return next((each for each in self.attempts if each.id == attempt), None)

    def change(self, changed: AttemptRow) -> None:
        """Put an attempt in the place of the one with its id, else of the one with its number."""
        known = self.find(changed.id)
        if known is not None:
            self.attempts[self.attempts.index(known)] = changed
            return
        others = [attempt for attempt in self.attempts if attempt.number != changed.number]
        self.attempts[:] = [*others, changed]

    def end_attempt(self, attempt: str, at: float, reason: str) -> None:
        known = self.find(attempt)
        if known is not None:
            self.change(replace(known, ended=known.ended or at, reason=reason))

    def as_row(self) -> TaskRow:
        """The row as it is now."""
        task = self.task
        return replace(
            self.row,
            state=task.state.value,
            phase=task.phase.value,
            reason=task.reason.value,
            message=task.message,
            native_state=task.native_state,
            exit_code=task.exit_code,
            signal=task.signal,
            as_of=task.as_of,
            cancel_requested=task.cancel_requested,
            attempt=task.attempt.id,
            attempts=tuple(self.attempts),
            chain=decided_chain(self.chain, task),
            updated=self.updated,
            node=self.node,
            run_dir=self.run_dir,
            started=self.started,
            ended=self.ended,
            cleaned=self.cleaned,
            unconfirmed=self.row.unconfirmed or self.task.is_final,
            node_seconds=node_seconds(self.row.resources, self.attempts),
            history=self.row.history + len(self.lines),
        )


def keep_attempt(life: Life, attempt: Attempt, event: Event) -> None:
    """What the life cycle knows of it, and when it was queued and got its nodes."""
    row = with_known(life.find(attempt.id) or new_attempt(attempt), attempt)
    if event.attempt == row.id and isinstance(event, Submitted):
        row = replace(row, queued=row.queued or event.at, script=event.script or row.script)
    if event.attempt == row.id and isinstance(event, Arrived):
        row = replace(row, arrived=row.arrived or event.at)
    life.change(row)


def has_gone(follow_up: Attempt, after: Task) -> bool:
    """Withdrawn, overtaken by a later one, or not needed as the task has ended."""
    if follow_up.id == after.attempt.id:
        return False
    is_overtaken = after.follow_up is not None and after.follow_up.number > follow_up.number
    return after.follow_up is None or is_overtaken or after.is_final


def keep_limit(life: Life, event: Observed) -> bool:
    """Whether the time limit of an attempt has changed."""
    attempt = life.find(event.attempt)
    if not event.limit_seconds or attempt is None:
        return False
    if event.limit_seconds == (attempt.limit_seconds or 60.0 * life.row.resources.walltime_minutes):
        return False
    life.change(replace(attempt, limit_seconds=event.limit_seconds))
    return True


def keep_start(life: Life, event: Started) -> None:
    attempt = life.find(event.attempt)
    assert attempt is not None
    runs = attempt.runs
    if all(run.run != event.run for run in runs):
        runs = (*runs, RunRow(event.run, event.node, event.at))
    life.change(replace(attempt, runs=runs, started=attempt.started or event.at))
    if life.started is None:
        life.started = event.at
    if event.run == life.task.attempt.run:
        life.node = event.node


def keep_exit(life: Life, event: Exited) -> None:
    """Of the attempt that exited: its follow-up may have taken over by this very event."""
    attempt = life.find(event.attempt)
    if attempt is None:
        return
    runs = tuple(
        replace(run, exit_code=event.exit_code, ended=event.at) if run.run == event.run else run
        for run in attempt.runs
    )
    life.change(replace(attempt, runs=runs))


def keep_cleaned(life: Life, event: Note) -> None:
    if event.code == CLEANED and not life.cleaned:
        life.cleaned, life.run_dir = event.at, ""
        life.is_news = True


def is_same(before: Task, after: Task) -> bool:
    """Only `as_of` may have moved."""
    return replace(before, as_of=0.0) == replace(after, as_of=0.0)
