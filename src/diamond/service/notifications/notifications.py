"""What a person wants to hear of and how; what she was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.access.principal import Principal
from diamond.service.notifications import outbox
from diamond.service.notifications import store as rows
from diamond.service.notifications.notify import read_settings
from diamond.service.notifications.views import show_notification
from diamond.service.notifications.webhook_secrets import has_secret, keep_secret
from diamond.service.people.schemas import NoticeKind, NotificationSettings
from diamond.service.people.settings_store import NOTIFICATIONS, read_setting, write_setting
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.delivery.webhooks import check_url
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services


async def get_settings(services: Services, principal: Principal) -> dict[str, Any]:
    wanted = await _load(services, principal)
    async with services.store.read() as connection:
        return _shown(services, wanted, await has_secret(connection, principal.user))


async def put_settings(
    services: Services, principal: Principal, wanted: NotificationSettings
) -> dict[str, Any]:
    hook = wanted.webhook
    if hook.url:
        check_url(hook.url, allow_private=services.settings.webhook_private)
    secret, hook.secret = hook.secret, None
    value = wanted.model_dump()

    async def write(tx: Transaction) -> bool:
        await write_setting(tx, principal.user, NOTIFICATIONS, value)
        if secret is not None:
            await keep_secret(tx, services.providers.seal, principal.user, secret)
        await publish(tx, principal.user, [changed(NOTIFICATIONS)])
        return await has_secret(tx.connection, principal.user)

    return _shown(services, wanted, await services.store.run(write))


async def try_channel(services: Services, principal: Principal, channel: str) -> dict[str, Any]:
    """Send a test message at once."""
    wanted = await _load(services, principal)
    if not (wanted.email.address if channel == "email" else wanted.webhook.url):
        raise Conflict(f"There is no address for {channel} yet", "Save one first.")
    return await outbox.send_trial(services, principal, channel, wanted)


async def list_notifications(
    services: Services, principal: Principal, *, only_unread: bool, limit: int, cursor: str | None
) -> dict[str, Any]:
    async with services.store.read() as connection:
        page = await rows.list_notifications(
            connection, principal.user, only_unread=only_unread, limit=limit, cursor=cursor
        )
        items = await show_all(connection, page.rows)
        unread = await rows.count_unread(connection, principal.user)
    return {"items": items, "next": page.next, "unread": unread}


async def mark_read(services: Services, principal: Principal, ids: list[str] | None) -> int:
    async def mark(tx: Transaction) -> None:
        await rows.mark_read(tx, principal.user, ids)
        await publish(tx, principal.user, [changed("read")])

    await services.store.run(mark)
    async with services.store.read() as connection:
        return await rows.count_unread(connection, principal.user)


async def show_all(
    connection: AsyncConnection, found: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    sending = await rows.deliveries_of(connection, [row["id"] for row in found])
    return [show_notification(row, sending[row["id"]]) for row in found]


async def _load(services: Services, principal: Principal) -> NotificationSettings:
    async with services.store.read() as connection:
        return read_settings(await read_setting(connection, principal.user, NOTIFICATIONS))


def _shown(services: Services, wanted: NotificationSettings, is_signed: bool) -> dict[str, Any]:
    """Everything but the secret, which is kept elsewhere."""
    return {
        **wanted.model_dump(),
        "has_secret": is_signed,
        "email_ready": services.settings.smtp is not None,
        "kinds": list(get_args(NoticeKind)),
    }
