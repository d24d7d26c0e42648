"""Sends what people are told by e-mail and webhook: once each, again after a while when it failed."""

from __future__ import annotations

import asyncio
import json
import logging
import smtplib
import time
from collections.abc import Mapping
from typing import Any

from diamond.service.access.principal import Principal
from diamond.service.notifications import store as rows
from diamond.service.notifications.notify import read_settings
from diamond.service.notifications.webhook_secrets import UnreadableSecret, has_secret, read_secret
from diamond.service.people.schemas import NotificationSettings
from diamond.service.people.settings_store import NOTIFICATIONS, read_setting
from diamond.service.platform.database.rows import Row
from diamond.service.platform.delivery.mail import send_mail
from diamond.service.platform.delivery.webhooks import Webhook, WebhookFailed, call
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import OUTBOX, wait
from diamond.service.settings import Settings

log = logging.getLogger("diamond.service")
POLL_SECONDS = 5.0
AT_ONCE = 10
PAUSES = (5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0, 3600.0)
"""Before each next try; after the last one it is given up."""
REFUSED_ADDRESS = range(550, 555)


class Undelivered(Exception):
    def __init__(self, message: str, *, is_final: bool) -> None:
        super().__init__(message)
        self.message, self.is_final = message, is_final


async def send_all(services: Services) -> None:
    """Until the service stops. Several processes may do so: each delivery is one's at a time."""
    with services.notifier.listen([OUTBOX]) as bell:
        while not services.notifier.closing:
            bell.clear()
            try:
                if await _send_due(services):
                    continue
            except Exception:
                log.exception("sending notifications failed; it goes on")
            await wait(bell, POLL_SECONDS)


async def send_trial(
    services: Services, person: Principal, channel: str, wanted: NotificationSettings
) -> dict[str, Any]:
    """A message that says that messages come through."""
    message = {
        "id": f"trial{time.time_ns()}",
        "kind": "succeeded",
        "title": "Diamond can reach you here",
        "text": f"{person.name} asked for this test message.",
        "task": "",
        "endpoint": "",
        "at": time.time(),
    }
    try:
        secret = await _secret(services, person.user, channel)
        await asyncio.to_thread(_send, services.settings, channel, message, wanted, secret)
    except Undelivered as error:
        return {"channel": channel, "state": rows.FAILED, "tries": 1, "error": error.message}
    return {"channel": channel, "state": rows.SENT, "tries": 1, "error": ""}


async def _send_due(services: Services) -> bool:
    """Whether there was anything to send."""
    due = await services.store.run(lambda tx: rows.claim_due(tx, AT_ONCE))
    await asyncio.gather(*(_deliver(services, row) for row in due))
    return bool(due)


async def _deliver(services: Services, row: Row) -> None:
    async with services.store.read() as connection:
        wanted = read_settings(await read_setting(connection, row["owner"], NOTIFICATIONS))
    values: dict[str, Any] = {"state": rows.SENT, "error": ""}
    try:
        secret = await _secret(services, row["owner"], row["channel"])
        await asyncio.to_thread(_send, services.settings, row["channel"], row, wanted, secret)
    except Undelivered as error:
        values = _after_failure(row["tries"], error)
    await services.store.run(lambda tx: rows.save_delivery(tx, row["delivery"], values))


async def _secret(services: Services, owner: str, channel: str) -> str:
    if channel == "email":
        return ""
    try:
        async with services.store.read() as connection:
            if not await has_secret(connection, owner):
                return ""
            return await read_secret(connection, services.providers.seal, owner)
    except UnreadableSecret:
        words = "the secret of this webhook was sealed with a key that is lost: set it anew"
        raise Undelivered(words, is_final=True) from None


def _after_failure(tries: int, error: Undelivered) -> dict[str, Any]:
    if error.is_final or tries > len(PAUSES):
        return {"state": rows.FAILED, "error": error.message}
    return {"due": time.time() + PAUSES[tries - 1], "error": error.message}


def _send(
    settings: Settings,
    channel: str,
    message: Mapping[str, Any],
    wanted: NotificationSettings,
    secret: str,
) -> None:
    if channel == "email":
        _mail(settings, message, wanted.email.address)
    else:
        _post(settings, message, wanted.webhook.url, secret)


def _mail(settings: Settings, message: Mapping[str, Any], address: str) -> None:
    if settings.smtp is None or not address:
        words = "this service has no mail server" if address else "there is no address any more"
        raise Undelivered(words, is_final=True)
    text = f"{message['text']}\n\n{_link(settings, message)}\n"
    try:
        send_mail(settings.smtp, address, subject=message["title"], text=text, key=message["id"])
    except smtplib.SMTPRecipientsRefused as error:
        code = next(iter(error.recipients.values()))[0]
        raise Undelivered(
            f"the mail server refused {address}", is_final=code in REFUSED_ADDRESS
        ) from None
    except (OSError, smtplib.SMTPException) as error:
        raise Undelivered(f"the mail server did not take it: {error}", is_final=False) from None


def _post(settings: Settings, message: Mapping[str, Any], url: str, secret: str) -> None:
    if not url:
        raise Undelivered("there is no webhook any more", is_final=True)
    names = ("id", "kind", "title", "text", "task", "endpoint", "at")
    body = {**{name: message[name] for name in names}, "url": _link(settings, message)}
    target = Webhook(url, secret, settings.webhook_private)
    try:
        call(target, json.dumps(body).encode(), delivery=message["id"])
    except WebhookFailed as error:
        raise Undelivered(error.message, is_final=error.is_final) from None


def _link(settings: Settings, message: Mapping[str, Any]) -> str:
    if message["task"]:
        return f"{settings.url}/tasks/{message['task']}"
    if message["endpoint"]:
        return f"{settings.url}/endpoints/{message['endpoint']}"
    return settings.url
