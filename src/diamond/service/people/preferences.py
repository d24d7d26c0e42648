"""Defaults of the composer and the look of the pages, for one person."""

from __future__ import annotations

from diamond.service.access.principal import Principal
from diamond.service.people.schemas import Preferences
from diamond.service.people.settings_store import PREFERENCES, read_setting, write_setting
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services


async def get_preferences(services: Services, principal: Principal) -> Preferences:
    async with services.store.read() as connection:
        stored = await read_setting(connection, principal.user, PREFERENCES) or {}
    known = {name: value for name, value in stored.items() if name in Preferences.model_fields}
    return Preferences.model_validate(known)


async def put_preferences(
    services: Services, principal: Principal, preferences: Preferences
) -> Preferences:
    async def write(tx: Transaction) -> None:
        await write_setting(tx, principal.user, PREFERENCES, preferences.model_dump())
        await publish(tx, principal.user, [changed(PREFERENCES)])

    await services.store.run(write)
    return preferences
