from __future__ import annotations

from fastapi import APIRouter

from diamond.service.composer.request import read_request
from diamond.service.jobs import jobs, schemas, submit
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import (
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.idempotency import Once
from diamond.service.tasks.schemas import Job, Submitted

router = APIRouter(prefix="/jobs", tags=["jobs"])


@router.post("", status_code=201, response_model=Submitted, responses=problems(404, 409, 503))
async def submit_job(
    body: schemas.JobRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> Submitted:
    """Check a spec and start it."""
    requested = await read_request(services, person, body, project=body.project)
    asked = {
        **requested.as_data(),
        **body.model_dump(include={"project", "goal", "signature"}, exclude_none=True),
    }
    submission = submit.Submission(
        requested,
        project=body.project,
        goal=body.goal,
        signature=body.signature,
        once=Once.of(key, "POST /jobs", asked),
    )
    return await submit.submit(services, person, submission)


@router.post("/check", response_model=schemas.Checked, responses=problems(404, 409, 503))
async def check_job(
    body: schemas.JobRequest, services: Service, person: Person, script: bool = False
) -> schemas.Checked:
    """Check a spec. Nothing is submitted."""
    submission = submit.Submission(
        await read_request(services, person, body, project=body.project), project=body.project
    )
    return await submit.check(services, person, submission, script=script)


@router.get("", response_model=Page[Job], responses=problems())
async def list_jobs(
    services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[Job]:
    return await jobs.list_jobs(services, person, limit=limit, cursor=cursor)


@router.get("/{job}", response_model=Job, responses=problems(404, 409))
async def get_job(job: str, services: Service, person: Person) -> Job:
    return await jobs.get_job(services, person, job)
