"""Carries out what `core.lifecycle.step` decides, for many events in one transaction."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import replace

from diamond.core import ids
from diamond.core.actions import Action, FollowUpTakes, NextAttempt, Recorded, SendCancel
from diamond.core.dependencies import Decision, Dependency, Outcome, fail, meet, waiting_phase
from diamond.core.events import (
    EVENT_TYPES,
    Allowed,
    CancelAsked,
    Event,
    Exited,
    NotAllowed,
    Note,
    Observed,
    PrepareFailed,
    Staging,
    Started,
)
from diamond.core.follow_ups import begin_attempt
from diamond.core.lifecycle import step
from diamond.core.task import Phase, Reason, State, Task
from diamond.provenance.entries import Draft
from diamond.service.chains.granting import forecast_grant, grant_of, queues_ahead
from diamond.service.chains.grants import refusal
from diamond.service.chains.rows import ChainRow
from diamond.service.endpoints.commands import Command, send
from diamond.service.limits.limits import Bound, HoursChange, bounds_of, hours_left
from diamond.service.notifications.notify import Notice, asking_notice, ending_notice, notify
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.wakeups.notifier import PIPELINES, WOKEN, project_topic
from diamond.service.tasks.core_rows import new_attempt
from diamond.service.tasks.dependency_store import (
    awaited,
    dependencies_of,
    hold_wishes,
    save_dependency,
    settle_order,
    waiting_for,
)
from diamond.service.tasks.life import (
    Life,
    Line,
    has_gone,
    is_same,
    keep_attempt,
    keep_cleaned,
    keep_exit,
    keep_limit,
    keep_start,
)
from diamond.service.tasks.node_hours import counted_hours
from diamond.service.tasks.record_entries import changes_of, record, record_order
from diamond.service.tasks.rows import HistoryRow, TaskRow
from diamond.service.tasks.store import add_history, history_of, save_task, stage_tasks
from diamond.service.tasks.submit_command import submit_command, task_json

EVENT_NAMES: dict[type[Event], str] = {
    **{cls: name for name, cls in EVENT_TYPES.items()},
    CancelAsked: "cancel-asked",
    NotAllowed: "not-allowed",
    Allowed: "allowed",
}

MOST_HISTORY = 10_000
"""Lines of a task. A chain of a hundred attempts has some thousand; an agent that never stops reporting fills no disk."""


class Steps:
    """Applies events to tasks of one owner, then saves all of it: rows, history, commands, news."""

    def __init__(self, owner: str, run_dir: str = "") -> None:
        self._owner = owner
        """Of the endpoint; on a community account tasks have their own owners."""
        self._run_dir = run_dir
        self._now = time.time()
        self._lives: dict[str, Life] = {}
        self._commands: list[Command] = []
        self._news: dict[str, list[News]] = defaultdict(list)
        self._ended: list[str] = []
        self._asking: list[str] = []
        self._bounds: dict[tuple[str, str], list[Bound]] = {}
        """Limits by owner and project, for the attempts that events call for."""

    async def load(self, tx: Transaction, row: TaskRow) -> None:
        whose = row.owner, row.project
        if whose not in self._bounds:
            self._bounds[whose] = await bounds_of(tx.connection, *whose)
        self._lives[row.id] = Life.of(row)

    def allow(self, task: str, chain: ChainRow) -> ChainRow:
        """The owner changed how far the chain may continue; gives what the limits make of it."""
        life = self._lives[task]
        life.chain = chain
        life.is_changed = life.is_news = life.needs_grant = True
        self._limit(life)
        return life.chain

    def announce(self, task: TaskRow) -> None:
        """More output of a task has come after its end: clients that show it load it again."""
        self._news[task.owner].append(News("task", task.id))

    def knows(self, task: str) -> bool:
        return task in self._lives

    @property
    def ended_tasks(self) -> list[TaskRow]:
        """Those that these events ended."""
        return [self._lives[task].as_row() for task in self._ended]

    def apply(self, task: str, event: Event) -> None:
        life = self._lives[task]
        before = life.task
        after, actions = step(before, event)
        self._keep(life, event, after)
        same = is_same(before, after)
        if not (same and not actions and isinstance(event, Observed)):
            life.lines.append(Line(self._line(life, event, actions), may_repeat=same))
        for action in actions:
            self._act(life, action, event)
        if isinstance(event, Note):
            data = {"message": event.message, "code": event.code}
            self._news[life.row.owner].append(News("note", task, data))
            keep_cleaned(life, event)
        life.is_changed = True
        life.is_news = life.is_news or not is_same(before, life.task)

    async def save(self, tx: Transaction) -> None:
        """In the order of ids, so that two writers never wait for each other in a ring."""
        await self._release_waiting(tx)
        lines: list[HistoryRow] = []
        changes: list[tuple[TaskRow, list[Draft]]] = []
        for task in sorted(self._lives):
            life = self._lives[task]
            life.is_news = life.is_news or tuple(life.attempts) != life.row.attempts
            if life.is_changed:
                life.lines = await _without_repeats(tx, life)
                lines += _numbered(life)
                await self._grant(tx, life)
                saved = self._saved(life)
                await save_task(tx, saved)
                changes.append((saved, changes_of(life.row, saved)))
                self._publish(tx, life)
        await add_history(tx, lines)
        await record(tx, changes)
        await send(tx, self._commands)
        await self._notify(tx)

    def _publish(self, tx: Transaction, life: Life) -> None:
        row = life.row
        if life.is_news:
            self._news[row.owner].append(News("task", row.id))
            if row.project:
                tx.wake(project_topic(row.project))
        if row.kind in WOKEN:
            tx.wake(WOKEN[row.kind])

    async def _notify(self, tx: Transaction) -> None:
        notices: dict[str, list[Notice]] = defaultdict(list)
        stages = await stage_tasks(tx.connection, self._ended)
        if stages:
            tx.wake(PIPELINES)
        for task in self._ended:
            life = self._lives[task]
            if task in stages and life.task.state is not State.FAILED:
                continue  # its pipeline has one notification for all
            if life.row.kind not in WOKEN:  # the end of a probe is its scale's news
                notices[life.row.owner].append(_ending_notice(life))
        for task in self._asking:
            life = self._lives[task]
            row = life.row
            notice = asking_notice(life.task, name=row.name, endpoint=row.endpoint_name)
            notices[row.owner].append(notice)
        for owner in sorted({*self._news, *notices}):
            self._news[owner] += await notify(tx, owner, notices[owner])
            await publish(tx, owner, self._news[owner])

    async def meet(self, tx: Transaction, task: TaskRow, target: str, message: str) -> None:
        """Something that the task waited for is there: with `task.order_json` it is submitted if that was the last."""
        await settle_order(tx, task)
        await record_order(tx, task, message)
        outcome = meet(await _known_dependencies(tx, task), target)
        await self._settle(tx, task, target, outcome, message)

    async def fail(
        self, tx: Transaction, task: TaskRow, target: str, message: str, reason: Reason
    ) -> None:
        """Something that the task waited for will never be there: it fails."""
        outcome = fail(await _known_dependencies(tx, task), target, message)
        await self._settle(tx, task, target, outcome, message, reason)

    async def _settle(
        self,
        tx: Transaction,
        task: TaskRow,
        target: str,
        outcome: Outcome,
        message: str,
        reason: Reason = Reason.NONE,
    ) -> None:
        """The row is saved in any case: of two that settle the last two things at once, one loses the race and looks again."""
        for dependency in outcome.dependencies:
            if dependency.id == target:
                await save_dependency(tx, task.id, dependency)
        await self.load(tx, task)
        if outcome.decision is Decision.FAIL:
            self.apply(task.id, PrepareFailed(self._now, task.attempt, reason.value, message))
        elif outcome.decision is Decision.SUBMIT:
            self._commands.append(submit_command(task))
            self.apply(task.id, Staging(self._now, task.attempt, "code", message))
        else:
            self.apply(task.id, Staging(self._now, task.attempt, "code", outcome.message))
            life = self._lives[task.id]
            life.task = replace(life.task, phase=waiting_phase(outcome.dependencies))

    async def _release_waiting(self, tx: Transaction) -> None:
        """Tasks that wait for one that has ended. Those that fail with it end too, and whoever waits for them."""
        looked_at = 0
        while ended := self._ended[looked_at:]:  # it may grow meanwhile
            looked_at += len(ended)
            targets = await awaited(tx.connection, ended)
            for task in ended:
                life = self._lives[task]
                if life.row.kind != "build":
                    if task in targets:
                        await self._settle_for(tx, life, Reason.DEPENDENCY)
                elif life.task.state is not State.SUCCEEDED:  # else it has reported its image
                    await hold_wishes(tx, task)
                    await self._settle_for(tx, life, Reason.ENVIRONMENT)

    async def _settle_for(self, tx: Transaction, life: Life, reason: Reason) -> None:
        target = life.row.id
        for row in await waiting_for(tx.connection, target):
            known = self._lives.get(row.id)
            if known is not None and known.task.is_final:
                continue
            if life.task.state is State.SUCCEEDED:
                await self.meet(tx, row, target, f"task {target} succeeded")
            else:
                await self.fail(tx, row, target, _why_it_fails(life), reason)

    def _keep(self, life: Life, event: Event, after: Task) -> None:
        """The columns beside the life cycle: when, where, each attempt's own story."""
        before, life.task = life.task, after
        keep_attempt(life, after.attempt, event)
        if after.follow_up is not None:
            keep_attempt(life, after.follow_up, event)
        if before.follow_up is not None and has_gone(before.follow_up, after):
            life.end_attempt(before.follow_up.id, event.at, Reason.WITHDRAWN.value)
        if isinstance(event, Observed) and keep_limit(life, event):
            life.needs_grant = True
        if isinstance(event, Started) and event.attempt == after.attempt.id:
            keep_start(life, event)
            life.needs_grant = True
        if isinstance(event, Exited):
            keep_exit(life, event)
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
        self._limit(life)
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
            data: JsonObject = {"grace": action.grace} if action.grace else {}
            self._command(life, "cancel", action.attempt, data)
        elif isinstance(action, FollowUpTakes):
            life.end_attempt(action.ended, event.at, action.reason.value)
        elif isinstance(action, NextAttempt):
            self._begin_next(life, action, event)

    def _begin_next(self, life: Life, action: NextAttempt, event: Event) -> None:
        if not isinstance(event, Allowed):
            life.end_attempt(life.task.attempt.id, event.at, life.task.reason.value)
        self._limit(life)
        refused = refusal(life.chain, life.row.order, life.attempts)
        if refused is not None:
            self.apply(life.row.id, replace(refused, at=event.at))
            return
        attempt = ids.new_id(ids.ATTEMPT)
        life.task = begin_attempt(life.task, attempt, action.number)
        life.change(new_attempt(life.task.attempt))
        data: JsonObject = {"number": action.number, "task_json": task_json(life.row)}
        self._command(life, "submit", attempt, {**data, **grant_of(life.as_row())})

    def _limit(self, life: Life) -> None:
        """What limits leave for it now, beside all other work. In a pilot: whatever the pilot has."""
        if life.row.pilot:
            return
        changes = [
            HoursChange(other.row.owner, other.row.project, _more_hours(other, of=life))
            for other in self._lives.values()
        ]
        left = hours_left(self._bounds[life.row.owner, life.row.project], changes)
        life.chain = replace(life.chain, limit_hours=left)

    def _command(self, life: Life, kind: str, attempt: str, data: JsonObject) -> None:
        row = life.row
        self._commands.append(
            Command(kind, row.endpoint, row.owner, task=row.id, attempt=attempt, data=data)
        )

    def _saved(self, life: Life) -> TaskRow:
        if self._run_dir and not life.run_dir and not life.cleaned:
            life.run_dir = f"{self._run_dir}/tasks/{life.row.id}"
        if life.is_news:
            life.updated = self._now
        return life.as_row()


def _more_hours(life: Life, *, of: Life) -> float:
    """Than the database counts. Of the task itself nothing counts: what is left is for all of its attempts."""
    return (0.0 if life is of else counted_hours(life.as_row())) - counted_hours(life.row)


async def _known_dependencies(tx: Transaction, task: TaskRow) -> list[Dependency]:
    return [row.value for row in (await dependencies_of(tx.connection, [task.id]))[task.id]]


def _why_it_fails(life: Life) -> str:
    """For a task that waited for this one."""
    task = life.task
    if life.row.kind == "build":
        return f"its image was not built: {task.message}. See: diamond image show {task.id}"
    ended = "was cancelled" if task.state is State.CANCELLED else f"failed: {task.message}"
    return f"the task it waits for {ended}. See: diamond show {task.id}"


def _ending_notice(life: Life) -> Notice:
    row = life.row
    return ending_notice(
        life.task,
        name=row.name,
        endpoint=row.endpoint_name,
        started=life.started,
        ended=life.ended,
    )


async def _without_repeats(tx: Transaction, life: Life) -> list[Line]:
    """An agent reports all it knows at each reconnect; the history keeps the first report, and has an end."""
    room = max(0, MOST_HISTORY - life.row.history)
    return (await _new_lines(tx, life))[:room]


async def _new_lines(tx: Transaction, life: Life) -> list[Line]:
    if life.row.archived is not None:  # its oldest lines are gone: nobody can tell what stood there
        return [line for line in life.lines if not line.may_repeat]
    if not any(line.may_repeat for line in life.lines):
        return life.lines
    known = {_content(row) for row in await history_of(tx.connection, life.row.id)}
    kept = []
    for line in life.lines:
        content = _content(line.row)
        if not (line.may_repeat and content in known):
            kept.append(line)
            known.add(content)
    return kept


def _content(line: HistoryRow) -> tuple[str, str, str]:
    """What a line says, without its time."""
    data = {key: value for key, value in line.data.items() if key != "ignored"}
    return line.type, line.message, json.dumps(data, sort_keys=True)


def _numbered(life: Life) -> list[HistoryRow]:
    first = life.row.history + 1
    return [replace(line.row, n=n) for n, line in enumerate(life.lines, first)]
