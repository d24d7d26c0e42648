from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from diamond.service import schemas
from diamond.service.platform.http.routing import (
    IdempotencyKey,
    Limit,
    PageCursor,
    Person,
    Service,
    problems,
)
from diamond.service.tasks.task_list import TaskFilter
from diamond.service.jobs import resume as resuming
from diamond.service.tasks import tasks
from diamond.service.jobs import bulk as together

router = APIRouter(prefix="/tasks", tags=["tasks"])


States = Annotated[list[str], Query()]
Words = Annotated[str, Query(max_length=200)]


@router.get("", response_model=schemas.Page[schemas.Task], responses=problems(404))
async def list_tasks(
    services: Service,
    person: Person,
    state: States = [],  # noqa: B006
    endpoint: str = "",
    name: Words = "",
    search: Words = "",
    kind: str = "run",
    job: str = "",
    project: Words = "",
    since: float | None = None,
    sort: str = "-created",
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> dict[str, Any]:
    """`search`: each word in the name, endpoint, node, reason or message, or the begin of an id."""
    wanted = TaskFilter(
        list(dict.fromkeys(state)), endpoint, name, kind, job, since, sort, search, project
    )
    items, after = await tasks.list_tasks(services, person, wanted, limit=limit, cursor=cursor)
    return {"items": items, "next": after}


@router.get("/counts", response_model=schemas.TaskCounts, responses=problems(404))
async def count_tasks(
    services: Service,
    person: Person,
    endpoint: str = "",
    name: Words = "",
    search: Words = "",
    kind: str = "run",
    job: str = "",
    project: Words = "",
    since: float | None = None,
) -> dict[str, Any]:
    """How many tasks match, by state."""
    wanted = TaskFilter([], endpoint, name, kind, job, since, search=search, project=project)
    return await tasks.count_tasks(services, person, wanted)


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


@router.get("/{task}", response_model=schemas.Task, responses=problems(404, 409))
async def get_task(task: str, services: Service, person: Person) -> dict[str, Any]:
    """By task id, job id or unique prefix; a job id gives its newest task."""
    return await tasks.get_task(services, person, task)


@router.post("/{task}/cancel", response_model=schemas.Task, responses=problems(404, 409))
async def cancel_task(task: str, services: Service, person: Person) -> dict[str, Any]:
    return await tasks.cancel_task(services, person, task)


@router.post(
    "/{task}/retry", status_code=201, response_model=schemas.Task, responses=problems(404, 409)
)
async def retry_task(
    task: str, services: Service, person: Person, key: IdempotencyKey = None
) -> dict[str, Any]:
    """A new task of the same job; only for one that has ended."""
    return await tasks.retry_task(services, person, task, key)


@router.post("/{task}/resume", response_model=schemas.Task, responses=problems(404, 409))
async def resume_task(
    task: str,
    body: schemas.GoOnRequest,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> dict[str, Any]:
    """Let it go on: the task itself while it has not ended, else a new one in the same run directory."""
    return await resuming.resume_task(services, person, task, body, key)


@router.get(
    "/{task}/history",
    response_model=schemas.Page[schemas.HistoryLine],
    responses=problems(404, 409),
)
async def task_history(task: str, services: Service, person: Person) -> dict[str, Any]:
    """All events of the task, oldest first."""
    return {"items": await tasks.task_history(services, person, task)}
