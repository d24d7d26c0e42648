"""Carries out what `core.lifecycle.step` decides, for many events in one transaction."""

from __future__ import annotations

import copy
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

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
from diamond.service.endpoints.commands import Command, send
from diamond.service.notifications.notify import Notice, asking_notice, ending_notice, notify
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.wakeups.notifier import SCALES, project_topic
from diamond.service.tasks.core_rows import attempt_entry, chain_values, core_task, row_values
from diamond.service.tasks.dependency_store import hold_wishes, waiting_for
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

    values: dict[str, Any]
    may_repeat: bool


@dataclass
class Life:
    """One task while events are applied to it."""

    row: dict[str, Any]
    task: Task
    attempts: list[dict[str, Any]]
    chain: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    is_changed: bool = False
    is_news: bool = False
    is_granted_anew: bool = False
    """A program started, or costs more than before: how far the chain may go by itself is told anew."""


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

    def load(self, row: Mapping[str, Any]) -> None:
        own = dict(row)
        chain = dict(own["chain"] or {})
        self._lives[own["id"]] = Life(own, core_task(own), copy.deepcopy(own["attempts"]), chain)

    def allow(self, task: str, chain: Mapping[str, Any]) -> None:
        """What its person has changed about how far the chain may go."""
        life = self._lives[task]
        life.chain.update(chain)
        life.is_changed = life.is_news = life.is_granted_anew = True

    def tell_of(self, row: Mapping[str, Any]) -> None:
        """What a task wrote has come after its end: whoever shows it asks again."""
        self._news[row["owner"]].append(News("task", row["id"]))

    def knows(self, task: str) -> bool:
        return task in self._lives

    def apply(self, task: str, event: Event) -> None:
        life = self._lives[task]
        before = life.task
        after, actions = step(before, event)
        self._keep(life, event, after)
        same = _is_same(before, after)
        if not (same and not actions and isinstance(event, Observed)):
            line = {**self._line(event, actions), "owner": life.row["owner"]}
            life.lines.append(Line(line, may_repeat=same))
        for action in actions:
            self._act(life, action, event)
        if isinstance(event, Note):
            data = {"message": event.message, "code": event.code}
            self._news[life.row["owner"]].append(News("note", task, data))
            self._keep_cleaned(life, event)
        life.is_changed = True
        life.is_news = life.is_news or not _is_same(before, life.task)

    async def save(self, tx: Transaction) -> None:
        """In the order of ids, so that two writers never wait for each other in a ring."""
        await self._end_waiting(tx)
        lines: list[dict[str, Any]] = []
        for task in sorted(self._lives):
            life = self._lives[task]
            life.is_news = life.is_news or life.attempts != life.row["attempts"]
            if life.is_changed:
                life.lines = await _without_repeats(tx, life)
                lines += _numbered(life)
                await self._grant(tx, life)
                await save_task(tx, life.row, self._values(life))
                if life.is_news:
                    self._news[life.row["owner"]].append(News("task", task))
                    if life.row["project"]:
                        tx.wake(project_topic(life.row["project"]))
                if life.row["kind"] == "probe":
                    tx.wake(SCALES)
        await add_history(tx, lines)
        await send(tx, self._commands)
        notices: dict[str, list[Notice]] = defaultdict(list)
        for task in filter(self._is_told, self._ended):
            notices[self._lives[task].row["owner"]].append(self._notice(task))
        for task in self._asking:
            notices[self._lives[task].row["owner"]].append(self._question(task))
        for owner in sorted({*self._news, *notices}):
            self._news[owner] += await notify(tx, owner, notices[owner])
            await publish(tx, owner, self._news[owner])

    async def _end_waiting(self, tx: Transaction) -> None:
        """Tasks that wait for an image cannot run when its build has ended without one."""
        for task in list(self._ended):
            life = self._lives[task]
            if life.row["kind"] != "build" or life.task.state is State.SUCCEEDED:
                continue
            await hold_wishes(tx, task)
            words = f"its image was not built: {life.task.message}. See: diamond image show {task}"
            for row in await waiting_for(tx.connection, task):
                self.load({**row, "awaits": None})
                reason = Reason.ENVIRONMENT.value
                self.apply(row["id"], PrepareFailed(self._now, row["attempt"], reason, words))

    def _keep(self, life: Life, event: Event, after: Task) -> None:
        """The columns beside the life cycle: when, where, each attempt's own story."""
        before, life.task = life.task, after
        was_final = before.is_final
        entry = _keep_attempt(life, after.attempt)
        if after.follow_up is not None:
            _keep_times(_keep_attempt(life, after.follow_up), event)
        if before.follow_up is not None and _has_gone(before.follow_up, after):
            _end(_entry(life, before.follow_up), event.at, Reason.WITHDRAWN.value)
        _keep_times(entry, event)
        if isinstance(event, Observed) and _keep_limit(life, event):
            life.is_granted_anew = True
        if isinstance(event, Started) and event.attempt == entry["id"]:
            self._keep_start(life, entry, event)
            life.is_granted_anew = True
        if after.phase is Phase.ASKING and before.phase is not Phase.ASKING:
            self._asking.append(life.row["id"])
        if isinstance(event, Exited):
            _keep_exit(life, event)
        if after.is_final and not was_final:
            _end(entry, event.at, after.reason.value)
            life.extra["ended"] = event.at
            self._ended.append(life.row["id"])
        if after.is_final:
            entry["reason"] = after.reason.value
            life.extra["untold"] = True

    async def _grant(self, tx: Transaction, life: Life) -> None:
        if not life.is_granted_anew or life.task.is_final:
            return
        if queues_ahead(life.row):
            grant = await forecast_grant(tx.connection, self._as_row(life))
            self._command(life, "chain", "", {"chain": grant})
        elif life.chain.get("budget") != (life.row["chain"] or {}).get("budget"):
            self._command(life, "chain", "", {"chain": {}, **grant_of(self._as_row(life))})

    def _as_row(self, life: Life) -> dict[str, Any]:
        attempt = life.task.attempt.id
        return {**life.row, "attempts": life.attempts, "chain": life.chain, "attempt": attempt}

    def _question(self, task: str) -> Notice:
        life = self._lives[task]
        return asking_notice(life.task, name=life.row["name"], endpoint=life.row["endpoint_name"])

    def _keep_start(self, life: Life, entry: dict[str, Any], event: Started) -> None:
        if all(run["run"] != event.run for run in entry["runs"]):
            entry["runs"].append({"run": event.run, "node": event.node, "started": event.at})
        entry["started"] = entry["started"] or event.at
        if life.row["started"] is None:
            life.extra.setdefault("started", event.at)
        if event.run == life.task.attempt.run:
            life.extra["node"] = event.node

    def _keep_cleaned(self, life: Life, event: Note) -> None:
        if event.code == CLEANED and not life.row["cleaned"]:
            life.extra.update(cleaned=event.at, run_dir="")
            life.is_news = True

    def _is_told(self, task: str) -> bool:
        """The end of a probe is its scale's news, not a person's."""
        return bool(self._lives[task].row["kind"] != "probe")

    def _notice(self, task: str) -> Notice:
        life = self._lives[task]
        values = self._values(life)
        return ending_notice(
            life.task,
            name=life.row["name"],
            endpoint=life.row["endpoint_name"],
            started=values.get("started") or life.row["started"],
            ended=values.get("ended"),
        )

    def _line(self, event: Event, actions: list[Action]) -> dict[str, Any]:
        data = {key: value for key, value in vars(event).items() if key not in ("at", "message")}
        recorded = next((action for action in actions if isinstance(action, Recorded)), None)
        if recorded and recorded.why:
            data["ignored"] = recorded.why
        return {
            "at": event.at,
            "received": self._now,
            "type": EVENT_NAMES[type(event)],
            "message": getattr(event, "message", ""),
            "data": data,
        }

    def _act(self, life: Life, action: Action, event: Event) -> None:
        if isinstance(action, SendCancel):
            self._command(life, "cancel", action.attempt, {})
        elif isinstance(action, FollowUpTakes):
            _end(_by_id(life, action.ended), event.at, action.reason.value)
        elif isinstance(action, NextAttempt):
            self._begin_next(life, action, event)

    def _begin_next(self, life: Life, action: NextAttempt, event: Event) -> None:
        if not isinstance(event, Allowed):
            _end(_entry(life, life.task.attempt), event.at, life.task.reason.value)
        refused = refusal(life.chain, life.row["order"], list(life.attempts))
        if refused is not None:
            self.apply(life.row["id"], replace(refused, at=event.at))
            return
        attempt = ids.new_id(ids.ATTEMPT)
        life.task = begin_attempt(life.task, attempt, action.number)
        _entry(life, life.task.attempt)
        data = {"number": action.number, "task_json": task_json(life.row)}
        self._command(life, "submit", attempt, {**data, **grant_of(self._as_row(life))})

    def _command(self, life: Life, kind: str, attempt: str, data: dict[str, Any]) -> None:
        row = life.row
        self._commands.append(
            Command(kind, row["endpoint"], row["owner"], task=row["id"], attempt=attempt, data=data)
        )

    def _values(self, life: Life) -> dict[str, Any]:
        values = {**row_values(life.task), **life.extra, "attempts": life.attempts}
        values["chain"] = chain_values(life.task, life.chain)
        values["node_seconds"] = node_seconds(life.row["order"], life.attempts)
        values["history"] = life.row["history"] + len(life.lines)
        is_cleaned = life.row["cleaned"] or "cleaned" in life.extra
        if self._run_dir and not life.row["run_dir"] and not is_cleaned:
            values["run_dir"] = f"{self._run_dir}/tasks/{life.row['id']}"
        if life.is_news:
            values["updated"] = self._now
        return values


def _keep_attempt(life: Life, attempt: Attempt) -> dict[str, Any]:
    entry = _entry(life, attempt)
    entry.update(
        native_id=attempt.native_id,
        run=attempt.run,
        exit_code=attempt.exit_code,
        exit_run=attempt.exit_run,
        reached=vars(attempt.reached),
    )
    return entry


def _keep_times(entry: dict[str, Any], event: Event) -> None:
    if event.attempt != entry["id"]:
        return
    if isinstance(event, Submitted):
        entry["queued"] = entry.get("queued") or event.at
    if isinstance(event, Arrived):
        entry["arrived"] = entry.get("arrived") or event.at


def _has_gone(follow_up: Attempt, after: Task) -> bool:
    """Withdrawn, overtaken by a later one, or not needed as the task has ended."""
    if follow_up.id == after.attempt.id:
        return False
    is_overtaken = after.follow_up is not None and after.follow_up.number > follow_up.number
    return after.follow_up is None or is_overtaken or after.is_final


def _keep_limit(life: Life, event: Observed) -> bool:
    """Whether the time limit of an attempt has become another than it was."""
    asked = 60.0 * float((life.row["order"].get("resources") or {}).get("walltime_minutes") or 60)
    for entry in life.attempts if event.limit_seconds else ():
        if entry["id"] == event.attempt and event.limit_seconds != (
            entry.get("limit_seconds") or asked
        ):
            entry["limit_seconds"] = event.limit_seconds
            return True
    return False


def _by_id(life: Life, attempt: str) -> dict[str, Any]:
    return next(entry for entry in life.attempts if entry["id"] == attempt)


def _entry(life: Life, attempt: Attempt) -> dict[str, Any]:
    """The attempt in the row's list; an adopted one takes the place of the one of its number."""
    for entry in life.attempts:
        if entry["id"] == attempt.id:
            return entry
    fresh = attempt_entry(attempt)
    life.attempts[:] = [old for old in life.attempts if old["number"] != attempt.number] + [fresh]
    return fresh


def _keep_exit(life: Life, event: Exited) -> None:
    """Of the attempt that exited: its follow-up may have taken over by this very event."""
    for entry in life.attempts:
        for run in entry["runs"] if entry["id"] == event.attempt else ():
            if run["run"] == event.run:
                run.update(exit_code=event.exit_code, ended=event.at)


def _end(entry: dict[str, Any], at: float, reason: str) -> None:
    entry["ended"] = entry["ended"] or at
    entry["reason"] = reason


def _is_same(before: Task, after: Task) -> bool:
    """Only `as_of` may have moved."""
    return replace(before, as_of=0.0) == replace(after, as_of=0.0)


async def _without_repeats(tx: Transaction, life: Life) -> list[Line]:
    """An agent tells all it knows at each reconnect; the history keeps the first telling."""
    if not any(line.may_repeat for line in life.lines):
        return life.lines
    known = [_telling(row) for row in await history_of(tx.connection, life.row["id"])]
    kept = []
    for line in life.lines:
        telling = _telling(line.values)
        if not (line.may_repeat and telling in known):
            kept.append(line)
            known.append(telling)
    return kept


def _telling(line: Mapping[str, Any]) -> tuple[Any, ...]:
    data = {key: value for key, value in line["data"].items() if key != "ignored"}
    return line["type"], line["message"], data


def _numbered(life: Life) -> list[dict[str, Any]]:
    first = life.row["history"] + 1
    return [
        {"task": life.row["id"], "n": n, **line.values} for n, line in enumerate(life.lines, first)
    ]
