"""Something happened that a person wants to hear of: kept in the transaction that made it so, sent once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diamond.core import ids
from diamond.core.task import State, Task
from diamond.core.units import show_minutes
from diamond.core.words import reason_words, sentence
from diamond.service.notifications import store as rows
from diamond.service.people.schemas import NotificationSettings
from diamond.service.people.settings_store import NOTIFICATIONS, read_setting
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News
from diamond.service.platform.wakeups.notifier import OUTBOX


@dataclass(frozen=True)
class Notice:
    """`key` names the happening: of two notices with one key, the first is told."""

    key: str
    kind: str
    title: str
    text: str
    task: str = ""
    endpoint: str = ""


async def tell(tx: Transaction, owner: str, notices: Sequence[Notice]) -> list[News]:
    """Store what the person wants to hear; the caller publishes the news that come back."""
    if not notices:
        return []
    wanted = read_settings(await read_setting(tx.connection, owner, NOTIFICATIONS))
    known = await rows.known_keys(tx.connection, owner, [one.key for one in notices])
    fresh = {one.key: one for one in notices if one.key not in known}
    stored = [_row(owner, one, wanted) for one in fresh.values()]
    sending = [_delivery(row, channel) for row in stored for channel in _channels(row, wanted)]
    reached = {one["notification"] for one in sending}
    told = [row for row in stored if row["in_page"] or row["id"] in reached]
    await rows.add_notifications(tx, told, sending)
    if sending:
        tx.wake(OUTBOX)
    return [News("notification", row["id"]) for row in told if row["in_page"]]


def read_settings(stored: Any) -> NotificationSettings:
    return NotificationSettings.model_validate(stored or {})


def ending_notice(
    task: Task, *, name: str, endpoint: str, started: float | None, ended: float | None
) -> Notice:
    """Of a task that has just ended."""
    state, why = task.state.value, task.reason.value
    reason = f": {reason_words(why)}" if task.state is State.FAILED and why else ""
    lines = [_with_stop(sentence(task.message)), _lasted(started, ended)]
    return Notice(
        f"{task.id}:ended",
        state,
        f"{name} {'was cancelled' if state == 'cancelled' else state} on {endpoint}{reason}",
        " ".join(line for line in lines if line),
        task=task.id,
        endpoint=endpoint,
    )


def asking_notice(task: Task, *, name: str, endpoint: str) -> Notice:
    """Of a task that can continue and waits for its owner's approval."""
    return Notice(
        f"{task.id}:asking:{task.attempt.number}",
        "asking",
        f"{name} on {endpoint} asks to continue",
        task.message,
        task=task.id,
        endpoint=endpoint,
    )


def _with_stop(text: str) -> str:
    return text if not text or text[-1] in ".!?:;…" else f"{text}."


def _lasted(started: float | None, ended: float | None) -> str:
    if not started or not ended or ended < started:
        return ""
    seconds = ended - started
    return (
        f"It ran for {f'{seconds:.0f} s' if seconds < 90 else show_minutes(round(seconds / 60))}."
    )


def _row(owner: str, notice: Notice, wanted: NotificationSettings) -> dict[str, Any]:
    return {
        "id": ids.new_id("n"),
        "owner": owner,
        "key": notice.key,
        "kind": notice.kind,
        "title": notice.title,
        "text": notice.text,
        "task": notice.task,
        "endpoint": notice.endpoint,
        "in_page": notice.kind in wanted.page.events,
        "at": time.time(),
        "read": None,
    }


def _channels(row: Mapping[str, Any], wanted: NotificationSettings) -> list[str]:
    mail, hook = wanted.email, wanted.webhook
    found = ["email"] if mail.address and row["kind"] in mail.events else []
    return found + (["webhook"] if hook.url and row["kind"] in hook.events else [])


def _delivery(row: Mapping[str, Any], channel: str) -> dict[str, Any]:
    return {
        "owner": row["owner"],
        "notification": row["id"],
        "channel": channel,
        "state": rows.WAITING,
        "tries": 0,
        "due": row["at"],
        "error": "",
    }
