"""Notify a person of an event: stored in the transaction that causes it, sent once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.task import State, Task
from diamond.core.units import show_minutes
from diamond.core.words import reason_words, sentence
from diamond.service.notifications import store as notification_store
from diamond.service.notifications.rows import NewDelivery, NotificationRow
from diamond.service.people.schemas import Channel, NotificationSettings
from diamond.service.people.settings_store import NOTIFICATIONS, read_setting
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News
from diamond.service.platform.wakeups.notifier import OUTBOX


@dataclass(frozen=True)
class Notice:
    """`key` names the event: a second notice with the same key is dropped."""

    key: str
    kind: str
    title: str
    text: str
    task: str = ""
    endpoint: str = ""


async def notify(tx: Transaction, owner: str, notices: Sequence[Notice]) -> list[News]:
    """Store what the person asked to be notified of; the caller publishes the news that come back."""
    if not notices:
        return []
    settings = await load_settings(tx.connection, owner)
    known = await notification_store.known_keys(tx.connection, owner, [n.key for n in notices])
    fresh = {notice.key: notice for notice in notices if notice.key not in known}
    rows = [_row(owner, notice, settings) for notice in fresh.values()]
    deliveries = [
        _delivery(row, channel) for row in rows for channel in _channels(row.kind, settings)
    ]
    delivered = {delivery.notification for delivery in deliveries}
    wanted = [row for row in rows if row.in_page or row.id in delivered]
    await notification_store.add_notifications(tx, wanted, deliveries)
    if deliveries:
        tx.wake(OUTBOX)
    return [News("notification", row.id) for row in wanted if row.in_page]


async def load_settings(connection: AsyncConnection, owner: str) -> NotificationSettings:
    stored = await read_setting(connection, owner, NOTIFICATIONS)
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


def _row(owner: str, notice: Notice, settings: NotificationSettings) -> NotificationRow:
    return NotificationRow(
        id=ids.new_id("n"),
        owner=owner,
        key=notice.key,
        kind=notice.kind,
        title=notice.title,
        text=notice.text,
        task=notice.task,
        endpoint=notice.endpoint,
        in_page=notice.kind in settings.page.events,
        at=time.time(),
        read=None,
    )


def _channels(kind: str, settings: NotificationSettings) -> list[Channel]:
    mail, hook = settings.email, settings.webhook
    channels: list[Channel] = []
    if mail.address and kind in mail.events:
        channels.append("email")
    if hook.url and kind in hook.events:
        channels.append("webhook")
    return channels


def _delivery(row: NotificationRow, channel: Channel) -> NewDelivery:
    return NewDelivery(row.owner, row.id, channel, due=row.at)
