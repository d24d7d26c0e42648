from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import (
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Page
from diamond.service.tasks import annotate, schemas, tasks
from diamond.service.tasks.task_list import TaskFilter

router = APIRouter(prefix="/tasks", tags=["tasks"])


States = Annotated[list[str], Query()]
Words = Annotated[str, Query(max_length=200)]
Whose = Literal["mine", "others", "all"]


@router.get("", response_model=Page[schemas.Task], responses=problems(404))
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
    tag: Words = "",
    whose: Whose = "mine",
    since: float | None = None,
    sort: str = "-created",
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> Page[schemas.Task]:
    """`search`: each word in the name, endpoint, node, reason or message, or the beginning of an id.

    `whose`: the caller's own, or what they see of others: in their projects, or shared with them.
    """
    wanted = TaskFilter(
        list(dict.fromkeys(state)),
        endpoint,
        name,
        kind,
        job,
        since,
        sort,
        search,
        project,
        tag=tag,
        whose=whose,
    )
    items, after = await tasks.list_tasks(services, person, wanted, limit=limit, cursor=cursor)
    return Page(items=items, next=after)


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
    tag: Words = "",
    whose: Whose = "mine",
    since: float | None = None,
) -> schemas.TaskCounts:
    """How many tasks match, by state."""
    wanted = TaskFilter(
        [], endpoint, name, kind, job, since, search=search, project=project, tag=tag, whose=whose
    )
    return await tasks.count_tasks(services, person, wanted)


@router.get("/tags", response_model=Page[schemas.TagCount], responses=problems())
async def list_tags(services: Service, person: Person) -> Page[schemas.TagCount]:
    """The tags of the caller's newest tasks, the most used first."""
    return Page(items=await annotate.list_tags(services, person))


@router.get("/{task}", response_model=schemas.Task, responses=problems(404, 409))
async def get_task(task: str, services: Service, person: Person) -> schemas.Task:
    """By task id, job id or unique prefix; a job id gives its newest task."""
    return await tasks.get_task(services, person, task)


@router.patch("/{task}", response_model=schemas.Task, responses=problems(404, 409))
async def change_task(
    task: str, body: schemas.TaskChanges, services: Service, person: Person
) -> schemas.Task:
    """Its name, tags and note, at any time."""
    return await annotate.change_task(services, person, task, body)


@router.post("/{task}/cancel", response_model=schemas.Task, responses=problems(404, 409))
async def cancel_task(task: str, services: Service, person: Person) -> schemas.Task:
    return await tasks.cancel_task(services, person, task)


@router.get(
    "/{task}/history",
    response_model=Page[schemas.HistoryLine],
    responses=problems(404, 409),
)
async def task_history(task: str, services: Service, person: Person) -> Page[schemas.HistoryLine]:
    """All events of the task, oldest first."""
    return Page(items=await tasks.task_history(services, person, task))
