from __future__ import annotations

from fastapi import APIRouter, Response

from diamond.service.access.principal import Role
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import IdempotencyKey, Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.projects import projects, schemas

router = APIRouter(tags=["projects"])


@router.get("/projects", response_model=Page[schemas.Project], responses=problems())
async def list_projects(services: Service, person: Person) -> Page[schemas.Project]:
    """Projects that the caller is in."""
    return Page(items=await projects.list_projects(services, person))


@router.post("/projects", status_code=201, response_model=schemas.Project, responses=problems(409))
async def add_project(
    body: schemas.ProjectRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.Project:
    return await projects.add_project(services, person, body.name, body.title, key)


@router.get("/projects/{project}", response_model=schemas.ProjectPage, responses=problems(404, 409))
async def get_project(project: str, services: Service, person: Person) -> schemas.ProjectPage:
    """By name or id."""
    return await projects.get_project(services, person, project)


@router.patch(
    "/projects/{project}", response_model=schemas.ProjectPage, responses=problems(404, 409)
)
async def change_project(
    project: str, body: schemas.ProjectChange, services: Service, person: Person
) -> schemas.ProjectPage:
    return await projects.change_project(services, person, project, body)


@router.delete("/projects/{project}", status_code=204, responses=problems(404, 409))
async def remove_project(project: str, services: Service, person: Person) -> Response:
    """Only while no tasks belong to it."""
    await projects.remove_project(services, person, project)
    return Response(status_code=204)


@router.put(
    "/projects/{project}/members/{user}",
    response_model=schemas.ProjectPage,
    responses=problems(404, 409),
)
async def put_member(
    project: str, user: str, body: schemas.MemberRequest, services: Service, person: Person
) -> schemas.ProjectPage:
    """Add a person, or change their role."""
    return await projects.put_member(services, person, project, user, Role(body.role))


@router.delete("/projects/{project}/members/{user}", status_code=204, responses=problems(404, 409))
async def remove_member(project: str, user: str, services: Service, person: Person) -> Response:
    """Managers remove others; members may leave."""
    await projects.remove_member(services, person, project, user)
    return Response(status_code=204)


@router.post(
    "/projects/{project}/owner", response_model=schemas.ProjectPage, responses=problems(404, 409)
)
async def hand_over(
    project: str, body: schemas.PersonRef, services: Service, person: Person
) -> schemas.ProjectPage:
    """Make a member its owner."""
    return await projects.hand_over(services, person, project, body.user)
