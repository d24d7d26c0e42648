"""What people and projects use, and may use."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from diamond.service.limits import limits, schemas, usage
from diamond.service.limits.store import EVERYONE, PERSON, Span
from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download as serving
from diamond.service.platform.http.routing import BYTES, Limit, Service, problems
from diamond.service.platform.http.schemas import Page

router = APIRouter(tags=["limits"])
Since = Annotated[float, Query(ge=0, le=1e11)]
Until = Annotated[float | None, Query(ge=0, le=1e11)]
Search = Annotated[str, Query(max_length=200)]


@router.get("/me/usage", response_model=schemas.MyUsage, responses=problems())
async def my_usage(services: Service, person: Person) -> dict[str, Any]:
    """What the caller has used, in all and in each of her projects, beside her limits."""
    return await usage.my_usage(services, person)


@router.get("/limits", response_model=schemas.Limits, responses=problems())
async def get_limits(services: Service, person: Person) -> dict[str, Any]:
    """Of everybody who has none of her own."""
    return await limits.show_limits(services, EVERYONE)


@router.put("/limits", response_model=schemas.Limits, responses=problems())
async def put_limits(body: schemas.Limits, services: Service, person: Person) -> dict[str, Any]:
    return await limits.set_everyones(services, person, body.model_dump())


@router.get("/users/{user}/limits", response_model=schemas.Limits, responses=problems())
async def get_user_limits(user: str, services: Service, person: Person) -> dict[str, Any]:
    """Her own; all null where everybody's hold for her."""
    return await limits.show_limits(services, PERSON, user)


@router.put("/users/{user}/limits", response_model=schemas.Limits, responses=problems(404))
async def put_user_limits(
    user: str, body: schemas.Limits, services: Service, person: Person
) -> dict[str, Any]:
    """All null: everybody's hold for her again."""
    return await limits.set_persons(services, person, user, body.model_dump())


@router.put("/limits/projects/{project}", response_model=schemas.Limits, responses=problems(404))
async def put_project_total(
    project: str, body: schemas.Limits, services: Service, person: Person
) -> dict[str, Any]:
    """By an administrator: what all of a project may use together. By its id."""
    return await limits.set_projects(services, person, project, body.model_dump())


@router.get(
    "/projects/{project}/limits", response_model=schemas.ProjectLimits, responses=problems(404, 409)
)
async def get_project_limits(project: str, services: Service, person: Person) -> dict[str, Any]:
    return await limits.show_projects(services, person, project)


@router.put(
    "/projects/{project}/limits", response_model=schemas.ProjectLimits, responses=problems(404, 409)
)
async def put_project_limits(
    project: str, body: schemas.Limits, services: Service, person: Person
) -> dict[str, Any]:
    """By a manager: what each member may use in the project."""
    return await limits.set_each_members(services, person, project, body.model_dump())


@router.get(
    "/projects/{project}/usage", response_model=schemas.ProjectUsage, responses=problems(404, 409)
)
async def project_usage(
    project: str, services: Service, person: Person, since: Since = 0.0, until: Until = None
) -> dict[str, Any]:
    """In all and by person, of tasks made in that span; for managers."""
    return await usage.project_usage(services, person, project, Span(since, until))


@router.get(
    "/projects/{project}/usage/export",
    response_class=Response,
    responses={200: BYTES, **problems(404, 409)},
)
async def export_project_usage(
    project: str, services: Service, person: Person, since: Since = 0.0, until: Until = None
) -> Response:
    """CSV, a line for each person and endpoint."""
    return _csv(await usage.project_table(services, person, project, Span(since, until)))


@router.get("/usage", response_model=Page[schemas.UsageLine], responses=problems())
async def all_usage(
    services: Service,
    person: Person,
    by: schemas.UsageBy = "person",
    search: Search = "",
    since: Since = 0.0,
    until: Until = None,
    limit: Limit = 500,
) -> dict[str, Any]:
    """By person or by project, of tasks made in that span; for administrators."""
    items = await usage.all_usage(services, by, search, Span(since, until), limit)
    return {"items": items}


@router.get("/usage/export", response_class=Response, responses={200: BYTES, **problems()})
async def export_usage(
    services: Service, person: Person, since: Since = 0.0, until: Until = None
) -> Response:
    """CSV, a line for each person, project and endpoint."""
    return _csv(await usage.usage_table(services, Span(since, until)))


def _csv(text: str) -> Response:
    headers = {**serving.SAFE, **serving.attachment("diamond-usage.csv")}
    return Response(text, media_type=serving.BINARY, headers=headers)
