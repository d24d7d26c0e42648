"""Retry, resume and bulk actions on tasks, and how two tasks differ."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from diamond.service.jobs import bulk, resume, retry
from diamond.service.jobs.diff import diff_between
from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download
from diamond.service.platform.http.disconnects import while_connected
from diamond.service.platform.http.routing import IdempotencyKey, Service, problems
from diamond.service.tasks import code, schemas
from diamond.service.tasks.task_list import TaskFilter

router = APIRouter(prefix="/tasks", tags=["tasks"])


@router.post("/cancel", response_model=schemas.Outcomes, responses=problems(404, 409))
async def cancel_tasks(
    body: schemas.TaskChoice, services: Service, person: Person
) -> schemas.Outcomes:
    """Each task is handled separately: one that cannot be cancelled does not stop the others. A filter selects only tasks that have not ended."""
    if body.matching is None:
        return await bulk.cancel_tasks(services, person, body.tasks)
    return await bulk.cancel_matching(services, person, _matching(body, body.matching))


@router.post("/retry", response_model=schemas.Outcomes, responses=problems(404, 409))
async def retry_tasks(
    body: schemas.TaskChoice, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.Outcomes:
    """Each task is handled separately; `task` of an outcome is the new task. A filter without states selects failed and cancelled tasks."""
    if body.matching is None:
        return await bulk.retry_tasks(services, person, body.tasks, key)
    return await bulk.retry_matching(services, person, _matching(body, body.matching), key)


def _matching(body: schemas.TaskChoice, match: schemas.TaskMatch) -> bulk.Matching:
    named = match.model_dump(exclude={"state"})
    task_filter = TaskFilter(states=list(dict.fromkeys(match.state)), **named)
    return bulk.Matching(task_filter, body.cursor, body.dry_run)


@router.post(
    "/{task}/retry", status_code=201, response_model=schemas.Task, responses=problems(404, 409)
)
async def retry_task(
    task: str, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.Task:
    """A new task of the same job; only for one that has ended."""
    return await retry.retry_task(services, person, task, key)


@router.post("/{task}/resume", response_model=schemas.Task, responses=problems(404, 409))
async def resume_task(
    task: str,
    body: schemas.ResumeTaskRequest,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> schemas.Task:
    """Continue the task if it has not ended; otherwise start a new one in the same run directory."""
    return await resume.resume_task(services, person, task, body, key)


@router.get(
    "/{task}/diff", response_class=PlainTextResponse, responses=problems(404, 409, 413, 429)
)
async def read_diff(
    request: Request, task: str, services: Service, person: Person, against: str = ""
) -> Response:
    """What had changed since the commit, as git shows it; with `against`, since another task, its spec included."""
    if against:
        comparing = diff_between(services, person, task, against)
        return safe_download.plain_text(await while_connected(request, comparing))
    return safe_download.plain_text(await code.read_diff(services, person, task))
