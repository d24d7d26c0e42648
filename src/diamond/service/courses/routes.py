"""A project that is a course."""

from __future__ import annotations

from fastapi import APIRouter, Response

from diamond.service.courses import courses, rosters, schemas
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import IdempotencyKey, Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.projects.schemas import Course, ProjectPage
from diamond.service.tasks.schemas import Submitted

router = APIRouter(prefix="/projects/{project}", tags=["courses"])


@router.put("/course", response_model=ProjectPage, responses=problems(404, 409))
async def set_course(project: str, body: Course, services: Service, person: Person) -> ProjectPage:
    """Make the project a course, or change its terms."""
    return await courses.set_course(services, person, project, body)


@router.delete("/course", response_model=ProjectPage, responses=problems(404, 409))
async def end_course(project: str, services: Service, person: Person) -> ProjectPage:
    """An ordinary project again: its members see each other's work."""
    return await courses.set_course(services, person, project, None)


@router.post("/roster", response_model=schemas.RosterTaken, responses=problems(404, 409))
async def take_roster(
    project: str, body: schemas.RosterRequest, services: Service, person: Person
) -> schemas.RosterTaken:
    """Add members by CSV; people without an account are invited. Sending the same roster again changes nothing."""
    return await rosters.take_roster(services, person, project, body.csv, body.days)


@router.get("/table", response_model=schemas.CourseTable, responses=problems(404, 409))
async def course_table(project: str, services: Service, person: Person) -> schemas.CourseTable:
    """Everyone's state in each assignment, and last error; for managers."""
    return await rosters.course_table(services, person, project)


@router.get(
    "/assignments",
    response_model=Page[schemas.Assignment],
    responses=problems(404, 409),
)
async def list_assignments(
    project: str, services: Service, person: Person
) -> Page[schemas.Assignment]:
    items = await courses.list_assignments(services, person, project)
    return Page[schemas.Assignment](items=items)


@router.post(
    "/assignments",
    status_code=201,
    response_model=schemas.Assignment,
    responses=problems(404, 409),
)
async def add_assignment(
    project: str, body: schemas.AssignmentRequest, services: Service, person: Person
) -> schemas.Assignment:
    return await courses.add_assignment(services, person, project, body)


@router.get(
    "/assignments/{assignment}", response_model=schemas.Assignment, responses=problems(404, 409)
)
async def get_assignment(
    project: str, assignment: str, services: Service, person: Person
) -> schemas.Assignment:
    """By its name or id."""
    return await courses.get_assignment(services, person, project, assignment)


@router.put(
    "/assignments/{assignment}", response_model=schemas.Assignment, responses=problems(404, 409)
)
async def change_assignment(
    project: str,
    assignment: str,
    body: schemas.AssignmentRequest,
    services: Service,
    person: Person,
) -> schemas.Assignment:
    return await courses.change_assignment(services, person, project, assignment, body)


@router.delete("/assignments/{assignment}", status_code=204, responses=problems(404, 409))
async def remove_assignment(
    project: str, assignment: str, services: Service, person: Person
) -> Response:
    await courses.remove_assignment(services, person, project, assignment)
    return Response(status_code=204)


@router.post(
    "/assignments/{assignment}/run",
    status_code=201,
    response_model=Submitted,
    responses=problems(404, 409, 503),
)
async def run_assignment(
    project: str,
    assignment: str,
    body: schemas.AssignmentRun,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> Submitted:
    """Start a copy of it as the caller's own job, by default just as it is."""
    return await courses.run_assignment(services, person, project, assignment, body, key)
