"""Datasets: list, show, change, remove, browse."""

from __future__ import annotations

import asyncio

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.datasets import schemas, store
from diamond.service.datasets.additions import endpoint_ids
from diamond.service.datasets.find import (
    find_dataset,
    find_reference,
    find_version,
    visible_datasets,
)
from diamond.service.datasets.listing import list_folder
from diamond.service.datasets.views import show_dataset, show_datasets, show_version
from diamond.service.people.shares import DATASET, drop_shares
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.tasks import as_now_known
from diamond.service.trees import store as tree_store
from diamond.service.trees.transfers import DATA


async def list_datasets(
    services: Services, principal: Principal, *, search: str, limit: int, cursor: str | None
) -> Page[schemas.Dataset]:
    async with services.store.read() as connection:
        page = await store.list_datasets(
            connection, principal.user, search=search, limit=limit, cursor=cursor
        )
        items = await show_datasets(connection, principal.user, page.rows)
        return Page(items=items, next=page.next)


async def list_shared(
    services: Services, principal: Principal, search: str
) -> list[schemas.Dataset]:
    """Of others, by words of their names and descriptions."""
    async with services.store.read() as connection:
        terms = search.lower().split()
        fitting = [
            row
            for row in await visible_datasets(connection, principal)
            if all(term in f"{row.name} {row.description}".lower() for term in terms)
        ]
        return await show_datasets(connection, principal.user, fitting)


async def refer(services: Services, principal: Principal, text: str) -> schemas.DatasetReferred:
    async with services.store.read() as connection:
        found = await find_reference(connection, principal, text)
        return schemas.DatasetReferred(
            dataset=await show_dataset(connection, principal.user, found.dataset),
            version=show_version(found.version),
        )


async def get_dataset(services: Services, principal: Principal, dataset: str) -> schemas.Dataset:
    async with services.store.read() as connection:
        row = await find_dataset(connection, principal, dataset)
        return await show_dataset(connection, principal.user, row)


async def change_dataset(
    services: Services, principal: Principal, dataset: str, body: schemas.DatasetChange
) -> schemas.Dataset:
    if body.anywhere and body.endpoints is not None:
        raise BadRequest("Give either `endpoints` or `anywhere`", "Not both.")

    async def change(tx: Transaction) -> schemas.Dataset:
        row = await find_dataset(tx.connection, principal, dataset, Action.WRITE)
        said = body.model_dump(
            include={"name", "description", "license", "layout"}, exclude_none=True
        )
        if body.endpoints is not None:
            said["endpoints"] = await endpoint_ids(tx.connection, principal, body.endpoints)
        if body.anywhere:
            said["endpoints"] = None
        taken = await store.find_own(tx.connection, principal.user, body.name or "")
        if taken is not None and taken.id != row.id and taken.name == body.name:
            raise Conflict(
                f"Another dataset is called {body.name!r}", "Rename or remove that one first."
            )
        await store.change_dataset(tx, row.id, **said)
        await publish(tx, row.owner, [changed(DATA)])
        after = (await store.datasets_by_id(tx.connection, [row.id]))[row.id]
        return await show_dataset(tx.connection, principal.user, after)

    return await services.store.run(change)


async def remove_dataset(
    services: Services, principal: Principal, dataset: str, version: str
) -> None:
    """The name, or one version of it. Files stay where they are: `gc` removes copies that nothing names."""

    async def remove(tx: Transaction) -> None:
        row = await find_dataset(tx.connection, principal, dataset, Action.WRITE)
        one = await find_version(tx.connection, row, version) if version else None
        still = await store.count_open_uses(tx.connection, row.id, one.n if one else 0)
        if still:
            raise Conflict(
                f"{row.name} is in use by {still} {'task' if still == 1 else 'tasks'}",
                "Cancel them, or wait for their end.",
            )
        if one is not None:
            await store.delete_version(tx, row.id, one.n)
        else:
            await drop_shares(tx, DATASET, row.id)
            await store.delete_dataset(tx, row.id)
        await publish(tx, row.owner, [changed(DATA)])

    await services.store.run(remove)


async def uses(
    services: Services, principal: Principal, dataset: str, *, limit: int, cursor: str | None
) -> tuple[list[Task], str | None]:
    """The caller's own tasks."""
    async with services.store.read() as connection:
        row = await find_dataset(connection, principal, dataset)
        page = await store.uses_of(connection, row.id, principal.user, limit=limit, cursor=cursor)
        return await as_now_known(connection, page.rows), page.next


async def list_files(
    services: Services,
    principal: Principal,
    dataset: str,
    *,
    version: str,
    folder: str,
    after: str,
    limit: int,
) -> schemas.DatasetListing:
    """One folder of a version, from its manifest."""
    async with services.store.read() as connection:
        row = await find_dataset(connection, principal, dataset)
        found = await find_version(connection, row, version)
        tree = await tree_store.find_tree(connection, found.owner, found.tree)
    if tree is None or not tree.has_manifest:
        raise NotFound(
            f"The list of files of {row.name}@{found.name} is not here",
            "The endpoint it is on does not let it leave (egress), or it is on its way.",
        )
    path = await asyncio.to_thread(services.manifests.find, found.tree)
    # In a process that can be stopped: the list of files of a large dataset has gigabytes.
    entries, more = await services.workers.run(
        principal.user, list_folder, path, folder.strip("/"), after, limit
    )
    return schemas.DatasetListing(version=found.name, folder=folder, entries=entries, next=more)
