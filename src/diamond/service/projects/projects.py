"""Projects: people who see one another's work."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.errors import Conflict, Forbidden, NotFound
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.store import endpoints_by_id, list_endpoints
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.projects import store as rows
from diamond.service.projects.notify_members import tell_of_place
from diamond.service.projects.rows import ProjectRow
from diamond.service.projects.visibility import find_person

Row = Mapping[str, Any]
Shown = dict[str, Any]
GIVEN = (Role.VIEWER, Role.MEMBER, Role.MANAGER)


async def list_projects(services: Services, principal: Principal) -> list[Shown]:
    async with services.store.read() as connection:
        found = await rows.projects_by_id(connection, principal.projects)
    return [_show(row, principal) for row in found]


async def add_project(
    services: Services, principal: Principal, name: str, title: str, key: str | None
) -> Shown:
    """Its maker owns it, and is a manager of it as long as she stays in it."""
    row = {
        "id": ids.new_id("p"),
        "owner": principal.user,
        "name": name,
        "title": title,
        "created": time.time(),
        "archived": None,
        "course": None,
        "endpoints": None,
    }

    async def add(tx: Transaction) -> Shown:
        own = await rows.projects_by_id(tx.connection, principal.projects)
        if any(one["owner"] == principal.user and one["name"] == name for one in own):
            raise Conflict(f"You already have a project {name}", "Take another name.")
        await rows.add_project(tx, row)
        await rows.put_member(tx, str(row["id"]), principal.user, Role.MANAGER)
        return _show(row, principal)

    wanted = Once.of(key, "POST /projects", {"name": name, "title": title})
    return await once(services.store, principal, wanted, add)


async def get_project(services: Services, principal: Principal, project: str) -> Shown:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        found = await rows.list_members(connection, row["id"])
    known = [
        one
        for one in found
        if sees_all(principal, row)
        or one["owner"] == principal.user
        or one["role"] == Role.MANAGER.value
    ]
    return {**_show(row, principal), "members": [_show_member(one, row) for one in known]}


async def change_project(
    services: Services, principal: Principal, project: str, change: dict[str, Any]
) -> Shown:
    """`title`; `archived` stops new work in it, and loses nothing; `endpoints` restricts where it runs."""

    async def apply(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        values: dict[str, Any] = {}
        if change.get("title") is not None:
            values["title"] = change["title"]
        if change.get("archived") is not None:
            values["archived"] = time.time() if change["archived"] else None
        if "endpoints" in change:
            values["endpoints"] = await _listed(tx.connection, principal, change["endpoints"])
        if values:
            await rows.change_project(tx, row["id"], values)
        return str(row["id"])

    return await get_project(services, principal, await services.store.run(apply))


async def _listed(
    connection: AsyncConnection, principal: Principal, wanted: list[str] | None
) -> list[str] | None:
    """Ids of endpoints, also of others': members run on their own. Names are the caller's."""
    if wanted is None:
        return None
    own = {row["name"]: str(row["id"]) for row in await list_endpoints(connection, principal.user)}
    found = [own.get(one, one) for one in wanted]
    known = await endpoints_by_id(connection, set(found)) if found else {}
    absent = [one for one in found if one not in known]
    if absent:
        raise NotFound(
            f"There is no endpoint {absent[0]!r}",
            "Name one of yours, or give the id of a member's (`diamond endpoint list --json` there).",
        )
    return sorted(set(found))


async def remove_project(services: Services, principal: Principal, project: str) -> None:
    """Refused while work belongs to it: that would lose its place."""

    async def remove(tx: Transaction) -> None:
        row = await find_project(tx.connection, principal, project, Role.OWNER)
        if await rows.count_tasks(tx.connection, row["id"]):
            raise Conflict(
                f"Tasks belong to {row['name']}", "Archive it instead: nothing of it is lost."
            )
        await rows.drop_project(tx, row["id"])

    await services.store.run(remove)


async def put_member(
    services: Services, principal: Principal, project: str, user: str, role: Role
) -> Shown:
    """Who is already known here; others are invited."""

    async def put(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        person = str((await find_person(tx.connection, user))["id"])
        if person == row["owner"] and role is not Role.MANAGER:
            raise Conflict("The owner of a project manages it", "Hand it over first.")
        await rows.put_member(tx, row["id"], person, role)
        await tell_of_place(tx, principal, row, person, role)
        return str(row["id"])

    return await get_project(services, principal, await services.store.run(put))


async def remove_member(services: Services, principal: Principal, project: str, user: str) -> None:
    """A manager removes anyone but the owner; anyone leaves by herself. What they made stays."""

    async def remove(tx: Transaction) -> None:
        needed = Role.VIEWER if user == principal.user else Role.MANAGER
        row = await find_project(tx.connection, principal, project, needed)
        if user == row["owner"]:
            raise Conflict("The owner cannot leave her project", "Hand it over first.")
        if not await rows.drop_member(tx, row["id"], user):
            raise NotFound(f"{user!r} is not in {row['name']}")
        await tell_of_place(tx, principal, row, user, None)

    await services.store.run(remove)


async def hand_over(services: Services, principal: Principal, project: str, user: str) -> Shown:
    """To somebody who is in it; the former owner stays as a manager."""

    async def give(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.OWNER)
        if user not in {one["owner"] for one in await rows.list_members(tx.connection, row["id"])}:
            raise NotFound(f"{user!r} is not in {row['name']}", "Add her first.")
        await rows.put_member(tx, row["id"], user, Role.MANAGER)
        await rows.change_project(tx, row["id"], {"owner": user})
        await tell_of_place(tx, principal, row, user, Role.OWNER)
        return str(row["id"])

    return await get_project(services, principal, await services.store.run(give))


def sees_all(principal: Principal, row: Row) -> bool:
    """In a course only managers see what others do, and who they are."""
    return not row["course"] or _role(principal, row).rank >= Role.MANAGER.rank


async def find_project(
    connection: AsyncConnection, principal: Principal, project: str, needed: Role = Role.VIEWER
) -> ProjectRow:
    """By id, or by its name among the caller's own: others' look like none."""
    own = await rows.projects_by_id(connection, principal.projects)
    found = [row for row in own if project == row["id"]]
    found = found or [row for row in own if project == row["name"]]
    if not found:
        known = ", ".join(sorted(row["name"] for row in own))
        hint = f"Your projects: {known}." if known else "You are in none yet."
        raise NotFound(f"There is no project {project!r}", hint)
    if len(found) > 1:
        several = ", ".join(row["id"] for row in found)
        raise Conflict(f"Several of your projects are named {project}", f"Which one: {several}?")
    _require(principal, found[0], needed)
    return found[0]


def _require(principal: Principal, row: Row, needed: Role) -> None:
    role = _role(principal, row)
    if role.rank < needed.rank:
        raise Forbidden(
            f"This is for a {needed.value} of {row['name']}; you are its {role.value}",
            "Ask one of its managers.",
            code="role",
        )


def _role(principal: Principal, row: Row) -> Role:
    """In the project itself; what she is to work in it may be less."""
    return Role.OWNER if row["owner"] == principal.user else principal.projects[row["id"]]


def _show(row: Row, principal: Principal) -> Shown:
    names = ("id", "name", "title", "owner", "created", "archived", "course", "endpoints")
    return {**{name: row[name] for name in names}, "role": _role(principal, row).value}


def _show_member(member: Row, project: Row) -> Shown:
    names = {"id": member["owner"], "name": member["name"], "email": member["email"]}
    return {**names, "role": member["role"], "is_owner": member["owner"] == project["owner"]}
