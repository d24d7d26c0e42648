"""Who is in a course: a roster comes in as CSV, and a table of everyone's state goes out."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from diamond.core import ids
from diamond.core.errors import BadRequest
from diamond.core.task import State
from diamond.service.access.principal import Principal, Role
from diamond.service.courses import store
from diamond.service.courses.rows import AssignmentRow, CourseTaskRow
from diamond.service.courses.schemas import (
    CourseCell,
    CourseLine,
    CourseTable,
    RosterFault,
    RosterInvitation,
    RosterPerson,
    RosterTaken,
)
from diamond.service.limits import schemas as limit_schemas
from diamond.service.limits import store as limit_store
from diamond.service.limits.store import Use
from diamond.service.people import store as people_store
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import tasks
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_store
from diamond.service.projects.notify_members import notify_of_role
from diamond.service.projects.projects import find_project
from diamond.service.projects.rows import MemberRow, ProjectRow
from diamond.service.sign_in import store as sign_in_store
from diamond.service.sign_in.rows import InvitationRow

ADDRESS = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+\.[^@\s,;<>\"]+")
LONGEST_ADDRESS = 254
MOST_LINES = 5000


@dataclass(frozen=True)
class RosterLine:
    number: int
    text: str
    email: str
    """Empty if the line has none."""


@dataclass(frozen=True)
class CourseEntry:
    """The project that a roster is read into, by whom, and who is in it already."""

    project: ProjectRow
    manager: Principal
    url: str
    """Of this service: where invitations lead."""
    days: float
    """How long they are good."""
    known: frozenset[str]
    """Ids of members, and addresses of those who are invited."""


async def take_roster(
    services: Services, principal: Principal, project: str, text: str, days: float
) -> RosterTaken:
    """People with an account become members; the others are invited, each by their own link."""
    lines = await asyncio.to_thread(_read, text)
    by_address = {line.email: line for line in lines if line.email}

    async def take(tx: Transaction) -> RosterTaken:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        members = await project_store.list_members(tx.connection, row.id)
        invited = await store.open_invitations(tx.connection, row.id)
        known = {*(member.owner for member in members), *(open_.email for open_ in invited)}
        entry = CourseEntry(row, principal, services.settings.url, days, frozenset(known))
        taken = RosterTaken(added=[], known=[], invited=[], faults=_faults(lines))
        for email in by_address:
            await _take(tx, entry, email, taken)
        return taken

    return await services.store.run(take)


def _read(text: str) -> list[RosterLine]:
    try:
        lines = list(islice(_lines(text), MOST_LINES + 1))
    except csv.Error as error:
        raise BadRequest(
            f"This is not valid CSV: {error}", "Save the table as CSV, in UTF-8."
        ) from None
    if len(lines) > MOST_LINES:
        raise BadRequest(f"More than {MOST_LINES} lines", "Send the roster in parts.")
    return lines


def _faults(lines: Sequence[RosterLine]) -> list[RosterFault]:
    message = "there is no e-mail address here"
    return [
        RosterFault(line=line.number, text=line.text[:200], message=message)
        for line in lines
        if not line.email
    ]


async def _take(tx: Transaction, entry: CourseEntry, email: str, taken: RosterTaken) -> None:
    people = await people_store.find_people(tx.connection, email)
    matches = [person for person in people if person.email == email]
    if len(matches) == 1:
        person = matches[0]
        shown = RosterPerson(email=email, id=person.id, name=person.name)
        if person.id in entry.known:
            taken.known.append(shown)
            return
        await project_store.put_member(tx, entry.project.id, person.id, Role.MEMBER)
        await notify_of_role(tx, entry.manager, entry.project, person.id, Role.MEMBER)
        taken.added.append(shown)
    elif email in entry.known:
        taken.known.append(RosterPerson(email=email))
    else:
        secret = ids.new_secret()
        await sign_in_store.add_invitation(tx, _invitation(entry, email, secret))
        url = f"{entry.url}/?invitation={secret}"
        taken.invited.append(RosterInvitation(email=email, url=url))


def _invitation(entry: CourseEntry, email: str, secret: str) -> InvitationRow:
    now = time.time()
    return InvitationRow(
        id=ids.new_id("i"),
        owner=entry.manager.user,
        hash=hash_secret(secret),
        email=email,
        project=entry.project.id,
        role=Role.MEMBER.value,
        created=now,
        expires=now + 86400 * entry.days,
        used=None,
        used_by="",
    )


def is_address(text: str) -> bool:
    """By its length first: the time to match grows with the square of it."""
    return len(text) <= LONGEST_ADDRESS and ADDRESS.fullmatch(text) is not None


def _lines(text: str) -> Iterator[RosterLine]:
    """Of any table with addresses in it; a first line without one names the columns."""
    text = text.lstrip("\ufeff")
    head = text.splitlines()[0] if text.strip() else ""
    separator = max(",;\t", key=head.count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    for number, cells in enumerate(table, 1):
        addresses = [cell.strip() for cell in cells if is_address(cell.strip())]
        if not any(cell.strip() for cell in cells) or (number == 1 and not addresses):
            continue
        email = addresses[0].lower() if addresses else ""
        yield RosterLine(number, separator.join(cells), email)


async def course_table(services: Services, principal: Principal, project: str) -> CourseTable:
    """For managers: everyone's newest task of each assignment, and last error."""
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
        assignments = await store.list_assignments(connection, row.id)
        work = await store.work_in(connection, row.id)
        members = await project_store.list_members(connection, row.id)
        owners = {member.owner for member in members}
        people = await people_store.people_by_id(connection, owners)
        used = await limit_store.uses(connection, [tasks.c.owner], project=row.id)
        invited = await store.open_invitations(connection, row.id)
    last_seen = {person.id: person.seen for person in people}
    lines = [
        _line(
            member,
            assignments,
            [task for task in work if task.owner == member.owner],
            use=used.get((member.owner,), Use()),
            last_seen=last_seen.get(member.owner),
        )
        for member in members
    ]
    lines += [_invited(invitation) for invitation in invited]
    return CourseTable(assignments=[assignment.name for assignment in assignments], items=lines)


def _line(
    member: MemberRow,
    assignments: Sequence[AssignmentRow],
    work: Sequence[CourseTaskRow],
    *,
    use: Use,
    last_seen: float | None,
) -> CourseLine:
    tries = {
        assignment.id: [task for task in work if task.assignment == assignment.id]
        for assignment in assignments
    }
    return CourseLine(
        id=member.owner,
        name=member.name,
        email=member.email,
        role=member.role,
        use=_show_use(use),
        cells=[_cell(row, tries[row.id]) for row in assignments if tries[row.id]],
        last_error=_last_error(work),
        last_seen=last_seen,
    )


def _cell(assignment: AssignmentRow, tries: Sequence[CourseTaskRow]) -> CourseCell:
    task, due = tries[-1], assignment.due
    return CourseCell(
        assignment=assignment.name,
        task=task.id,
        job=task.job,
        state=task.state,
        reason=task.reason,
        message=task.message,
        created=task.created,
        ended=task.ended,
        tries=len(tries),
        is_late=due is not None and task.created > due,
    )


def _last_error(work: Sequence[CourseTaskRow]) -> str:
    for task in reversed(work):
        if task.state == State.SUCCEEDED.value:
            return ""
        if task.state == State.FAILED.value:
            return task.message or task.reason
    return ""


def _invited(invitation: InvitationRow) -> CourseLine:
    return CourseLine(
        id="",
        name="",
        email=invitation.email,
        role="invited",
        use=_show_use(Use()),
        cells=[],
        last_error="",
        last_seen=None,
    )


def _show_use(use: Use) -> limit_schemas.Use:
    return limit_schemas.Use.model_validate(vars(use))
