"""Who used how much: for oneself, for a project's managers, for administrators; also as a table."""

from __future__ import annotations

import csv
import io
from functools import partial

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import DiamondError
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import online_endpoints
from diamond.service.limits import schemas, store
from diamond.service.limits.limits import as_limits, limits_for_person, limits_of, show_use
from diamond.service.limits.store import ALWAYS, Span, Use
from diamond.service.people import store as people_store
from diamond.service.platform.database.tables import tasks
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.platform.text import csv_cell
from diamond.service.projects import store as project_store
from diamond.service.projects.projects import find_project
from diamond.service.projects.rows import ProjectRow

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


async def my_usage(services: Services, principal: Principal) -> schemas.MyUsage:
    """The caller's own, and their part in each of their projects."""
    async with services.store.read() as connection:
        use = await store.use_of(connection, owner=principal.user)
        limits = await limits_for_person(connection, principal.user)
        projects = await project_store.projects_by_id(connection, principal.projects)
        parts = [await _part(connection, principal, project) for project in projects]
    return schemas.MyUsage(use=show_use(use), limits=limits, projects=parts)


async def _part(
    connection: AsyncConnection, principal: Principal, project: ProjectRow
) -> schemas.ProjectPart:
    use = await store.use_of(connection, owner=principal.user, project=project.id)
    limits = await limits_of(connection, store.EACH, project.id)
    return schemas.ProjectPart(id=project.id, name=project.name, use=show_use(use), limits=limits)


async def project_usage(
    services: Services, principal: Principal, project: str, span: Span = ALWAYS
) -> schemas.ProjectUsage:
    """Of each person who is in it or ever used something in it."""
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
        total = await store.use_of(connection, project=row.id, span=span)
        uses = await store.uses(connection, [tasks.c.owner], project=row.id, span=span)
        members = await project_store.list_members(connection, row.id)
        ids = {member.owner for member in members} | {key[0] for key in uses}
        people = await people_store.people_by_id(connection, ids)
        limits = await limits_of(connection, store.PROJECT, row.id)
        each = await limits_of(connection, store.EACH, row.id)
    items = [
        schemas.UsageLine(
            id=person.id,
            name=person.name,
            email=person.email,
            use=show_use(uses.get((person.id,), Use())),
            limits=each,
        )
        for person in people
    ]
    return schemas.ProjectUsage(use=show_use(total), limits=limits, items=items)


async def all_usage(
    services: Services, by: str, search: str, span: Span, limit: int
) -> list[schemas.UsageLine]:
    """For administrators: a line for each person, or each project."""
    async with services.store.read() as connection:
        if by == "project":
            return await _projects(connection, search, span, limit)
        people = await people_store.list_users(connection, search, limit)
        uses = await store.uses(connection, [tasks.c.owner], span=span)
        keys = [(store.PERSON, person.id) for person in people]
        limits = await store.read_limits(connection, [*keys, (store.EVERYONE, "")])
    default = limits.get((store.EVERYONE, ""))
    return [
        schemas.UsageLine(
            id=person.id,
            name=person.name,
            email=person.email,
            use=show_use(uses.get((person.id,), Use())),
            limits=as_limits(limits.get((store.PERSON, person.id), default)),
        )
        for person in people
    ]


async def usage_table(services: Services, span: Span) -> str:
    """CSV: a line for each person, project and endpoint."""
    async with services.store.read() as connection:
        return await _table(connection, span)


async def project_table(services: Services, principal: Principal, project: str, span: Span) -> str:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
        return await _table(connection, span, row.id)


async def measure(services: Services) -> None:
    """Ask the machines how much is in their run directories; one that does not answer is asked next time."""
    async with services.store.read() as connection:
        endpoints = await online_endpoints(connection)
    await separately(endpoints, partial(_measure, services), "measuring an endpoint")


async def _measure(services: Services, endpoint: EndpointRow) -> None:
    try:
        sizes = await measured_sizes(services, endpoint.id)
    except DiamondError:
        return
    await _keep_sizes(services, endpoint.id, sizes)


async def measured_sizes(services: Services, endpoint: str) -> dict[str, int]:
    """The bytes of each run directory on an endpoint, by task."""
    answer = await services.relay.ask_json(endpoint, "usage")
    return {str(item["task"]): int(item.get("bytes") or 0) for item in answer.get("items", [])}


async def _keep_sizes(services: Services, endpoint: str, sizes: dict[str, int]) -> None:
    await services.store.run(lambda tx: store.set_sizes(tx, endpoint, sizes))


async def _projects(
    connection: AsyncConnection, search: str, span: Span, limit: int
) -> list[schemas.UsageLine]:
    projects = await store.list_projects_of_all(connection, search, limit)
    uses = await store.uses(connection, [tasks.c.project], span=span)
    keys = [(store.PROJECT, project.id) for project in projects]
    limits = await store.read_limits(connection, keys) if keys else {}
    return [
        schemas.UsageLine(
            id=project.id,
            name=project.name,
            use=show_use(uses.get((project.id,), Use())),
            limits=as_limits(limits.get((store.PROJECT, project.id))),
        )
        for project in projects
    ]


async def _table(connection: AsyncConnection, span: Span, project: str = "") -> str:
    by: list[ColumnElement[str]] = [tasks.c.owner, tasks.c.project, tasks.c.endpoint_name]
    uses = await store.uses(connection, by, project=project, span=span)
    owners = await people_store.people_by_id(connection, {key[0] for key in uses})
    people = {person.id: (person.name, person.email) for person in owners}
    known = await project_store.projects_by_id(connection, {key[1] for key in uses if key[1]})
    names = {row.id: row.name for row in known}
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for (owner, place, endpoint), use in sorted(uses.items(), key=lambda item: str(item[0])):
        name, address = people.get(owner, ("", ""))
        who = [owner, name, address, place, names.get(place, ""), endpoint]
        table.writerow([*map(csv_cell, who), *_amounts(use)])
    return text.getvalue()


def _amounts(use: Use) -> list[float]:
    return [
        use.tasks,
        use.running_tasks,
        round(use.node_hours, 4),
        round(use.node_hours_committed, 4),
        use.storage_bytes,
    ]
