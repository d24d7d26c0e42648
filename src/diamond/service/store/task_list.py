"""The list of tasks, by any filter and in any order, a page at a time and within an index."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import State
from diamond.service.store.names import names_containing
from diamond.service.store.pages import Keys, Page, Sieve, page_of
from diamond.service.store.tables import tasks

STATES = [state.value for state in State]
SORTS: dict[str, tuple[Keys, bool]] = {
    "-created": ((tasks.c.created, tasks.c.id), True),
    "created": ((tasks.c.created, tasks.c.id), False),
    "-updated": ((tasks.c.updated, tasks.c.id), True),
    "name": ((tasks.c.name, tasks.c.id), False),
}
# Where a part of a name is common it is found among the next tasks; where it is rare, few names have it.
LOOKED_THROUGH = 500
NAMES_AT_MOST = 2000
# Each name has its own range of the index; of more ranges all tasks are gathered and sorted.
RANGES_AT_MOST = 10


@dataclass(frozen=True)
class TaskFilter:
    states: list[str] = field(default_factory=list)
    endpoint: str = ""
    """Its id."""
    name: str = ""
    """A part of it."""
    kind: str = "run"
    job: str = ""
    since: float | None = None
    sort: str = "-created"


@dataclass(frozen=True)
class Place:
    """Where a page begins, and how long it is."""

    owner: str
    limit: int
    cursor: str | None


async def list_tasks(
    connection: AsyncConnection,
    owner: str,
    wanted: TaskFilter,
    *,
    limit: int,
    cursor: str | None,
) -> Page:
    place = Place(owner, limit, cursor)
    if wanted.name:
        return await _list_by_name(connection, wanted, place)
    return await _page(connection, _parts(owner, wanted), wanted.sort, place)


async def _list_by_name(connection: AsyncConnection, wanted: TaskFilter, place: Place) -> Page:
    """In turn what answers for a common part, for a rare one, and for any."""
    anyone = _parts(place.owner, replace(wanted, name=""))
    has_it = tasks.c.name.contains(wanted.name, autoescape=True)
    sieve = Sieve(has_it, among=LOOKED_THROUGH)
    page = await _page(connection, anyone, wanted.sort, place, sieve)
    if page.next:
        return page
    names = await names_containing(connection, place.owner, wanted.name, limit=NAMES_AT_MOST)
    if names is None:
        return await _page(connection, [part.where(has_it) for part in anyone], wanted.sort, place)
    return await _page(connection, _parts_of_names(place.owner, wanted, names), wanted.sort, place)


async def _page(
    connection: AsyncConnection,
    parts: list[Select[Any]],
    sort: str,
    place: Place,
    sieve: Sieve | None = None,
) -> Page:
    keys, descending = SORTS[sort]
    return await page_of(
        connection,
        parts,
        keys=keys,
        descending=descending,
        limit=place.limit,
        cursor=place.cursor,
        sieve=sieve,
    )


def _parts(owner: str, wanted: TaskFilter) -> list[Select[Any]]:
    """One query for each state, where states or an endpoint are asked for: each reads one index range."""
    query = _query(owner, wanted)
    if not wanted.endpoint and not wanted.states:
        return [query]
    if wanted.endpoint:
        query = query.where(tasks.c.endpoint == wanted.endpoint)
    return [query.where(tasks.c.state == state) for state in wanted.states or STATES]


def _parts_of_names(owner: str, wanted: TaskFilter, names: set[str]) -> list[Select[Any]]:
    """One query for each name; the other filters are kept from tempting the database into their indexes."""
    query = _query(owner, wanted)
    if wanted.endpoint:
        query = query.where(tasks.c.endpoint + "" == wanted.endpoint)
    if wanted.states:
        query = query.where((tasks.c.state + "").in_(wanted.states))
    if len(names) > RANGES_AT_MOST:
        gathered = query.where(tasks.c.name.in_(sorted(names))).with_only_columns(tasks.c.id)
        return [select(tasks).where(tasks.c.id.in_(gathered))]
    return [query.where(tasks.c.name == name) for name in sorted(names)]


def _query(owner: str, wanted: TaskFilter) -> Select[Any]:
    query = select(tasks).where(tasks.c.owner == owner, tasks.c.kind == wanted.kind)
    if wanted.job:
        query = query.where(tasks.c.job == wanted.job)
    if wanted.since is not None:
        query = query.where(tasks.c.created >= wanted.since)
    return query
