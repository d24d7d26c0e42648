"""Models: list, make, change, delete."""

from __future__ import annotations

import time

from diamond.core import ids
from diamond.core.errors import Conflict
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.models import store
from diamond.service.models.rows import ModelRow
from diamond.service.models.safety import S3, keep_in_storage, keep_on, safety_of, secure
from diamond.service.models.schemas import (
    ChangeModel,
    ChangeVersion,
    Model,
    ModelVersion,
    NewModel,
    Safety,
)
from diamond.service.models.views import (
    find_model,
    find_model_version,
    shared_ids,
    show_models,
    show_versions,
)
from diamond.service.people.shares import MODEL, drop_shares
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.storage.storage import require_room


async def list_models(
    services: Services, principal: Principal, *, search: str, limit: int, cursor: str | None
) -> Page[Model]:
    async with services.store.read() as connection:
        page = await store.list_models(
            connection,
            principal.user,
            shared=await shared_ids(connection, principal),
            search=search,
            limit=limit,
            cursor=cursor,
        )
        return Page(items=await show_models(connection, principal, page.rows), next=page.next)


async def get_model(services: Services, principal: Principal, model: str) -> Model:
    async with services.store.read() as connection:
        row = await find_model(connection, principal, model)
        return (await show_models(connection, principal, [row]))[0]


async def list_versions(
    services: Services, principal: Principal, model: str, *, limit: int, cursor: str | None
) -> Page[ModelVersion]:
    async with services.store.read() as connection:
        row = await find_model(connection, principal, model)
        page = await store.list_versions(connection, row.id, limit=limit, cursor=cursor)
        return Page(items=await show_versions(connection, row, page.rows), next=page.next)


async def get_version(services: Services, principal: Principal, text: str) -> ModelVersion:
    async with services.store.read() as connection:
        model, version = await find_model_version(connection, principal, text)
        return (await show_versions(connection, model, [version]))[0]


async def get_safety(services: Services, principal: Principal, text: str) -> Safety:
    async with services.store.read() as connection:
        _, version = await find_model_version(connection, principal, text)
        return await safety_of(connection, version)


async def keep_version(services: Services, principal: Principal, text: str) -> Safety:
    async with services.store.read() as connection:
        await find_model(connection, principal, text, Action.WRITE)
        _, version = await find_model_version(connection, principal, text)
    await require_room(services, version.owner, version.size)
    await secure(services, version)
    return await get_safety(services, principal, text)


async def make_model(services: Services, principal: Principal, body: NewModel) -> Model:
    async def make(tx: Transaction) -> str:
        return (await new_model(tx, principal, body)).id

    return await get_model(services, principal, await services.store.run(make))


async def new_model(tx: Transaction, principal: Principal, body: NewModel) -> ModelRow:
    """Raises `Conflict` for a name that is taken."""
    if await store.find_model(tx.connection, principal.user, body.name) is not None:
        raise Conflict(
            f"You already have a model {body.name!r}",
            "Add a version to it, or choose another name.",
        )
    now = time.time()
    model = ModelRow(
        id=ids.new_id(ids.MODEL),
        owner=principal.user,
        name=body.name,
        description=body.description,
        license=body.license,
        intended_use=body.intended_use,
        card="",
        tags=tuple(body.tags),
        newest=0,
        created=now,
        updated=now,
    )
    await store.add_model(tx, model)
    await publish(tx, principal.user, [changed("models")])
    return model


async def change_model(
    services: Services, principal: Principal, model: str, body: ChangeModel
) -> Model:
    async def change(tx: Transaction) -> str:
        row = await find_model(tx.connection, principal, model, Action.WRITE)
        values = body.model_dump(exclude_none=True)
        if body.name and body.name != row.name:
            await _require_free(tx, principal, body.name)
        if body.kept_on is not None:
            values["kept_on"] = await _kept_on(tx, principal, row, body.kept_on)
        if values:
            await store.change_model(tx, row.id, **values, updated=time.time())
            await publish(tx, row.owner, [changed("models")])
        return row.id

    return await get_model(services, principal, await services.store.run(change))


async def _kept_on(tx: Transaction, principal: Principal, model: ModelRow, text: str) -> str:
    name = text.removeprefix(S3)
    endpoint = await find_endpoint(tx.connection, principal, name) if name else None
    if endpoint is not None and text.startswith(S3):
        return keep_in_storage(model.owner, endpoint)
    return await keep_on(tx.connection, model.owner, endpoint)


async def change_version(
    services: Services, principal: Principal, text: str, body: ChangeVersion
) -> ModelVersion:
    """Its note and tags: the files of a version never change."""

    async def change(tx: Transaction) -> None:
        await find_model(tx.connection, principal, text, Action.WRITE)
        model, version = await find_model_version(tx.connection, principal, text)
        values = body.model_dump(exclude_none=True)
        if values:
            await store.change_version(tx, model.id, version.number, **values)
            await publish(tx, model.owner, [changed("models")])

    await services.store.run(change)
    return await get_version(services, principal, text)


async def delete_model(services: Services, principal: Principal, model: str) -> None:
    """The name, its versions and aliases. Files stay where they are until they are cleaned up."""

    async def remove(tx: Transaction) -> None:
        row = await find_model(tx.connection, principal, model, Action.WRITE)
        aliases = (await store.aliases_of(tx.connection, [row.id]))[row.id]
        if aliases:
            words = ", ".join(alias.alias for alias in aliases)
            raise Conflict(
                f"{row.name} has aliases that others may rely on: {words}",
                "Remove them first: diamond model alias NAME ALIAS --remove",
            )
        await drop_shares(tx, MODEL, row.id)
        await store.delete_model(tx, row.id)
        await publish(tx, row.owner, [changed("models")])

    await services.store.run(remove)


async def _require_free(tx: Transaction, principal: Principal, name: str) -> None:
    if await store.find_model(tx.connection, principal.user, name) is not None:
        raise Conflict(f"Another model is called {name!r}", "Rename or delete that one first.")
