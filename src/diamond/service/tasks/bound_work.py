"""Work that is bound to its project: a course's, a restricted one's, or what counts against a limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.access.principal import Principal, Role
from diamond.service.limits import store as limits
from diamond.service.projects.store import find_project
from diamond.service.projects.terms import ProjectTerms
from diamond.service.tasks.job_store import tasks_of_jobs
from diamond.service.tasks.store import tasks_by_id

Row = Mapping[str, Any]
ASK = "Ask one of its managers."


async def require_free(connection: AsyncConnection, principal: Principal, job: Row) -> None:
    """Whether it may leave: else a student would empty her account of the course by moving what she ran elsewhere."""
    project = await _bound_to(connection, principal, job)
    if project is None:
        return
    keys = [(limits.PROJECT, project["id"]), (limits.EACH, project["id"])]
    has_limits = bool(await limits.read_limits(connection, keys))
    if project["course"] or project["endpoints"] is not None or has_limits:
        raise Conflict(f"Work in {project['name']} stays there", ASK, code="bound")


async def require_sharable(connection: AsyncConnection, principal: Principal, job: Row) -> None:
    """In a course nobody sees another's work, whoever would show it."""
    project = await _bound_to(connection, principal, job)
    if project is not None and project["course"]:
        words = f"Work in the course {project['name']} is seen by its lecturers alone"
        raise Conflict(words, ASK, code="bound")


async def require_welcome(connection: AsyncConnection, terms: ProjectTerms, job: Row) -> None:
    """A restricted project holds nothing that ran elsewhere, or whose code lies in the service's store."""
    if terms.endpoints is None:
        return
    terms.require_no_uploads(job["spec"], job["code"])
    tasks = (await tasks_of_jobs(connection, [job["id"]])).get(job["id"], [])
    places = {row["endpoint"] for row in (await tasks_by_id(connection, set(tasks))).values()}
    if not places <= set(terms.endpoints):
        words = f"{terms.name} is restricted, and this ran on an endpoint that it does not list"
        raise Conflict(words, ASK, code="restricted")


async def _bound_to(connection: AsyncConnection, principal: Principal, job: Row) -> Row | None:
    """The project that it is in, unless the caller manages that."""
    if not job["project"] or principal.projects.get(job["project"]) is Role.MANAGER:
        return None
    return await find_project(connection, job["project"])
