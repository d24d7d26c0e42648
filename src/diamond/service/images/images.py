"""Images: list, look inside, compare, rename, delete."""

from __future__ import annotations

import time

from diamond.core.errors import Conflict, NotFound
from diamond.images.comparing import package_changes, recipe_changes
from diamond.images.recipe import recipe_from
from diamond.images.rendering import form_for, render
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.store import find_endpoint
from diamond.service.images import request_store, schemas, store
from diamond.service.images.rows import CopyRow, ImageRow
from diamond.service.images.shared import shared_images
from diamond.service.images.views import (
    find_image,
    show_image,
    show_images,
    show_shared,
)
from diamond.service.people.shares import IMAGE, drop_shares
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.tasks import as_now_known

STALE_SECONDS = 3600.0
"""A transfer that nobody reported on for so long holds up nothing."""


async def list_images(
    services: Services,
    principal: Principal,
    *,
    search: str,
    endpoint: str,
    limit: int,
    cursor: str | None,
) -> Page[schemas.Image]:
    async with services.store.read() as connection:
        place = await find_endpoint(connection, principal.user, endpoint) if endpoint else None
        if endpoint and place is None:
            raise NotFound(f"There is no endpoint {endpoint!r}", "See `diamond endpoint list`.")
        page = await store.list_images(
            connection,
            principal.user,
            search=search,
            endpoint=place.id if place else "",
            limit=limit,
            cursor=cursor,
        )
        return Page(items=await show_images(connection, page.rows), next=page.next)


async def list_shared(services: Services, principal: Principal, search: str) -> list[schemas.Image]:
    """Of others, by words of their names and labels."""
    async with services.store.read() as connection:
        images = await shared_images(connection, principal.user)
        terms = search.lower().split()
        fitting = [row for row in images if all(term in (row.name or "").lower() for term in terms)]
        return await show_shared(connection, fitting)


async def get_image(services: Services, principal: Principal, image: str) -> schemas.Image:
    async with services.store.read() as connection:
        row = await find_image(connection, principal, image)
        if row.owner != principal.user:
            return (await show_shared(connection, [row]))[0]
        return await show_image(connection, row)


async def contents(services: Services, principal: Principal, image: str) -> schemas.Contents:
    """Packages with their versions, as they were found inside after the build."""
    row = await _load(services, principal, image)
    python, system = _packages(row, "python"), _packages(row, "system")
    return schemas.Contents(python=_listed(python), system=_listed(system))


async def diff(services: Services, principal: Principal, a: str, b: str) -> schemas.ImageDiff:
    left, right = await _load(services, principal, a), await _load(services, principal, b)
    return schemas.ImageDiff.model_validate(
        {
            "a": left.id,
            "b": right.id,
            "fields": recipe_changes(recipe_from(left.recipe), recipe_from(right.recipe)),
            "python": package_changes(_packages(left, "python"), _packages(right, "python")),
            "system": package_changes(_packages(left, "system"), _packages(right, "system")),
        }
    )


async def uses(
    services: Services, principal: Principal, image: str, *, limit: int, cursor: str | None
) -> tuple[list[Task], str | None]:
    async with services.store.read() as connection:
        row = await find_image(connection, principal, image, Action.WRITE)
        page = await store.uses_of(connection, row.id, limit=limit, cursor=cursor)
        return await as_now_known(connection, page.rows), page.next


async def definition(services: Services, principal: Principal, image: str, form: str) -> str:
    """A file from which the image can be built without Diamond."""
    row = await _load(services, principal, image)
    return render(recipe_from(row.recipe), form or form_for(row.manifest.runtime))


async def rename_image(
    services: Services, principal: Principal, image: str, name: str
) -> schemas.Image:
    async def rename(tx: Transaction) -> str:
        row = await find_image(tx.connection, principal, image, Action.WRITE)
        holder = await store.images_called(tx.connection, principal.user, name)
        if any(other.name == name and other.id != row.id for other in holder):
            raise Conflict(f"Another image is called {name!r}", "Rename or delete that one first.")
        await store.change_image(tx, row.id, name=name, updated=time.time())
        await publish(tx, row.owner, [News("image", row.id)])
        return row.id

    return await get_image(services, principal, await services.store.run(rename))


async def delete_image(services: Services, principal: Principal, image: str) -> None:
    """Delete it on every endpoint, as soon as each is online. Rejected while tasks need it."""

    async def remove(tx: Transaction) -> None:
        row = await find_image(tx.connection, principal, image, Action.WRITE)
        await _refuse_if_in_use(tx, row)
        copies = (await store.copies_of(tx.connection, [row.id]))[row.id]
        await send(tx, [removal(copy) for copy in copies])
        await drop_shares(tx, IMAGE, row.id)
        await store.delete_image(tx, row.id)
        await publish(tx, row.owner, [News("image", row.id, {"deleted": True})])

    await services.store.run(remove)


def removal(copy: CopyRow) -> Command:
    """Tells an endpoint to remove its file."""
    file = {"sha256": copy.sha256, "format": copy.format, "identity": copy.manifest.identity}
    return Command("image", copy.endpoint, copy.owner, data={"act": "delete", **file})


async def _refuse_if_in_use(tx: Transaction, row: ImageRow) -> None:
    name = row.called
    _, still = (await store.count_uses(tx.connection, [row.id])).get(row.id, (0, 0))
    if still:
        raise Conflict(
            f"{name} is in use by {still} {'task' if still == 1 else 'tasks'}",
            f"See which: diamond image show {name}. Cancel them, or wait for their end.",
        )
    transfers = (await request_store.shown_transfers(tx.connection, [row.id]))[row.id]
    recent = time.time() - STALE_SECONDS
    if any(
        transfer.state in request_store.OPEN_STATES and transfer.updated > recent
        for transfer in transfers
    ):
        raise Conflict(f"{name} is being transferred", "Wait until that has ended.")


async def _load(services: Services, principal: Principal, image: str) -> ImageRow:
    async with services.store.read() as connection:
        return await find_image(connection, principal, image)


def _packages(row: ImageRow, kind: str) -> dict[str, str]:
    return row.manifest.packages.get(kind) or {}


def _listed(packages: dict[str, str]) -> list[schemas.Package]:
    names = sorted(packages, key=str.lower)
    return [schemas.Package(name=name, version=packages[name]) for name in names]
