"""Who used how much: for oneself, for a project's managers, for administrators; also as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import DiamondError
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.store import online_endpoints
from diamond.service.limits import store as rows
from diamond.service.limits.limits import NONE, limits_for_person, limits_of, show_use
from diamond.service.limits.store import ALWAYS, Span, Use
from diamond.service.people import store as users
from diamond.service.platform.database.tables import tasks
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_rows
from diamond.service.projects.projects import find_project

Shown = dict[str, Any]
COLUMNS = (
    "person",
    "name",
    "address",
    "project",
    "project_name",
    "endpoint",
    "tasks",
    "running_tasks",
    "node_hours",
    "node_hours_committed",
    "storage_bytes",
)


async def my_usage(services: Services, principal: Principal) -> Shown:
    """Her own, and her part in each of her projects."""
    async with services.store.read() as connection:
        use = await rows.use_of(connection, owner=principal.user)
        bounds = await limits_for_person(connection, principal.user)
        found = await project_rows.projects_by_id(connection, principal.projects)
        parts = [
            {
                **_project(row),
                "use": show_use(
                    await rows.use_of(connection, owner=principal.user, project=row["id"])
                ),
                "limits": await limits_of(connection, rows.EACH, row["id"]),
            }
            for row in found
        ]
    return {"use": show_use(use), "limits": bounds, "projects": parts}


async def project_usage(
    services: Services, principal: Principal, project: str, span: Span = ALWAYS
) -> Shown:
    """Of each who is in it or ever used something in it."""
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
        total = await rows.use_of(connection, project=row["id"], span=span)
        found = await rows.uses(connection, [tasks.c.owner], project=row["id"], span=span)
        known = {one["owner"] for one in await project_rows.list_members(connection, row["id"])}
        people = await _people(connection, known | {key[0] for key in found})
        bounds = await limits_of(connection, rows.PROJECT, row["id"])
        each = await limits_of(connection, rows.EACH, row["id"])
    items = [
        {**one, "use": show_use(found.get((one["id"],), Use())), "limits": each} for one in people
    ]
    return {"use": show_use(total), "limits": bounds, "items": items}


async def all_usage(
    services: Services, by: str, search: str, span: Span, limit: int
) -> list[Shown]:
    """For administrators: a line for each person, or each project."""
    async with services.store.read() as connection:
        if by == "project":
            return await _projects(connection, search, span, limit)
        found = await users.list_users(connection, search, limit)
        used = await rows.uses(connection, [tasks.c.owner], span=span)
        keys = [(rows.PERSON, row["id"]) for row in found]
        bounds = await rows.read_limits(connection, [*keys, (rows.EVERYONE, "")])
    general = bounds.get((rows.EVERYONE, ""), NONE)
    return [
        {
            **_person(row),
            "use": show_use(used.get((row["id"],), Use())),
            "limits": bounds.get((rows.PERSON, row["id"]), general),
        }
        for row in found
    ]


async def usage_table(services: Services, span: Span) -> str:
    """CSV: a line for each person, project and endpoint."""
    async with services.store.read() as connection:
        return await _table(connection, span)


async def project_table(services: Services, principal: Principal, project: str, span: Span) -> str:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
        return await _table(connection, span, row["id"])


async def measure(services: Services) -> None:
    """Ask the machines how much lies in their run directories; one that does not answer is asked next time."""
    async with services.store.read() as connection:
        places = await online_endpoints(connection)
    for row in places:
        try:
            told = await services.relay.ask_json(row["id"], "usage")
        except DiamondError:
            continue
        sizes = {str(one["task"]): int(one.get("bytes") or 0) for one in told.get("items", [])}
        await _keep_sizes(services, row["id"], sizes)


async def _keep_sizes(services: Services, endpoint: str, sizes: dict[str, int]) -> None:
    await services.store.run(lambda tx: rows.set_sizes(tx, endpoint, sizes))


async def _projects(
    connection: AsyncConnection, search: str, span: Span, limit: int
) -> list[Shown]:
    found = await rows.list_projects_of_all(connection, search, limit)
    used = await rows.uses(connection, [tasks.c.project], span=span)
    keys = [(rows.PROJECT, row["id"]) for row in found]
    bounds = await rows.read_limits(connection, keys) if keys else {}
    return [
        {
            **_project(row),
            "email": "",
            "use": show_use(used.get((row["id"],), Use())),
            "limits": bounds.get((rows.PROJECT, row["id"]), NONE),
        }
        for row in found
    ]


async def _table(connection: AsyncConnection, span: Span, project: str = "") -> str:
    by: list[ColumnElement[Any]] = [tasks.c.owner, tasks.c.project, tasks.c.endpoint_name]
    found = await rows.uses(connection, by, project=project, span=span)
    people = {one["id"]: one for one in await _people(connection, {key[0] for key in found})}
    names = await project_rows.projects_by_id(connection, {key[1] for key in found if key[1]})
    titles = {row["id"]: row["name"] for row in names}
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for (owner, place, endpoint), use in sorted(found.items(), key=lambda one: str(one[0])):
        one = people.get(owner, {"name": "", "email": ""})
        table.writerow(
            map(
                _cell,
                (
                    owner,
                    one["name"],
                    one["email"],
                    place,
                    titles.get(place, ""),
                    endpoint,
                    use.tasks,
                    use.running_tasks,
                    round(use.node_hours, 4),
                    round(use.node_hours_committed, 4),
                    use.storage_bytes,
                ),
            )
        )
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A spreadsheet takes a text that begins so for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


async def _people(connection: AsyncConnection, ids: set[str]) -> list[Shown]:
    return [_person(row) for row in await users.people_by_id(connection, ids)]


def _person(row: Mapping[str, Any]) -> Shown:
    return {"id": row["id"], "name": row["name"], "email": row["email"]}


def _project(row: Mapping[str, Any]) -> Shown:
    return {"id": row["id"], "name": row["name"]}
