"""What a person is notified of and how, and the list of their notifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.access.principal import Principal
from diamond.service.notifications import outbox
from diamond.service.notifications import store as notification_store
from diamond.service.notifications.notify import load_settings
from diamond.service.notifications.own_address import require_own_address
from diamond.service.notifications.rows import NotificationRow
from diamond.service.notifications.views import show_notification
from diamond.service.notifications.webhook_secrets import has_secret, keep_secret
from diamond.service.people.schemas import (
    Channel,
    Delivery,
    NoticeKind,
    Notification,
    NotificationPage,
    NotificationSettings,
    NotificationSettingsShown,
)
from diamond.service.people.settings_store import NOTIFICATIONS, write_setting
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.delivery.webhooks import check_url
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services


async def get_settings(services: Services, principal: Principal) -> NotificationSettingsShown:
    async with services.store.read() as connection:
        settings = await load_settings(connection, principal.user)
        return _show(services, settings, await has_secret(connection, principal.user))


async def put_settings(
    services: Services, principal: Principal, settings: NotificationSettings
) -> NotificationSettingsShown:
    hook = settings.webhook
    if hook.url:
        check_url(hook.url, allow_private=services.settings.webhook_private)
    secret, hook.secret = hook.secret, None

    async def write(tx: Transaction) -> bool:
        await require_own_address(tx.connection, services, principal.user, settings.email.address)
        await write_setting(tx, principal.user, NOTIFICATIONS, settings.model_dump())
        if secret is not None:
            await keep_secret(tx, services.providers.seal, principal.user, secret)
        await publish(tx, principal.user, [changed(NOTIFICATIONS)])
        return await has_secret(tx.connection, principal.user)

    return _show(services, settings, await services.store.run(write))


async def try_channel(services: Services, principal: Principal, channel: Channel) -> Delivery:
    """Send a test message now."""
    async with services.store.read() as connection:
        settings = await load_settings(connection, principal.user)
    if not (settings.email.address if channel == "email" else settings.webhook.url):
        raise Conflict(f"There is no address for {channel} yet", "Save one first.")
    return await outbox.send_test_message(services, principal, channel, settings)


async def list_notifications(
    services: Services, principal: Principal, *, only_unread: bool, limit: int, cursor: str | None
) -> NotificationPage:
    async with services.store.read() as connection:
        page = await notification_store.list_notifications(
            connection, principal.user, only_unread=only_unread, limit=limit, cursor=cursor
        )
        items = await show_notifications(connection, page.rows)
        unread = await notification_store.count_unread(connection, principal.user)
    return NotificationPage(items=items, next=page.next, unread=unread)


async def mark_read(services: Services, principal: Principal, ids: list[str] | None) -> int:
    """How many are still unread."""

    async def mark(tx: Transaction) -> None:
        await notification_store.mark_read(tx, principal.user, ids)
        await publish(tx, principal.user, [changed("read")])

    await services.store.run(mark)
    async with services.store.read() as connection:
        return await notification_store.count_unread(connection, principal.user)


async def show_notifications(
    connection: AsyncConnection, rows: Sequence[NotificationRow]
) -> list[Notification]:
    deliveries = await notification_store.deliveries_of(connection, [row.id for row in rows])
    return [show_notification(row, deliveries[row.id]) for row in rows]


def _show(
    services: Services, settings: NotificationSettings, is_signed: bool
) -> NotificationSettingsShown:
    """Everything but the secret, which is stored apart."""
    return NotificationSettingsShown(
        page=settings.page,
        email=settings.email,
        webhook=settings.webhook,
        has_secret=is_signed,
        email_ready=services.settings.smtp is not None,
        kinds=list(get_args(NoticeKind)),
    )
