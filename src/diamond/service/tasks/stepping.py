"""Carries out what `core.lifecycle.step` decides, for many events in one transaction."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field, replace

from diamond.core import ids
from diamond.core.actions import Action, FollowUpTakes, NextAttempt, Recorded, SendCancel
from diamond.core.events import (
    CLEANED,
    EVENT_TYPES,
    Allowed,
    Arrived,
    CancelAsked,
    Event,
    Exited,
    NotAllowed,
    Note,
    Observed,
    PrepareFailed,
    Started,
    Submitted,
)
from diamond.core.follow_ups import begin_attempt
from diamond.core.lifecycle import step
from diamond.core.task import Attempt, Phase, Reason, State, Task
from diamond.service.chains.granting import forecast_grant, grant_of, queues_ahead
from diamond.service.chains.grants import node_seconds, refusal
from diamond.service.chains.rows import AttemptRow, ChainRow, RunRow
from diamond.service.endpoints.commands import Command, send
from diamond.service.notifications.notify import Notice, asking_notice, ending_notice, tell
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.wakeups.notifier import SCALES, project_topic
from diamond.service.tasks.core_rows import core_task, new_attempt, with_decided, with_known
from diamond.service.tasks.dependency_store import hold_wishes, waiting_for
from diamond.service.tasks.rows import HistoryRow, TaskRow
from diamond.service.tasks.store import add_history, history_of, save_task
from diamond.service.tasks.submit_command import task_json

EVENT_NAMES: dict[type[Event], str] = {
    **{cls: name for name, cls in EVENT_TYPES.items()},
    CancelAsked: "cancel-asked",
    NotAllowed: "not-allowed",
    Allowed: "allowed",
}


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
            started=row.started,
            ended=row.ended,
            cleaned=row.cleaned,
        )

    def find(self, attempt: str) -> AttemptRow | None:
        return next((one for one in self.attempts if one.id == attempt), None)

    def change(self, changed: AttemptRow) -> None:
        """Put an attempt in the place of the one with its id, else of the one with its number."""
        known = self.find(changed.id)
        if known is not None:
            self.attempts[self.attempts.index(known)] = changed
            return
        others = [one for one in self.attempts if one.number != changed.number]
        self.attempts[:] = [*others, changed]

    def end_attempt(self, attempt: str, at: float, reason: str) -> None:
        known = self.find(attempt)
        if known is not None:
            self.change(replace(known, ended=known.ended or at, reason=reason))

    def as_row(self) -> TaskRow:
        """The row as it is now."""
        row = replace(
            self.row,
            attempts=tuple(self.attempts),
            chain=self.chain,
            node=self.node,
            run_dir=self.run_dir,
            started=self.started,
            ended=self.ended,
            cleaned=self.cleaned,
            untold=self.row.untold or self.task.is_final,
            node_seconds=node_seconds(self.row.resources, self.attempts),
            history=self.row.history + len(self.lines),
        )
        return with_decided(row, self.task)


class Steps:
    """Applies events to tasks of one owner, then saves all of it: rows, history, commands, news."""

    def __init__(self, owner: str, run_dir: str = "") -> None:
        self._owner = owner
        """Of the endpoint; on a community account tasks have owners of their own."""
        self._run_dir = run_dir
        self._now = time.time()
        self._lives: dict[str, Life] = {}
        self._commands: list[Command] = []
        self._news: dict[str, list[News]] = defaultdict(list)
        self._ended: list[str] = []
        self._asking: list[str] = []

    def load(self, row: TaskRow) -> None:
        self._lives[row.id] = Life.of(row)

    def allow(self, task: str, chain: ChainRow) -> None:
        """The owner changed how far the chain may continue."""
        life = self._lives[task]
        life.chain = chain
        life.is_changed = life.is_news = life.needs_grant = True

    def announce(self, task: TaskRow) -> None:
        """More output of a task has come after its end: clients that show it load it again."""
        self._news[task.owner].append(News("task", task.id))

    def knows(self, task: str) -> bool:
        return task in self._lives

    def apply(self, task: str, event: Event) -> None:
        life = self._lives[task]
        before = life.task
        after, actions = step(before, event)
        self._keep(life, event, after)
        same = _is_same(before, after)
        if not (same and not actions and isinstance(event, Observed)):
            life.lines.append(Line(self._line(life, event, actions), may_repeat=same))
        for action in actions:
            self._act(life, action, event)
        if isinstance(event, Note):
            data = {"message": event.message, "code": event.code}
            self._news[life.row.owner].append(News("note", task, data))
            _keep_cleaned(life, event)
        life.is_changed = True
        life.is_news = life.is_news or not _is_same(before, life.task)

    async def save(self, tx: Transaction) -> None:
        """In the order of ids, so that two writers never wait for each other in a ring."""
        await self._end_waiting(tx)
        lines: list[HistoryRow] = []
        for task in sorted(self._lives):
            life = self._lives[task]
            life.is_news = life.is_news or tuple(life.attempts) != life.row.attempts
            if life.is_changed:
                life.lines = await _without_repeats(tx, life)
                lines += _numbered(life)
                await self._grant(tx, life)
                await save_task(tx, self._saved(life))
                self._publish(tx, life)
        await add_history(tx, lines)
        await send(tx, self._commands)
        await self._notify(tx)

    def _publish(self, tx: Transaction, life: Life) -> None:
        row = life.row
        if life.is_news:
            self._news[row.owner].append(News("task", row.id))
            if row.project:
                tx.wake(project_topic(row.project))
        if row.kind == "probe":
            tx.wake(SCALES)

    async def _notify(self, tx: Transaction) -> None:
        notices: dict[str, list[Notice]] = defaultdict(list)
        for task in self._ended:
            life = self._lives[task]
            if life.row.kind != "probe":  # the end of a probe is its scale's news
                notices[life.row.owner].append(_ending_notice(life))
        for task in self._asking:
            life = self._lives[task]
            row = life.row
            notice = asking_notice(life.task, name=row.name, endpoint=row.endpoint_name)
            notices[row.owner].append(notice)
        for owner in sorted({*self._news, *notices}):
            self._news[owner] += await tell(tx, owner, notices[owner])
            await publish(tx, owner, self._news[owner])

    async def _end_waiting(self, tx: Transaction) -> None:
        """Tasks that wait for an image cannot run when its build has ended without one."""
        for task in list(self._ended):
            life = self._lives[task]
            if life.row.kind != "build" or life.task.state is State.SUCCEEDED:
                continue
            await hold_wishes(tx, task)
            message = (
                f"its image was not built: {life.task.message}. See: diamond image show {task}"
            )
            for row in await waiting_for(tx.connection, task):
                self.load(replace(row, awaits=None))
                reason = Reason.ENVIRONMENT.value
                self.apply(row.id, PrepareFailed(self._now, row.attempt, reason, message))

    def _keep(self, life: Life, event: Event, after: Task) -> None:
        """The columns beside the life cycle: when, where, each attempt's own story."""
        before, life.task = life.task, after
        _keep_attempt(life, after.attempt, event)
        if after.follow_up is not None:
            _keep_attempt(life, after.follow_up, event)
        if before.follow_up is not None and _has_gone(before.follow_up, after):
            life.end_attempt(before.follow_up.id, event.at, Reason.WITHDRAWN.value)
        if isinstance(event, Observed) and _keep_limit(life, event):
            life.needs_grant = True
        if isinstance(event, Started) and event.attempt == after.attempt.id:
            _keep_start(life, event)
            life.needs_grant = True
        if isinstance(event, Exited):
            _keep_exit(life, event)
        if after.phase is Phase.ASKING and before.phase is not Phase.ASKING:
            self._asking.append(life.row.id)
        if after.is_final:
            self._keep_end(life, event, is_new=not before.is_final)

    def _keep_end(self, life: Life, event: Event, *, is_new: bool) -> None:
        """A reason may be refined after the end."""
        attempt, reason = life.task.attempt.id, life.task.reason.value
        if is_new:
            life.end_attempt(attempt, event.at, reason)
            life.ended = event.at
            self._ended.append(life.row.id)
        known = life.find(attempt)
        if known is not None and known.reason != reason:
            life.change(replace(known, reason=reason))

    async def _grant(self, tx: Transaction, life: Life) -> None:
        if not life.needs_grant or life.task.is_final:
            return
        if queues_ahead(life.row):
            grant = await forecast_grant(tx.connection, life.as_row())
            self._command(life, "chain", "", {"chain": grant})
        elif life.chain.budget != life.row.chain.budget:
            self._command(life, "chain", "", {"chain": {}, **grant_of(life.as_row())})

    def _line(self, life: Life, event: Event, actions: list[Action]) -> HistoryRow:
        data = {key: value for key, value in vars(event).items() if key not in ("at", "message")}
        recorded = next((action for action in actions if isinstance(action, Recorded)), None)
        if recorded and recorded.why:
            data["ignored"] = recorded.why
        return HistoryRow(
            task=life.row.id,
            n=0,
            owner=life.row.owner,
            at=event.at,
            received=self._now,
            type=EVENT_NAMES[type(event)],
            message=getattr(event, "message", ""),
            data=data,
        )

    def _act(self, life: Life, action: Action, event: Event) -> None:
        if isinstance(action, SendCancel):
            self._command(life, "cancel", action.attempt, {})
        elif isinstance(action, FollowUpTakes):
            life.end_attempt(action.ended, event.at, action.reason.value)
        elif isinstance(action, NextAttempt):
            self._begin_next(life, action, event)

    def _begin_next(self, life: Life, action: NextAttempt, event: Event) -> None:
        if not isinstance(event, Allowed):
            life.end_attempt(life.task.attempt.id, event.at, life.task.reason.value)
        refused = refusal(life.chain, life.row.order, life.attempts)
        if refused is not None:
            self.apply(life.row.id, replace(refused, at=event.at))
            return
        attempt = ids.new_id(ids.ATTEMPT)
        life.task = begin_attempt(life.task, attempt, action.number)
        life.change(new_attempt(life.task.attempt))
        data: JsonObject = {"number": action.number, "task_json": task_json(life.row)}
        self._command(life, "submit", attempt, {**data, **grant_of(life.as_row())})

    def _command(self, life: Life, kind: str, attempt: str, data: JsonObject) -> None:
        row = life.row
        self._commands.append(
            Command(kind, row.endpoint, row.owner, task=row.id, attempt=attempt, data=data)
        )

    def _saved(self, life: Life) -> TaskRow:
        row = life.as_row()
        if self._run_dir and not row.run_dir and not row.cleaned:
            row = replace(row, run_dir=f"{self._run_dir}/tasks/{row.id}")
        return replace(row, updated=self._now) if life.is_news else row


def _ending_notice(life: Life) -> Notice:
    row = life.row
    return ending_notice(
        life.task,
        name=row.name,
        endpoint=row.endpoint_name,
        started=life.started,
        ended=life.ended,
    )


def _keep_attempt(life: Life, attempt: Attempt, event: Event) -> None:
    """What the life cycle knows of it, and when it was queued and got its nodes."""
    row = with_known(life.find(attempt.id) or new_attempt(attempt), attempt)
    if event.attempt == row.id and isinstance(event, Submitted):
        row = replace(row, queued=row.queued or event.at)
    if event.attempt == row.id and isinstance(event, Arrived):
        row = replace(row, arrived=row.arrived or event.at)
    life.change(row)


def _has_gone(follow_up: Attempt, after: Task) -> bool:
    """Withdrawn, overtaken by a later one, or not needed as the task has ended."""
    if follow_up.id == after.attempt.id:
        return False
    is_overtaken = after.follow_up is not None and after.follow_up.number > follow_up.number
    return after.follow_up is None or is_overtaken or after.is_final


def _keep_limit(life: Life, event: Observed) -> bool:
    """Whether the time limit of an attempt has changed."""
    attempt = life.find(event.attempt)
    if not event.limit_seconds or attempt is None:
        return False
    if event.limit_seconds == (attempt.limit_seconds or 60.0 * life.row.resources.walltime_minutes):
        return False
    life.change(replace(attempt, limit_seconds=event.limit_seconds))
    return True


def _keep_start(life: Life, event: Started) -> None:
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


def _keep_exit(life: Life, event: Exited) -> None:
    """Of the attempt that exited: its follow-up may have taken over by this very event."""
    attempt = life.find(event.attempt)
    if attempt is None:
        return
    runs = tuple(
        replace(run, exit_code=event.exit_code, ended=event.at) if run.run == event.run else run
        for run in attempt.runs
    )
    life.change(replace(attempt, runs=runs))


def _keep_cleaned(life: Life, event: Note) -> None:
    if event.code == CLEANED and not life.cleaned:
        life.cleaned, life.run_dir = event.at, ""
        life.is_news = True


def _is_same(before: Task, after: Task) -> bool:
    """Only `as_of` may have moved."""
    return replace(before, as_of=0.0) == replace(after, as_of=0.0)


async def _without_repeats(tx: Transaction, life: Life) -> list[Line]:
    """An agent reports all it knows at each reconnect; the history keeps the first report."""
    if not any(line.may_repeat for line in life.lines):
        return life.lines
    known = [_content(row) for row in await history_of(tx.connection, life.row.id)]
    kept = []
    for line in life.lines:
        content = _content(line.row)
        if not (line.may_repeat and content in known):
            kept.append(line)
            known.append(content)
    return kept


def _content(line: HistoryRow) -> tuple[str, str, JsonObject]:
    """What a line says, whenever it was said."""
    data = {key: value for key, value in line.data.items() if key != "ignored"}
    return line.type, line.message, data


def _numbered(life: Life) -> list[HistoryRow]:
    first = life.row.history + 1
    return [replace(line.row, n=n) for n, line in enumerate(life.lines, first)]
