"""Who is in a course: a roster as CSV comes in, one table of everyone's state goes out."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diamond.core import ids
from diamond.core.errors import BadRequest
from diamond.core.task import State
from diamond.service.access.principal import Principal, Role
from diamond.service.courses import store as rows
from diamond.service.limits import store as use_rows
from diamond.service.limits.limits import show_use
from diamond.service.limits.store import Use
from diamond.service.people import store as users
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.database.tables import tasks
from diamond.service.platform.services import Services
from diamond.service.projects import store as projects
from diamond.service.projects.notify_members import notify_of_role
from diamond.service.projects.projects import find_project
from diamond.service.projects.rows import ProjectRow
from diamond.service.sign_in import store as identities
from diamond.service.sign_in.rows import InvitationRow

Shown = dict[str, Any]
ADDRESS = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+\.[^@\s,;<>\"]+")
MOST_LINES = 5000


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    email: str
    """'' where the line has none."""


async def take_roster(
    services: Services, principal: Principal, project: str, text: str, days: float
) -> Shown:
    """Who has an account becomes a member; the others are invited, each by a link of her own."""
    try:
        lines = list(_lines(text))
    except csv.Error as error:
        raise BadRequest(f"This is no CSV: {error}", "Save the table as CSV, in UTF-8.") from None
    if len(lines) > MOST_LINES:
        raise BadRequest(f"More than {MOST_LINES} lines", "Send the roster in parts.")
    good = list({line.email: line for line in lines if line.email}.values())

    async def take(tx: Transaction) -> Shown:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        taken: Shown = {"added": [], "known": [], "invited": []}
        inside = {one["owner"] for one in await projects.list_members(tx.connection, row["id"])}
        open_to = {one["email"] for one in await rows.open_invitations(tx.connection, row["id"])}
        for line in good:
            await _take(services, tx, principal, row, line.email, days, taken, inside | open_to)
        return taken

    faults = [
        {"line": one.number, "text": one.text[:200], "message": "there is no e-mail address here"}
        for one in lines
        if not one.email
    ]
    return {**await services.store.run(take), "faults": faults}


async def _take(
    services: Services,
    tx: Transaction,
    principal: Principal,
    project: ProjectRow,
    email: str,
    days: float,
    taken: Shown,
    there: set[str],
) -> None:
    found = [one for one in await users.find_people(tx.connection, email) if one["email"] == email]
    person = {"email": email}
    if len(found) == 1:
        person |= {"id": found[0]["id"], "name": found[0]["name"]}
        if found[0]["id"] in there:
            taken["known"].append(person)
            return
        await projects.put_member(tx, project["id"], found[0]["id"], Role.MEMBER)
        await notify_of_role(tx, principal, project, found[0]["id"], Role.MEMBER)
        taken["added"].append(person)
    elif email in there:
        taken["known"].append(person)
    else:
        secret = ids.new_secret()
        await identities.add_invitation(tx, _invitation(principal, project, email, secret, days))
        url = f"{services.settings.url}/?invitation={secret}"
        taken["invited"].append({"email": email, "url": url})


def _invitation(
    principal: Principal, project: ProjectRow, email: str, secret: str, days: float
) -> InvitationRow:
    now = time.time()
    return InvitationRow(
        id=ids.new_id("i"),
        owner=principal.user,
        hash=hash_secret(secret),
        email=email,
        project=project.id,
        role=Role.MEMBER.value,
        created=now,
        expires=now + 86400 * days,
        used=None,
        used_by="",
    )


def _lines(text: str) -> Iterator[Line]:
    """Of any table with addresses in it; a first line without one names the columns."""
    text = text.lstrip("\ufeff")
    head = text.splitlines()[0] if text.strip() else ""
    separator = max(",;\t", key=head.count)
    for number, cells in enumerate(
        csv.reader(io.StringIO(text, newline=""), delimiter=separator), 1
    ):
        found = [match for cell in cells if (match := ADDRESS.fullmatch(cell.strip()))]
        if not any(cell.strip() for cell in cells) or (number == 1 and not found):
            continue
        email = found[0].group().lower() if found and len(found[0].group()) <= 254 else ""
        yield Line(number, separator.join(cells), email)


async def course_table(services: Services, principal: Principal, project: str) -> Shown:
    """For managers: everyone's newest task of each assignment, and last error."""
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
        given = await rows.list_assignments(connection, row["id"])
        work = await rows.work_in(connection, row["id"])
        members = await projects.list_members(connection, row["id"])
        seen = {
            one["id"]: one["seen"]
            for one in await users.people_by_id(connection, {one["owner"] for one in members})
        }
        used = await use_rows.uses(connection, [tasks.c.owner], project=row["id"])
        waiting = await rows.open_invitations(connection, row["id"])
    items = [
        _line(one, given, [task for task in work if task["owner"] == one["owner"]])
        | {"use": show_use(used.get((one["owner"],), Use())), "last_seen": seen.get(one["owner"])}
        for one in members
    ]
    items += [_invited(one) for one in waiting]
    return {"assignments": [one["name"] for one in given], "items": items}


def _line(member: Row, given: Sequence[Row], work: Sequence[Row]) -> Shown:
    cells = []
    for one in given:
        tries = [task for task in work if task["assignment"] == one["id"]]
        if tries:
            cells.append(_cell(one, tries))
    return {
        "id": member["owner"],
        "name": member["name"],
        "email": member["email"],
        "role": member["role"],
        "cells": cells,
        "last_error": _last_error(work),
    }


def _cell(assignment: Row, tries: Sequence[Row]) -> Shown:
    task, due = tries[-1], assignment["due"]
    names = ("state", "reason", "message", "created", "ended", "job")
    return {
        **{name: task[name] for name in names},
        "assignment": assignment["name"],
        "task": task["id"],
        "tries": len(tries),
        "is_late": due is not None and task["created"] > due,
    }


def _last_error(work: Sequence[Row]) -> str:
    for task in reversed(work):
        if task["state"] == State.SUCCEEDED.value:
            return ""
        if task["state"] == State.FAILED.value:
            return str(task["message"] or task["reason"])
    return ""


def _invited(invitation: Mapping[str, Any]) -> Shown:
    return {
        "id": "",
        "name": "",
        "email": invitation["email"],
        "role": "invited",
        "cells": [],
        "last_error": "",
        "use": show_use(Use()),
        "last_seen": None,
    }
