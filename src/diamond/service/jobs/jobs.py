"""Jobs: listed and found."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.service.access.principal import Principal
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.projects.visibility import visible
from diamond.service.tasks import job_store
from diamond.service.tasks.rows import JobRow
from diamond.service.tasks.schemas import Job
from diamond.service.tasks.views import show_job


async def list_jobs(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> Page[Job]:
    async with services.store.read() as connection:
        page = await job_store.list_jobs(connection, principal.user, limit=limit, cursor=cursor)
        tasks = await job_store.tasks_of_jobs(connection, [job.id for job in page.rows])
    return Page[Job](items=[show_job(job, tasks[job.id]) for job in page.rows], next=page.next)


async def get_job(services: Services, principal: Principal, job: str) -> Job:
    async with services.store.read() as connection:
        row = await find_job(connection, principal, job)
        tasks = await job_store.tasks_of_jobs(connection, [row.id])
    return show_job(row, tasks[row.id])


async def find_job(connection: AsyncConnection, principal: Principal, job: str) -> JobRow:
    """By its id, also another person's that the caller may see; else by the beginning of one of their own."""
    exact = await job_store.find_job(connection, job)
    row, _ = await visible(connection, principal, "job", job, exact)
    if row is not None:
        return row
    matches = await job_store.jobs_with_prefix(connection, principal.user, job) if job else []
    if not matches:
        raise NotFound(f"There is no job {job}", "`diamond tasks` lists yours.")
    if len(matches) > 1:
        candidates = ", ".join(match.id for match in matches)
        raise Conflict(f"Several jobs begin with {job}", f"Which one: {candidates}?")
    return matches[0]
