"""What a person or a project may use: set by those who look after them, and checked before anything is made."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.core.units import show_bytes
from diamond.service.access.principal import Principal, Role
from diamond.service.chains.grants import node_hours_at_most
from diamond.service.limits import store as rows
from diamond.service.people import store as users
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_rows
from diamond.service.projects.projects import find_project

Amounts = dict[str, Any]
NONE: Amounts = dict.fromkeys(rows.AMOUNTS)


@dataclass(frozen=True)
class Bound:
    """One limit, what counts against it, and whose it is in words."""

    amounts: Mapping[str, Any]
    use: rows.Use
    whose: str
    ask: str


async def check_limits(
    tx: Transaction,
    job: Mapping[str, Any],
    order: Mapping[str, Any],
    *,
    kind: str = "run",
    hours: float | None = None,
) -> None:
    """Raises when one more task would pass a limit. `hours`: what it may take, if that is not one attempt's."""
    wanted = node_hours_at_most(order) if hours is None else hours
    for bound in await _bounds(tx.connection, job["owner"], job["project"]):
        for words in _passed(bound, wanted, counts=kind in rows.COUNTED):
            raise Conflict(
                f"{words[0].upper()}{words[1:]}",
                f"Wait, ask for less, or {bound.ask}.",
                code="over-limit",
            )


async def show_limits(services: Services, kind: str, subject: str = "") -> Amounts:
    async with services.store.read() as connection:
        return await limits_of(connection, kind, subject)


async def limits_of(connection: AsyncConnection, kind: str, subject: str = "") -> Amounts:
    return (await rows.read_limits(connection, [(kind, subject)])).get((kind, subject), NONE)


async def limits_for_person(connection: AsyncConnection, user: str) -> Amounts:
    """Her own, or else everybody's."""
    keys = [(rows.PERSON, user), (rows.EVERYONE, "")]
    found = await rows.read_limits(connection, keys)
    return next((found[key] for key in keys if key in found), NONE)


async def set_everyones(services: Services, principal: Principal, amounts: Amounts) -> Amounts:
    return await _put(services, principal, rows.EVERYONE, "", amounts)


async def set_persons(
    services: Services, principal: Principal, user: str, amounts: Amounts
) -> Amounts:
    async with services.store.read() as connection:
        if await users.find_user(connection, user) is None:
            raise NotFound(f"There is no person {user!r}", "`diamond admin users` lists them.")
    return await _put(services, principal, rows.PERSON, user, amounts)


async def set_projects(
    services: Services, principal: Principal, project: str, amounts: Amounts
) -> Amounts:
    """By an administrator, who need not be in it."""
    async with services.store.read() as connection:
        if await project_rows.find_project(connection, project) is None:
            raise NotFound(f"There is no project {project!r}", "Give its id.")
    return await _put(services, principal, rows.PROJECT, project, amounts)


async def set_each_members(
    services: Services, principal: Principal, project: str, amounts: Amounts
) -> dict[str, Amounts]:
    """By a manager: what each member may use in the project."""
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
    await _put(services, principal, rows.EACH, row["id"], amounts)
    return await show_projects(services, principal, row["id"])


async def show_projects(
    services: Services, principal: Principal, project: str
) -> dict[str, Amounts]:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        keys = [(rows.PROJECT, row["id"]), (rows.EACH, row["id"])]
        found = await rows.read_limits(connection, keys)
    return {"total": found.get(keys[0], NONE), "each": found.get(keys[1], NONE)}


async def _put(
    services: Services, principal: Principal, kind: str, subject: str, amounts: Amounts
) -> Amounts:
    row = {
        "kind": kind,
        "subject": subject,
        "owner": principal.user,
        "updated": time.time(),
        **{name: amounts.get(name) for name in rows.AMOUNTS},
    }
    await services.store.run(lambda tx: rows.put_limits(tx, row))
    return {name: row[name] for name in rows.AMOUNTS}


async def _bounds(connection: AsyncConnection, user: str, project: str) -> list[Bound]:
    """Most people have none: then only that is asked."""
    keys = [(rows.PERSON, user), (rows.EVERYONE, "")]
    keys += [(rows.PROJECT, project), (rows.EACH, project)] if project else []
    found = await rows.read_limits(connection, keys, lock=True)
    bounds: list[Bound] = []
    own = found.get(keys[0]) or found.get(keys[1])
    if own:
        use = await rows.use_of(connection, owner=user)
        bounds.append(Bound(own, use, "your limit", "ask an administrator for more"))
    if project and keys[2] in found:
        use = await rows.use_of(connection, project=project)
        bounds.append(Bound(found[keys[2]], use, "the limit of the project", _ASK_ADMIN))
    if project and keys[3] in found:
        use = await rows.use_of(connection, owner=user, project=project)
        words = "your limit in this project"
        bounds.append(Bound(found[keys[3]], use, words, "ask a manager of the project for more"))
    return bounds


_ASK_ADMIN = "ask an administrator for more"


def _passed(bound: Bound, hours: float, *, counts: bool) -> Iterator[str]:
    """In words, each limit that one more task would pass."""
    use, amounts = bound.use, bound.amounts
    most = amounts["node_hours"]
    total = use.node_hours + use.node_hours_committed + hours
    if most is not None and total > most * (1 + 1e-9):
        yield (
            f"{bound.whose} is {most:.4g} node-hours: {use.node_hours:.4g} are used, tasks that have not ended "
            f"may take {use.node_hours_committed:.4g}, and this one {hours:.4g}"
        )
    most = amounts["running_tasks"]
    if counts and most is not None and use.running_tasks >= most:
        tasks = "task" if use.running_tasks == 1 else "tasks"
        yield f"{bound.whose} is {most} at a time: {use.running_tasks} {tasks} have not ended"
    most = amounts["storage_bytes"]
    if most is not None and use.storage_bytes >= most:
        held = show_bytes(use.storage_bytes)
        yield f"{bound.whose} is {show_bytes(most)} of storage: results hold {held} (`diamond clean` makes room)"


def show_use(use: rows.Use) -> dict[str, Any]:
    return asdict(use)
