"""Projects: people who see one another's work."""

from __future__ import annotations

import time

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.errors import Conflict, Forbidden, NotFound
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.store import endpoints_by_id, list_endpoints
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.projects import schemas
from diamond.service.projects import store as project_store
from diamond.service.projects.notify_members import notify_of_role
from diamond.service.projects.rows import MemberRow, ProjectRow
from diamond.service.projects.visibility import find_person


async def list_projects(services: Services, principal: Principal) -> list[schemas.Project]:
    async with services.store.read() as connection:
        projects = await project_store.projects_by_id(connection, principal.projects)
    return [_show(project, principal) for project in projects]


async def add_project(
    services: Services, principal: Principal, name: str, title: str, key: str | None
) -> schemas.Project:
    """The caller becomes its owner and one of its managers."""
    project = ProjectRow(
        id=ids.new_id("p"),
        owner=principal.user,
        name=name,
        title=title,
        created=time.time(),
        archived=None,
        course=None,
        endpoints=None,
    )

    async def add(tx: Transaction) -> schemas.Project:
        own = await project_store.projects_by_id(tx.connection, principal.projects)
        if any(other.owner == principal.user and other.name == name for other in own):
            raise Conflict(f"You already have a project {name}", "Choose another name.")
        await project_store.add_project(tx, project)
        await project_store.put_member(tx, project.id, principal.user, Role.MANAGER)
        return _show(project, principal)

    request = Once.of(key, "POST /projects", {"name": name, "title": title})
    return await once_as(schemas.Project, services.store, principal, request, add)


async def get_project(
    services: Services, principal: Principal, project: str
) -> schemas.ProjectPage:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        members = await project_store.list_members(connection, row.id)
    return schemas.ProjectPage(
        **dict(_show(row, principal)),
        members=[
            _show_member(member, row) for member in members if _sees_member(principal, row, member)
        ],
    )


def _sees_member(principal: Principal, project: ProjectRow, member: MemberRow) -> bool:
    return (
        sees_all(principal, project)
        or member.owner == principal.user
        or member.role == Role.MANAGER.value
    )


async def change_project(
    services: Services, principal: Principal, project: str, change: schemas.ProjectChange
) -> schemas.ProjectPage:
    """`title`; `archived` stops new work in it, and loses nothing; `endpoints` restricts where it runs."""

    async def apply(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        values: JsonObject = {}
        if change.title is not None:
            values["title"] = change.title
        if change.archived is not None:
            values["archived"] = time.time() if change.archived else None
        if "endpoints" in change.model_fields_set:
            allowed = change.endpoints
            values["endpoints"] = (
                None if allowed is None else [*await _endpoint_ids(tx, principal, allowed)]
            )
        if values:
            await project_store.change_project(tx, row.id, values)
        return row.id

    return await get_project(services, principal, await services.store.run(apply))


async def _endpoint_ids(tx: Transaction, principal: Principal, wanted: list[str]) -> list[str]:
    """By id also those of others, since members run on their own endpoints; by name the caller's."""
    own = {row.name: row.id for row in await list_endpoints(tx.connection, principal.user)}
    endpoints = [own.get(text, text) for text in wanted]
    known = await endpoints_by_id(tx.connection, set(endpoints)) if endpoints else {}
    absent = [endpoint for endpoint in endpoints if endpoint not in known]
    if absent:
        raise NotFound(
            f"There is no endpoint {absent[0]!r}",
            "Name one of yours, or give the id of a member's (`diamond endpoint list --json` there).",
        )
    return sorted(set(endpoints))


async def remove_project(services: Services, principal: Principal, project: str) -> None:
    """Only an empty one: tasks would lose the project they belong to."""

    async def remove(tx: Transaction) -> None:
        row = await find_project(tx.connection, principal, project, Role.OWNER)
        if await project_store.count_tasks(tx.connection, row.id):
            raise Conflict(f"Tasks belong to {row.name}", "Archive it instead: nothing is lost.")
        await project_store.drop_project(tx, row.id)

    await services.store.run(remove)


async def put_member(
    services: Services, principal: Principal, project: str, user: str, role: Role
) -> schemas.ProjectPage:
    """Add somebody who has an account, or change their role; others are invited."""

    async def put(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        person = await find_person(tx.connection, user)
        if person.id == row.owner and role is not Role.MANAGER:
            raise Conflict("The owner of a project manages it", "Hand it over first.")
        await project_store.put_member(tx, row.id, person.id, role)
        await notify_of_role(tx, principal, row, person.id, role)
        return row.id

    return await get_project(services, principal, await services.store.run(put))


async def remove_member(services: Services, principal: Principal, project: str, user: str) -> None:
    """Managers remove anyone but the owner; members may leave. What they made stays."""

    async def remove(tx: Transaction) -> None:
        needed = Role.VIEWER if user == principal.user else Role.MANAGER
        row = await find_project(tx.connection, principal, project, needed)
        if user == row.owner:
            raise Conflict("The owner cannot leave the project", "Hand it over first.")
        if not await project_store.drop_member(tx, row.id, user):
            raise NotFound(f"{user!r} is not in {row.name}")
        await notify_of_role(tx, principal, row, user, None)

    await services.store.run(remove)


async def hand_over(
    services: Services, principal: Principal, project: str, user: str
) -> schemas.ProjectPage:
    """To a member; the former owner stays as a manager."""

    async def give(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.OWNER)
        members = await project_store.list_members(tx.connection, row.id)
        if user not in {member.owner for member in members}:
            raise NotFound(f"{user!r} is not in {row.name}", "Add them first.")
        await project_store.put_member(tx, row.id, user, Role.MANAGER)
        await project_store.change_project(tx, row.id, {"owner": user})
        await notify_of_role(tx, principal, row, user, Role.OWNER)
        return row.id

    return await get_project(services, principal, await services.store.run(give))


def sees_all(principal: Principal, project: ProjectRow) -> bool:
    """In a course only managers see the other members and their work."""
    return project.course is None or _role(principal, project).rank >= Role.MANAGER.rank


async def find_project(
    connection: AsyncConnection, principal: Principal, project: str, needed: Role = Role.VIEWER
) -> ProjectRow:
    """By id, or by name, among the projects that the caller is in; others look as if they did not exist."""
    own = await project_store.projects_by_id(connection, principal.projects)
    matches = [row for row in own if project == row.id]
    matches = matches or [row for row in own if project == row.name]
    if not matches:
        known = ", ".join(sorted(row.name for row in own))
        hint = f"Your projects: {known}." if known else "You are in none yet."
        raise NotFound(f"There is no project {project!r}", hint)
    if len(matches) > 1:
        several = ", ".join(row.id for row in matches)
        raise Conflict(f"Several of your projects are named {project}", f"Which one: {several}?")
    _require(principal, matches[0], needed)
    return matches[0]


def _require(principal: Principal, project: ProjectRow, needed: Role) -> None:
    role = _role(principal, project)
    if role.rank < needed.rank:
        raise Forbidden(
            f"This is for a {needed.value} of {project.name}; you are its {role.value}",
            "Ask one of its managers.",
            code="role",
        )


def _role(principal: Principal, project: ProjectRow) -> Role:
    """In the project itself; towards the work in it the role may be lower."""
    return Role.OWNER if project.owner == principal.user else principal.projects[project.id]


def _show(project: ProjectRow, principal: Principal) -> schemas.Project:
    course = project.course
    return schemas.Project(
        id=project.id,
        name=project.name,
        title=project.title,
        owner=project.owner,
        created=project.created,
        archived=project.archived,
        course=None if course is None else schemas.Course(**vars(course)),
        endpoints=None if project.endpoints is None else list(project.endpoints),
        role=_role(principal, project).value,
    )


def _show_member(member: MemberRow, project: ProjectRow) -> schemas.Member:
    return schemas.Member(
        id=member.owner,
        name=member.name,
        email=member.email,
        role=member.role,
        is_owner=member.owner == project.owner,
    )
