"""A project that is a course: its terms, and assignments that students copy and run."""

from __future__ import annotations

import time
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.raw_spec import RawSpec, runs_something
from diamond.core import ids
from diamond.core.code_facts import CodeFacts
from diamond.core.errors import BadRequest, Conflict, InvalidSpec, NotFound
from diamond.service.access.principal import Principal, Role
from diamond.service.code.ownership import give_code, require_own_code
from diamond.service.composer.request import RequestedSpec
from diamond.service.courses import store
from diamond.service.courses.rows import AssignmentRow
from diamond.service.courses.schemas import Assignment, AssignmentRequest, AssignmentRun
from diamond.service.jobs.submit import Submission, submit
from diamond.service.platform.audit import about_call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_store
from diamond.service.projects.projects import find_project, get_project
from diamond.service.projects.rows import ProjectRow
from diamond.service.projects.schemas import Course, ProjectPage
from diamond.service.projects.terms import terms_from
from diamond.service.tasks.schemas import Submitted


async def set_course(
    services: Services, principal: Principal, project: str, course: Course | None
) -> ProjectPage:
    """Make a project a course, change its terms, or (None) make it an ordinary project again."""
    if course and course.ends is not None and course.ends <= (course.starts or 0.0):
        raise BadRequest("It would end before it begins", "Give `ends` a later time than `starts`.")

    async def apply(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        terms = course.model_dump() if course else None
        await project_store.change_project(tx, row.id, {"course": terms})
        if course:
            await project_store.drop_shares_of_students(tx, row.id)
        return row.id

    changed = await services.store.run(apply)
    return await get_project(services, principal, changed)


async def list_assignments(
    services: Services, principal: Principal, project: str
) -> list[Assignment]:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        assignments = await store.list_assignments(connection, row.id)
    return [_show(assignment) for assignment in assignments]


async def get_assignment(
    services: Services, principal: Principal, project: str, name: str
) -> Assignment:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        return _show(await _find(connection, row, name))


async def add_assignment(
    services: Services, principal: Principal, project: str, body: AssignmentRequest
) -> Assignment:
    """By a manager. The spec is checked when it is run, on the endpoint of the student who runs it."""
    code = await _checked_code(services, principal, body)

    async def add(tx: Transaction) -> Assignment:
        course = await _course(tx.connection, principal, project)
        terms_from(course).require_no_uploads(body.spec, code)
        if await store.find_assignment(tx.connection, course.id, body.name):
            raise _name_taken(course, body.name)
        made = AssignmentRow(
            id=ids.new_id("h"),
            owner=principal.user,
            project=course.id,
            name=body.name,
            title=body.title,
            text=body.text,
            spec=body.spec,
            code=code,
            due=body.due,
            created=time.time(),
        )
        await store.add_assignment(tx, made)
        return _show(made)

    return await services.store.run(add)


async def change_assignment(
    services: Services, principal: Principal, project: str, name: str, body: AssignmentRequest
) -> Assignment:
    """Jobs that were submitted before stay as they were."""
    async with services.store.read() as connection:
        known = await _find(connection, await _course(connection, principal, project), name)
    code = await _checked_code(services, principal, body, known.code)

    async def change(tx: Transaction) -> Assignment:
        course = await _course(tx.connection, principal, project)
        terms_from(course).require_no_uploads(body.spec, code)
        old = await _find(tx.connection, course, name)
        other = await store.find_assignment(tx.connection, course.id, body.name)
        if other is not None and other.id != old.id:
            raise _name_taken(course, body.name)
        changed = replace(
            old,
            name=body.name,
            title=body.title,
            text=body.text,
            spec=body.spec,
            code=code,
            due=body.due,
        )
        await store.change_assignment(tx, changed)
        return _show(changed)

    return await services.store.run(change)


async def remove_assignment(
    services: Services, principal: Principal, project: str, name: str
) -> None:
    """The jobs for it stay."""

    async def remove(tx: Transaction) -> None:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        assignment = await _find(tx.connection, row, name)
        await store.drop_assignment(tx, assignment.id)

    await services.store.run(remove)


async def run_assignment(
    services: Services,
    principal: Principal,
    project: str,
    name: str,
    body: AssignmentRun,
    key: str | None,
) -> Submitted:
    """Submit a copy of it as the caller's own job, on an endpoint of theirs."""
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MEMBER)
        assignment = await _find(connection, row, name)
    about_call(assignment=assignment.name)
    if body.code:
        await require_own_code(services, principal.user, body.code.facts())
    else:
        await give_code(services, principal.user, assignment.code)
    submission = Submission(
        _students_copy(assignment, body),
        project=row.id,
        assignment=assignment.id,
        once=Once.of(key, f"run {project} {name}", body.model_dump()),
    )
    return await submit(services, principal, submission)


def _students_copy(assignment: AssignmentRow, body: AssignmentRun) -> RequestedSpec:
    spec: RawSpec = dict(body.spec or assignment.spec)
    if body.on:
        spec["on"] = body.on
    return RequestedSpec(spec, body.code.facts() if body.code else assignment.code)


async def _course(connection: AsyncConnection, principal: Principal, project: str) -> ProjectRow:
    row = await find_project(connection, principal, project, Role.MANAGER)
    if not row.course:
        raise Conflict(f"{row.name} is not a course", f"Make it one: diamond course set {row.name}")
    return row


async def _find(connection: AsyncConnection, project: ProjectRow, name: str) -> AssignmentRow:
    assignment = await store.find_assignment(connection, project.id, name)
    if assignment is None:
        known = [row.name for row in await store.list_assignments(connection, project.id)]
        hint = f"Its assignments: {', '.join(known)}." if known else "It has none yet."
        raise NotFound(f"{project.name} has no assignment {name!r}", hint)
    return assignment


async def _checked_code(
    services: Services,
    principal: Principal,
    body: AssignmentRequest,
    known: CodeFacts | None = None,
) -> CodeFacts | None:
    """The facts of its code, once the spec runs something and the code is here.

    `known` is what the assignment has already: another manager may have sent it.
    """
    if not runs_something(body.spec):
        hint = "Give run, or notebook."
        fault = {"field": "run", "message": "an assignment says what to run", "hint": hint}
        raise InvalidSpec("The spec runs nothing", hint, faults=[fault])
    code = body.code.facts() if body.code else None
    if code != known:
        await require_own_code(services, principal.user, code)
    return code


def _name_taken(course: ProjectRow, name: str) -> Conflict:
    return Conflict(f"{course.name} already has an assignment {name}", "Choose another name.")


def _show(row: AssignmentRow) -> Assignment:
    return Assignment.model_validate(vars(row))
