"""Work that must stay in its project: in a course, in a restricted project, or where it counts against a limit."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.access.principal import Principal, Role
from diamond.service.limits import store as limit_store
from diamond.service.projects.rows import ProjectRow
from diamond.service.projects.store import find_project
from diamond.service.projects.terms import ProjectTerms
from diamond.service.tasks.job_store import tasks_of_jobs
from diamond.service.tasks.rows import JobRow
from diamond.service.tasks.store import tasks_by_id

ASK = "Ask one of its managers."


async def require_free(connection: AsyncConnection, principal: Principal, bound_to: str) -> None:
    """Raises where a job may not leave: else students would reset their use in a course by moving their work elsewhere."""
    project = await _bound_to(connection, principal, bound_to)
    if project is None:
        return
    keys = [(limit_store.PROJECT, project.id), (limit_store.EACH, project.id)]
    has_limits = bool(await limit_store.read_limits(connection, keys))
    if project.course or project.endpoints is not None or has_limits:
        raise Conflict(f"Work in {project.name} stays there", ASK, code="bound")


async def require_sharable(
    connection: AsyncConnection, principal: Principal, bound_to: str
) -> None:
    """Raises in a course, where nobody sees the work of others."""
    project = await _bound_to(connection, principal, bound_to)
    if project is not None and project.course:
        message = f"Only its lecturers see work in the course {project.name}"
        raise Conflict(message, ASK, code="bound")


async def require_welcome(connection: AsyncConnection, terms: ProjectTerms, job: JobRow) -> None:
    """Raises for a restricted project: it holds nothing that ran elsewhere, or whose code is stored by the service."""
    if terms.endpoints is None:
        return
    terms.require_no_uploads(job.spec, job.code)
    tasks = (await tasks_of_jobs(connection, [job.id])).get(job.id, [])
    places = {row.endpoint for row in (await tasks_by_id(connection, set(tasks))).values()}
    if not places <= set(terms.endpoints):
        message = f"{terms.name} is restricted, and this ran on an endpoint that it does not list"
        raise Conflict(message, ASK, code="restricted")


async def _bound_to(
    connection: AsyncConnection, principal: Principal, project: str
) -> ProjectRow | None:
    """The project that it is in, unless the caller manages that."""
    if not project or principal.projects.get(project) is Role.MANAGER:
        return None
    return await find_project(connection, project)
