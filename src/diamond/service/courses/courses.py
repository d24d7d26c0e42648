"""A project that is a course: its terms, and assignments that are copied in one click."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.errors import BadRequest, Conflict, InvalidSpec, NotFound
from diamond.service.access.principal import Principal, Role
from diamond.service.composer.compose import require_snapshot
from diamond.service.courses import store as rows
from diamond.service.jobs import submit as jobs
from diamond.service.platform.audit import about_call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_rows
from diamond.service.projects.projects import find_project, get_project
from diamond.service.projects.schemas import ProjectPage
from diamond.service.projects.terms import place_from, place_of

Shown = dict[str, Any]


async def set_course(
    services: Services, principal: Principal, project: str, course: Shown | None
) -> ProjectPage:
    """Make a project a course, change its terms, or (None) make it a project like others."""
    if course and course["ends"] is not None and course["ends"] <= (course["starts"] or 0.0):
        raise BadRequest("It would end before it begins", "Give `ends` a later time than `starts`.")

    async def apply(tx: Transaction) -> str:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        await project_rows.change_project(tx, row["id"], {"course": course})
        return str(row["id"])

    found = await services.store.run(apply)
    return await get_project(services, principal, found)


async def list_assignments(services: Services, principal: Principal, project: str) -> list[Shown]:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        found = await rows.list_assignments(connection, row["id"])
    return [_show(one) for one in found]


async def get_assignment(
    services: Services, principal: Principal, project: str, name: str
) -> Shown:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        return _show(await _find(connection, row, name))


async def add_assignment(
    services: Services, principal: Principal, project: str, wanted: Shown
) -> Shown:
    """By a manager; its spec is checked when it is run, on the machine of who runs it."""
    _require_spec(wanted["spec"])
    require_snapshot(services, wanted["code"])

    async def add(tx: Transaction) -> Shown:
        row = await _course(tx.connection, principal, project)
        place_from(row).require_no_store(wanted["spec"], wanted["code"])
        if await rows.find_assignment(tx.connection, row["id"], wanted["name"]):
            raise Conflict(
                f"{row['name']} has an assignment {wanted['name']}", "Take another name."
            )
        made = {
            "id": ids.new_id("h"),
            "owner": principal.user,
            "project": row["id"],
            "created": time.time(),
            **wanted,
        }
        await rows.add_assignment(tx, made)
        return _show(made)

    return await services.store.run(add)


async def change_assignment(
    services: Services, principal: Principal, project: str, name: str, wanted: Shown
) -> Shown:
    """What was run before stays as it was run."""
    _require_spec(wanted["spec"])
    require_snapshot(services, wanted["code"])

    async def change(tx: Transaction) -> Shown:
        row = await _course(tx.connection, principal, project)
        place_from(row).require_no_store(wanted["spec"], wanted["code"])
        found = await _find(tx.connection, row, name)
        other = await rows.find_assignment(tx.connection, row["id"], wanted["name"])
        if other is not None and other["id"] != found["id"]:
            raise Conflict(f"{row['name']} has an assignment {wanted['name']}")
        await rows.change_assignment(tx, found["id"], wanted)
        return _show({**found, **wanted})

    return await services.store.run(change)


async def remove_assignment(
    services: Services, principal: Principal, project: str, name: str
) -> None:
    """The work on it stays."""

    async def remove(tx: Transaction) -> None:
        row = await find_project(tx.connection, principal, project, Role.MANAGER)
        await rows.drop_assignment(tx, (await _find(tx.connection, row, name))["id"])

    await services.store.run(remove)


async def run_assignment(
    services: Services,
    principal: Principal,
    project: str,
    name: str,
    wanted: Shown,
    key: str | None,
) -> Shown:
    """A copy of it as the caller's own job, on her own machine."""

    async def make(tx: Transaction) -> Shown:
        place = await place_of(tx.connection, principal, project)
        found = await _find(tx.connection, {"id": place.id, "name": place.name}, name)
        about_call(assignment=found["name"])
        spec = dict(wanted["spec"] or found["spec"])
        if wanted["on"]:
            spec["on"] = wanted["on"]
        return await jobs.submit_into(
            services,
            tx,
            principal,
            spec,
            wanted["code"] or found["code"],
            place,
            assignment=found["id"],
        )

    require_snapshot(services, wanted["code"])
    asked = Once.of(key, f"run {project} {name}", wanted)
    return await once(services.store, principal, asked, make)


async def _course(connection: AsyncConnection, principal: Principal, project: str) -> Row:
    row = await find_project(connection, principal, project, Role.MANAGER)
    if not row["course"]:
        raise Conflict(
            f"{row['name']} is not a course", f"Make it one: diamond course set {row['name']}"
        )
    return row


async def _find(connection: AsyncConnection, project: Mapping[str, Any], name: str) -> Row:
    found = await rows.find_assignment(connection, project["id"], name)
    if found is None:
        known = [row["name"] for row in await rows.list_assignments(connection, project["id"])]
        hint = f"There are: {', '.join(known)}." if known else "There are none yet."
        raise NotFound(f"{project['name']} has no assignment {name!r}", hint)
    return found


def _require_spec(spec: Mapping[str, Any]) -> None:
    if not spec.get("run") and not spec.get("notebook"):
        words = "an assignment says what to run"
        fault = {"field": "run", "message": words, "hint": "Give run, or notebook."}
        raise InvalidSpec("The spec runs nothing", fault["hint"], faults=[fault])


def _show(row: Mapping[str, Any]) -> Shown:
    names = ("id", "name", "title", "text", "spec", "code", "due", "created")
    return {name: row[name] for name in names}
