"""Code of a job that somebody shares: who may read it may run it as their own."""

from __future__ import annotations

from diamond.core.artifacts import plain_digest
from diamond.core.code_facts import CodeFacts
from diamond.service.access.principal import Principal
from diamond.service.artifacts.store import find_artifact
from diamond.service.code.ownership import give_code
from diamond.service.people.shares import JOB, things_shared_with
from diamond.service.platform.services import Services
from diamond.service.projects.visibility import visible
from diamond.service.tasks import job_store


async def take_shared_code(services: Services, principal: Principal, code: CodeFacts) -> None:
    """Nothing happens if the caller has this code already, or may read no job with it."""
    digest = plain_digest(code.snapshot)
    async with services.store.read() as connection:
        if not digest or await find_artifact(connection, principal.user, digest):
            return
        shared = await things_shared_with(connection, JOB, principal.user)
        jobs = await job_store.jobs_with_code(connection, digest, shared, principal.projects)
        readable = [
            row
            for job in jobs
            if (row := (await visible(connection, principal, JOB, job.id, job))[0])
        ]
    for job in readable:
        if job.code and plain_digest(job.code.snapshot) == digest:
            await give_code(services, principal.user, job.code)
            return
