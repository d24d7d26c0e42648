"""Retry, resume and bulk actions on tasks, and how two tasks differ."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from diamond.service.jobs import bulk as together
from diamond.service.jobs import resume as resuming
from diamond.service.jobs import retry
from diamond.service.jobs.diff import diff_between
from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download as serving
from diamond.service.platform.http.routing import IdempotencyKey, Service, problems
from diamond.service.tasks import code, schemas
from diamond.service.tasks.task_list import TaskFilter

router = APIRouter(prefix="/tasks", tags=["tasks"])


@router.post("/cancel", response_model=schemas.Outcomes, responses=problems(404, 409))
async def cancel_tasks(
    body: schemas.TaskChoice, services: Service, person: Person
) -> dict[str, Any]:
    """Each by itself: one that cannot be cancelled does not hold up the others. Of a filter: those still open."""
    if body.matching is None:
        return await together.cancel_tasks(services, person, body.tasks)
    return await together.cancel_matching(services, person, _matching(body, body.matching))


@router.post("/retry", response_model=schemas.Outcomes, responses=problems(404, 409))
async def retry_tasks(
    body: schemas.TaskChoice, services: Service, person: Person, key: IdempotencyKey = None
) -> dict[str, Any]:
    """Each by itself; `task` of an outcome is the new task. Of a filter without states: failed and cancelled ones."""
    if body.matching is None:
        return await together.retry_tasks(services, person, body.tasks, key)
    return await together.retry_matching(services, person, _matching(body, body.matching), key)


def _matching(body: schemas.TaskChoice, match: schemas.TaskMatch) -> together.Matching:
    named = match.model_dump(exclude={"state"})
    wanted = TaskFilter(states=list(dict.fromkeys(match.state)), **named)
    return together.Matching(wanted, body.cursor, body.dry_run)


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
    """Let it go on: the task itself while it has not ended, else a new one in the same run directory."""
    return await resuming.resume_task(services, person, task, body, key)


@router.get("/{task}/diff", response_class=PlainTextResponse, responses=problems(404, 409))
async def read_diff(task: str, services: Service, person: Person, against: str = "") -> Response:
    """What had changed since the commit, as git tells it; with `against`, since another task, its spec included."""
    if against:
        return serving.plain_text(await diff_between(services, person, task, against))
    return serving.plain_text(await code.read_diff(services, person, task))
