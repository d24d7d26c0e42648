"""Aliases: move one to a version, remove it, and see who moved what when."""

from __future__ import annotations

import time

from diamond.core.errors import BadRequest, NotFound
from diamond.core.references import is_alias
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.models import store
from diamond.service.models.rows import AliasMoveRow, AliasRow, ModelRow
from diamond.service.models.schemas import Alias, AliasMove
from diamond.service.models.views import find_model, find_version, show_aliases, show_moves
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services


async def set_alias(
    services: Services, principal: Principal, model: str, alias: str, version: int
) -> list[Alias]:
    if not is_alias(alias):
        raise BadRequest(
            f"{alias[:80]!r} cannot be an alias",
            "Use lower-case letters, digits, - and _, not v and a number: production, candidate.",
        )

    async def move(tx: Transaction) -> None:
        row = await find_model(tx.connection, principal, model, Action.WRITE)
        await find_version(tx.connection, row, f"v{version}")
        known = await store.find_alias(tx.connection, row.id, alias)
        before = known.version if known else None
        if before == version:
            return
        now = time.time()
        await store.put_alias(tx, AliasRow(row.id, alias, row.owner, version, principal.user, now))
        await _note(tx, principal, row, alias, before=before, after=version)

    await services.store.run(move)
    return await list_aliases(services, principal, model)


async def remove_alias(services: Services, principal: Principal, model: str, alias: str) -> None:
    async def remove(tx: Transaction) -> None:
        row = await find_model(tx.connection, principal, model, Action.WRITE)
        known = await store.find_alias(tx.connection, row.id, alias)
        if known is None:
            raise NotFound(
                f"{row.name} has no alias {alias!r}", f"See: diamond model show {row.name}"
            )
        await store.drop_alias(tx, row.id, alias)
        await _note(tx, principal, row, alias, before=known.version, after=None)

    await services.store.run(remove)


async def list_aliases(services: Services, principal: Principal, model: str) -> list[Alias]:
    async with services.store.read() as connection:
        row = await find_model(connection, principal, model)
        aliases = await store.aliases_of(connection, [row.id])
        return await show_aliases(connection, aliases[row.id])


async def alias_history(services: Services, principal: Principal, model: str) -> list[AliasMove]:
    async with services.store.read() as connection:
        row = await find_model(connection, principal, model)
        return await show_moves(connection, await store.moves_of(connection, row.id))


async def _note(
    tx: Transaction,
    principal: Principal,
    model: ModelRow,
    alias: str,
    *,
    before: int | None,
    after: int | None,
) -> None:
    now = time.time()
    move = AliasMoveRow(0, model.id, model.owner, alias, before, after, principal.user, now)
    await store.add_move(tx, move)
    await store.change_model(tx, model.id, updated=now)
    await publish(tx, model.owner, [changed("models")])
