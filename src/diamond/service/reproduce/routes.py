"""Running a task again, and how that compares."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.reproduce import reproductions, schemas

router = APIRouter(prefix="/tasks", tags=["reproduce"])


@router.post(
    "/{task}/reproduce",
    status_code=201,
    response_model=schemas.Reproduction,
    responses=problems(404, 409, 503),
)
async def reproduce_task(
    task: str, body: schemas.ReproduceBody, services: Service, person: Person
) -> schemas.Reproduction:
    """Run it again with the same code, image, data and parameters; a verdict follows when the second run has ended."""
    return await reproductions.reproduce(services, person, task, body)


@router.get(
    "/{task}/reproductions", response_model=schemas.Reproductions, responses=problems(404, 409)
)
async def list_reproductions(task: str, services: Service, person: Person) -> schemas.Reproductions:
    """When and where it was run again, and with which verdict."""
    return await reproductions.list_reproductions(services, person, task)


@router.get("/{task}/verdict", response_model=schemas.VerdictShown, responses=problems(404, 409))
async def compare_with(
    task: str,
    services: Service,
    person: Person,
    against: Annotated[str, Query(min_length=1, max_length=64)],
    tolerance: Annotated[list[schemas.ToleranceText], Query(max_length=50)] = [],  # noqa: B006
) -> schemas.VerdictShown:
    """How it compares with an earlier run, and the likely cause of what differs; nothing is run."""
    return await reproductions.compare_two(services, person, task, against, tolerance)
