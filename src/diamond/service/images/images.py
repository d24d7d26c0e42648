"""Images: list, look inside, compare, rename, delete."""

from __future__ import annotations

import time
from typing import Any

from diamond.core.errors import Conflict, NotFound
from diamond.images.comparing import package_changes, recipe_changes
from diamond.images.recipe import recipe_from
from diamond.images.rendering import form_for, render
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.store import find_endpoint
from diamond.service.images import request_store as wishes
from diamond.service.images import store as rows
from diamond.service.images.shared import shared_images
from diamond.service.images.views import (
    find_image,
    show_image,
    show_images,
    show_shared,
)
from diamond.service.people.shares import IMAGE, drop_shares
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.tasks import as_now_known

STALE_SECONDS = 3600.0
"""A move of which nothing was heard for so long holds up nothing."""


async def list_images(
    services: Services,
    principal: Principal,
    *,
    search: str,
    endpoint: str,
    limit: int,
    cursor: str | None,
) -> tuple[list[dict[str, Any]], str | None]:
    async with services.store.read() as connection:
        place = await find_endpoint(connection, principal.user, endpoint) if endpoint else None
        if endpoint and place is None:
            raise NotFound(f"There is no endpoint {endpoint!r}", "See `diamond endpoint list`.")
        page = await rows.list_images(
            connection,
            principal.user,
            search=search,
            endpoint=place["id"] if place else "",
            limit=limit,
            cursor=cursor,
        )
        return await show_images(connection, page.rows), page.next


async def list_shared(
    services: Services, principal: Principal, search: str
) -> list[dict[str, Any]]:
    """Of others, by words of their names and labels."""
    async with services.store.read() as connection:
        found = await shared_images(connection, principal.user)
        words = search.lower().split()
        fitting = [
            row for row in found if all(word in str(row["name"] or "").lower() for word in words)
        ]
        return await show_shared(connection, fitting)


async def get_image(services: Services, principal: Principal, image: str) -> dict[str, Any]:
    async with services.store.read() as connection:
        row = await find_image(connection, principal, image)
        if row["owner"] != principal.user:
            return (await show_shared(connection, [row]))[0]
        return await show_image(connection, row)


async def contents(services: Services, principal: Principal, image: str) -> dict[str, Any]:
    """Packages with their versions, as they were found inside after the build."""
    row = await _load(services, principal, image)
    return {kind: _listed(_packages(row, kind)) for kind in ("python", "system")}


async def diff(services: Services, principal: Principal, a: str, b: str) -> dict[str, Any]:
    left, right = await _load(services, principal, a), await _load(services, principal, b)
    return {
        "a": left["id"],
        "b": right["id"],
        "fields": recipe_changes(recipe_from(left["recipe"]), recipe_from(right["recipe"])),
        "python": package_changes(_packages(left, "python"), _packages(right, "python")),
        "system": package_changes(_packages(left, "system"), _packages(right, "system")),
    }


async def uses(
    services: Services, principal: Principal, image: str, *, limit: int, cursor: str | None
) -> tuple[list[Task], str | None]:
    async with services.store.read() as connection:
        row = await find_image(connection, principal, image, Action.WRITE)
        page = await rows.uses_of(connection, row["id"], limit=limit, cursor=cursor)
        return await as_now_known(connection, page.rows), page.next


async def definition(services: Services, principal: Principal, image: str, form: str) -> str:
    """A file from which the image can be built without Diamond."""
    row = await _load(services, principal, image)
    return render(recipe_from(row["recipe"]), form or form_for(row["record"]["runtime"]))


async def rename_image(
    services: Services, principal: Principal, image: str, name: str
) -> dict[str, Any]:
    async def rename(tx: Transaction) -> str:
        row = await find_image(tx.connection, principal, image, Action.WRITE)
        holder = await rows.images_called(tx.connection, principal.user, name)
        if any(one["name"] == name and one["id"] != row["id"] for one in holder):
            raise Conflict(f"Another image is called {name!r}", "Rename or delete that one first.")
        await rows.change_image(tx, row["id"], {"name": name, "updated": time.time()})
        await publish(tx, row["owner"], [News("image", row["id"])])
        return str(row["id"])

    return await get_image(services, principal, await services.store.run(rename))


async def delete_image(services: Services, principal: Principal, image: str) -> None:
    """Everywhere: its files go as soon as their endpoints hear of it. Refused while tasks need it."""

    async def remove(tx: Transaction) -> None:
        row = await find_image(tx.connection, principal, image, Action.WRITE)
        await _refuse_if_in_use(tx, row)
        copies = (await rows.copies_of(tx.connection, [row["id"]]))[row["id"]]
        await send(tx, [removal(copy) for copy in copies])
        await drop_shares(tx, IMAGE, row["id"])
        await rows.delete_image(tx, row["id"])
        await publish(tx, row["owner"], [News("image", row["id"], {"deleted": True})])

    await services.store.run(remove)


def removal(copy: Row) -> Command:
    """What tells an endpoint to remove its file."""
    told = {"act": "delete", "sha256": copy["sha256"], "format": copy["format"]}
    told["identity"] = copy["record"].get("identity", "")
    return Command("image", copy["endpoint"], copy["owner"], data=told)


async def _refuse_if_in_use(tx: Transaction, row: Row) -> None:
    name = row["name"] or row["identity"][:19]
    _, still = (await rows.count_uses(tx.connection, [row["id"]])).get(row["id"], (0, 0))
    if still:
        raise Conflict(
            f"{name} is in use by {still} {'task' if still == 1 else 'tasks'}",
            f"See which: diamond image show {name}. Cancel them, or wait for their end.",
        )
    moves = (await wishes.shown_moves(tx.connection, [row["id"]]))[row["id"]]
    recent = time.time() - STALE_SECONDS
    if any(move["state"] in wishes.OPEN_MOVES and move["updated"] > recent for move in moves):
        raise Conflict(f"{name} is being moved", "Wait until that has ended.")


async def _load(services: Services, principal: Principal, image: str) -> Row:
    async with services.store.read() as connection:
        return await find_image(connection, principal, image)


def _packages(row: Row, kind: str) -> dict[str, str]:
    return dict((row["record"].get("packages") or {}).get(kind) or {})


def _listed(packages: dict[str, str]) -> list[dict[str, str]]:
    names = sorted(packages, key=str.lower)
    return [{"name": name, "version": packages[name]} for name in names]
