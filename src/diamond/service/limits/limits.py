"""What people and projects may use: set by administrators and managers, and checked before a task is made."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.core.units import show_bytes
from diamond.service.access.principal import Principal, Role
from diamond.service.limits import schemas, store
from diamond.service.limits.rows import LimitRow
from diamond.service.people import store as people_store
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_store
from diamond.service.projects.projects import find_project


@dataclass(frozen=True)
class Bound:
    """One limit, what counts against it, and whose it is in words."""

    limit: LimitRow
    use: store.Use
    whose: str
    ask: str
    owner: str = ""
    """Whose tasks count; empty: everyone's."""
    project: str = ""
    """Where tasks count; empty: everywhere."""


async def check_limits(
    tx: Transaction,
    owner: str,
    project: str,
    hours: float,
    *,
    is_counted: bool = True,
) -> float | None:
    """What the limits leave in node-hours, None if there is no limit on them; raises when one more task would pass a limit.

    `hours`: what it may take. `is_counted`: against the limit of running tasks.
    """
    bounds = await bounds_of(tx.connection, owner, project)
    for bound in bounds:
        for message in _passed(bound, hours, counts=is_counted):
            raise Conflict(
                f"{message[0].upper()}{message[1:]}",
                f"Wait, ask for less, or {bound.ask}.",
                code="over-limit",
            )
    return hours_left(bounds)


def hours_left(bounds: Iterable[Bound], changes: Iterable[HoursChange] = ()) -> float | None:
    """What the tightest limit leaves in node-hours, after changes that are not saved yet."""
    unsaved = list(changes)
    return min(
        (
            bound.limit.node_hours
            - bound.use.node_hours
            - bound.use.node_hours_committed
            - sum(change.hours for change in unsaved if change.counts_for(bound))
            for bound in bounds
            if bound.limit.node_hours is not None
        ),
        default=None,
    )


@dataclass(frozen=True)
class HoursChange:
    """How many more node-hours a task may take than the database says."""

    owner: str
    project: str
    hours: float

    def counts_for(self, bound: Bound) -> bool:
        return bound.owner in ("", self.owner) and bound.project in ("", self.project)


async def show_limits(services: Services, kind: str, subject: str = "") -> schemas.Limits:
    async with services.store.read() as connection:
        return await limits_of(connection, kind, subject)


async def limits_of(connection: AsyncConnection, kind: str, subject: str = "") -> schemas.Limits:
    rows = await store.read_limits(connection, [(kind, subject)])
    return as_limits(rows.get((kind, subject)))


async def limits_for_person(connection: AsyncConnection, user: str) -> schemas.Limits:
    """The person's own, or else the defaults."""
    keys = [(store.PERSON, user), (store.EVERYONE, "")]
    rows = await store.read_limits(connection, keys)
    return as_limits(next((rows[key] for key in keys if key in rows), None))


def as_limits(row: LimitRow | None) -> schemas.Limits:
    if row is None:
        return schemas.Limits()
    return schemas.Limits(
        node_hours=row.node_hours,
        running_tasks=row.running_tasks,
        storage_bytes=row.storage_bytes,
    )


def show_use(use: store.Use) -> schemas.Use:
    return schemas.Use(**asdict(use))


async def set_default_limits(
    services: Services, principal: Principal, limits: schemas.Limits
) -> schemas.Limits:
    return await _put(services, principal, store.EVERYONE, "", limits)


async def set_person_limits(
    services: Services, principal: Principal, user: str, limits: schemas.Limits
) -> schemas.Limits:
    async with services.store.read() as connection:
        if await people_store.find_user(connection, user) is None:
            raise NotFound(f"There is no person {user!r}", "`diamond admin users` lists them.")
    return await _put(services, principal, store.PERSON, user, limits)


async def set_project_limits(
    services: Services, principal: Principal, project: str, limits: schemas.Limits
) -> schemas.Limits:
    """By an administrator, who need not be in it."""
    async with services.store.read() as connection:
        if await project_store.find_project(connection, project) is None:
            raise NotFound(f"There is no project {project!r}", "Give its id.")
    return await _put(services, principal, store.PROJECT, project, limits)


async def set_member_limits(
    services: Services, principal: Principal, project: str, limits: schemas.Limits
) -> schemas.ProjectLimits:
    """By a manager: what each member may use in the project."""
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
    await _put(services, principal, store.EACH, row.id, limits)
    return await show_project_limits(services, principal, row.id)


async def show_project_limits(
    services: Services, principal: Principal, project: str
) -> schemas.ProjectLimits:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        keys = [(store.PROJECT, row.id), (store.EACH, row.id)]
        rows = await store.read_limits(connection, keys)
    total, each = (as_limits(rows.get(key)) for key in keys)
    return schemas.ProjectLimits(total=total, each=each)


async def _put(
    services: Services, principal: Principal, kind: str, subject: str, limits: schemas.Limits
) -> schemas.Limits:
    row = LimitRow(
        kind=kind,
        subject=subject,
        owner=principal.user,
        node_hours=limits.node_hours,
        running_tasks=limits.running_tasks,
        storage_bytes=limits.storage_bytes,
        updated=time.time(),
    )
    await services.store.run(lambda tx: store.put_limits(tx, row))
    return limits


async def bounds_of(connection: AsyncConnection, user: str, project: str) -> list[Bound]:
    """The limits of a person's work in a project. Most people have none: then nothing else is read."""
    person, everyone = (store.PERSON, user), (store.EVERYONE, "")
    total, each = (store.PROJECT, project), (store.EACH, project)
    keys = [person, everyone, *([total, each] if project else [])]
    rows = await store.read_limits(connection, keys, lock=True)
    bounds: list[Bound] = []
    own = rows.get(person) or rows.get(everyone)
    if own:
        use = await store.use_of(connection, owner=user)
        bounds.append(Bound(own, use, "your limit", _ASK_ADMIN, owner=user))
    if total in rows:
        use = await store.use_of(connection, project=project)
        whose = "the limit of the project"
        bounds.append(Bound(rows[total], use, whose, _ASK_ADMIN, project=project))
    if each in rows:
        use = await store.use_of(connection, owner=user, project=project)
        whose = "your limit in this project"
        bounds.append(Bound(rows[each], use, whose, _ASK_MANAGER, owner=user, project=project))
    return bounds


_ASK_ADMIN = "ask an administrator for more"
_ASK_MANAGER = "ask a manager of the project for more"


def _passed(bound: Bound, hours: float, *, counts: bool) -> Iterator[str]:
    """A message for each limit that one more task would pass."""
    use, limit = bound.use, bound.limit
    total = use.node_hours + use.node_hours_committed + hours
    if limit.node_hours is not None and total > limit.node_hours * (1 + 1e-9):
        yield (
            f"{bound.whose} is {limit.node_hours:.4g} node-hours: {use.node_hours:.4g} are used, tasks that have not ended "
            f"may take {use.node_hours_committed:.4g}, and this one {hours:.4g}"
        )
    if counts and limit.running_tasks is not None and use.running_tasks >= limit.running_tasks:
        tasks = "task" if use.running_tasks == 1 else "tasks"
        yield f"{bound.whose} is {limit.running_tasks} at a time: {use.running_tasks} {tasks} have not ended"
    if limit.storage_bytes is not None and use.storage_bytes >= limit.storage_bytes:
        most, held = show_bytes(limit.storage_bytes), show_bytes(use.storage_bytes)
        yield f"{bound.whose} is {most} of storage: results hold {held} (`diamond clean` makes room)"
