"""What people and projects use, and may use."""

from __future__ import annotations

from typing import Annotated

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
async def my_usage(services: Service, person: Person) -> schemas.MyUsage:
    """What the caller has used, in total and in each of their projects, beside their limits."""
    return await usage.my_usage(services, person)


@router.get("/limits", response_model=schemas.Limits, responses=problems())
async def get_limits(services: Service, person: Person) -> schemas.Limits:
    """The defaults, for everybody without their own limits."""
    return await limits.show_limits(services, EVERYONE)


@router.put("/limits", response_model=schemas.Limits, responses=problems())
async def put_limits(body: schemas.Limits, services: Service, person: Person) -> schemas.Limits:
    return await limits.set_default_limits(services, person, body)


@router.get("/users/{user}/limits", response_model=schemas.Limits, responses=problems())
async def get_user_limits(user: str, services: Service, person: Person) -> schemas.Limits:
    """The person's own; all null where the defaults apply."""
    return await limits.show_limits(services, PERSON, user)


@router.put("/users/{user}/limits", response_model=schemas.Limits, responses=problems(404))
async def put_user_limits(
    user: str, body: schemas.Limits, services: Service, person: Person
) -> schemas.Limits:
    """All null: the defaults apply again."""
    return await limits.set_person_limits(services, person, user, body)


@router.put("/limits/projects/{project}", response_model=schemas.Limits, responses=problems(404))
async def put_project_total(
    project: str, body: schemas.Limits, services: Service, person: Person
) -> schemas.Limits:
    """Set what all members of a project may use together; for administrators. Takes the project's id."""
    return await limits.set_project_limits(services, person, project, body)


@router.get(
    "/projects/{project}/limits", response_model=schemas.ProjectLimits, responses=problems(404, 409)
)
async def get_project_limits(
    project: str, services: Service, person: Person
) -> schemas.ProjectLimits:
    return await limits.show_project_limits(services, person, project)


@router.put(
    "/projects/{project}/limits", response_model=schemas.ProjectLimits, responses=problems(404, 409)
)
async def put_project_limits(
    project: str, body: schemas.Limits, services: Service, person: Person
) -> schemas.ProjectLimits:
    """By a manager: what each member may use in the project."""
    return await limits.set_member_limits(services, person, project, body)


@router.get(
    "/projects/{project}/usage", response_model=schemas.ProjectUsage, responses=problems(404, 409)
)
async def project_usage(
    project: str, services: Service, person: Person, since: Since = 0.0, until: Until = None
) -> schemas.ProjectUsage:
    """In total and by person, for tasks created in that period; for managers."""
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
) -> Page[schemas.UsageLine]:
    """By person or by project, for tasks created in that period; for administrators."""
    items = await usage.all_usage(services, by, search, Span(since, until), limit)
    return Page(items=items)


@router.get("/usage/export", response_class=Response, responses={200: BYTES, **problems()})
async def export_usage(
    services: Service, person: Person, since: Since = 0.0, until: Until = None
) -> Response:
    """CSV, a line for each person, project and endpoint."""
    return _csv(await usage.usage_table(services, Span(since, until)))


def _csv(text: str) -> Response:
    headers = {**serving.SAFE, **serving.attachment("diamond-usage.csv")}
    return Response(text, media_type=serving.BINARY, headers=headers)
