"""Sends notifications by e-mail and webhook: once each, and again after a pause when that failed."""

from __future__ import annotations

import asyncio
import json
import logging
import smtplib
import time
from dataclasses import asdict, dataclass
from functools import partial

from diamond.service.access.principal import Principal
from diamond.service.notifications import store as notification_store
from diamond.service.notifications.notify import load_settings
from diamond.service.notifications.own_address import is_own_address
from diamond.service.notifications.rows import DueRow
from diamond.service.notifications.webhook_secrets import UnreadableSecret, has_secret, read_secret
from diamond.service.people.schemas import Channel, Delivery, NotificationSettings
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.delivery.mail import send_mail
from diamond.service.platform.delivery.webhooks import Webhook, WebhookFailed, call
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import OUTBOX, wait
from diamond.service.settings import Settings

log = logging.getLogger("diamond.service")
POLL_SECONDS = 5.0
AT_ONCE = 10
PAUSES = (5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0, 3600.0)
"""Before each retry; there is none after the last."""
REJECTED_ADDRESS = range(550, 555)


@dataclass(frozen=True)
class Message:
    """What is sent; its fields are those of a webhook's body."""

    id: str
    kind: str
    title: str
    text: str
    task: str
    endpoint: str
    at: float


class Undelivered(Exception):
    def __init__(self, message: str, *, is_final: bool) -> None:
        super().__init__(message)
        self.message, self.is_final = message, is_final


async def send_all(services: Services) -> None:
    """Until the service stops. Several processes may do this at once: each delivery is claimed by one of them."""
    with services.notifier.listen([OUTBOX]) as bell:
        while not services.notifier.closing:
            bell.clear()
            try:
                if await _send_due(services):
                    continue
            except Exception:
                log.exception("sending notifications failed; trying again")
            await wait(bell, POLL_SECONDS)


async def send_test_message(
    services: Services, person: Principal, channel: Channel, settings: NotificationSettings
) -> Delivery:
    message = Message(
        id=f"trial{time.time_ns()}",
        kind="succeeded",
        title="Diamond can reach you here",
        text=f"{person.name} asked for this test message.",
        task="",
        endpoint="",
        at=time.time(),
    )
    try:
        await _send(services, person.user, channel, message, settings)
    except Undelivered as error:
        return Delivery(channel=channel, state="failed", tries=1, error=error.message)
    return Delivery(channel=channel, state="sent", tries=1)


async def _send_due(services: Services) -> bool:
    """Whether there was anything to send."""
    due = await services.store.run(lambda tx: notification_store.claim_due(tx, AT_ONCE))
    deliver = partial(_deliver, services)
    await asyncio.gather(*(separately([row], deliver, "sending a notification") for row in due))
    return bool(due)


async def _deliver(services: Services, due: DueRow) -> None:
    async with services.store.read() as connection:
        settings = await load_settings(connection, due.owner)
    message = Message(due.id, due.kind, due.title, due.text, due.task, due.endpoint, due.at)
    try:
        await _send(services, due.owner, due.channel, message, settings)
    except Undelivered as error:
        await _save_failure(services, due, error)
    else:
        await services.store.run(
            lambda tx: notification_store.end_delivery(tx, due.delivery, "sent")
        )


async def _save_failure(services: Services, due: DueRow, error: Undelivered) -> None:
    message = error.message

    async def save(tx: Transaction) -> None:
        if error.is_final or due.tries > len(PAUSES):
            await notification_store.end_delivery(tx, due.delivery, "failed", message)
        else:
            later = time.time() + PAUSES[due.tries - 1]
            await notification_store.retry_delivery(tx, due.delivery, later, message)

    await services.store.run(save)


async def _send(
    services: Services,
    owner: str,
    channel: Channel,
    message: Message,
    settings: NotificationSettings,
) -> None:
    if channel == "email":
        address = settings.email.address
        async with services.store.read() as connection:
            is_own = await is_own_address(connection, services, owner, address)
        if address and not is_own:
            raise Undelivered(f"{address} is not your verified address", is_final=True)
        await asyncio.to_thread(_mail, services.settings, message, address)
    else:
        secret = await _secret(services, owner)
        await asyncio.to_thread(_post, services.settings, message, settings.webhook.url, secret)


async def _secret(services: Services, owner: str) -> str:
    try:
        async with services.store.read() as connection:
            if not await has_secret(connection, owner):
                return ""
            return await read_secret(connection, services.providers.seal, owner)
    except UnreadableSecret:
        message = "the secret of this webhook was sealed with a key that is lost: set it again"
        raise Undelivered(message, is_final=True) from None


def _mail(settings: Settings, message: Message, address: str) -> None:
    if settings.smtp is None or not address:
        why = "this service has no mail server" if address else "there is no address any more"
        raise Undelivered(why, is_final=True)
    text = f"{message.text}\n\n{_link(settings, message)}\n"
    try:
        send_mail(settings.smtp, address, subject=message.title, text=text, key=message.id)
    except smtplib.SMTPRecipientsRefused as error:
        code = next(iter(error.recipients.values()))[0]
        raise Undelivered(
            f"the mail server rejected {address}", is_final=code in REJECTED_ADDRESS
        ) from None
    except (OSError, smtplib.SMTPException) as error:
        raise Undelivered(
            f"the mail server rejected the message: {error}", is_final=False
        ) from None


def _post(settings: Settings, message: Message, url: str, secret: str) -> None:
    if not url:
        raise Undelivered("there is no webhook any more", is_final=True)
    body = {**asdict(message), "url": _link(settings, message)}
    target = Webhook(url, secret, settings.webhook_private)
    try:
        call(target, json.dumps(body).encode(), delivery=message.id)
    except WebhookFailed as error:
        raise Undelivered(error.message, is_final=error.is_final) from None


def _link(settings: Settings, message: Message) -> str:
    if message.task:
        return f"{settings.url}/tasks/{message.task}"
    if message.endpoint:
        return f"{settings.url}/endpoints/{message.endpoint}"
    return settings.url
