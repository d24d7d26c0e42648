"""The list of tasks, by any filter and in any order, a page at a time and within an index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, func, literal_column, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.order import placement_from
from diamond.core.task import FINAL_WORDS, State
from diamond.service.platform.database.name_index import names_containing
from diamond.service.platform.database.paging import Keys, Page, Sieve, page_of, reach_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import rows_of
from diamond.service.platform.database.tables import tasks
from diamond.service.tasks.rows import TaskRow

STATES = [state.value for state in State]
SORTS: dict[str, tuple[Keys, bool]] = {
    "-created": ((tasks.c.created, tasks.c.id), True),
    "created": ((tasks.c.created, tasks.c.id), False),
    "-updated": ((tasks.c.updated, tasks.c.id), True),
    "updated": ((tasks.c.updated, tasks.c.id), False),
    "-ended": ((tasks.c.ended, tasks.c.id), True),
    "ended": ((tasks.c.ended, tasks.c.id), False),
    "name": ((tasks.c.name, tasks.c.id), False),
    "-name": ((tasks.c.name, tasks.c.id), True),
}
# Their waits show how busy a queue is.
WAITS_LOOKED_AT = 20
SEARCHED = (tasks.c.name, tasks.c.endpoint_name, tasks.c.node, tasks.c.reason, tasks.c.message)
# Where a part of a name is common it is found among the next tasks; where it is rare, few names have it.
LOOKED_THROUGH = 1000
NAMES_AT_MOST = 2000
# A call that searches looks through so many tasks: some 100 ms on a small machine.
SEARCHED_AT_ONCE = 20_000
# Each name has its own range of the index; of more ranges all tasks are gathered and sorted, if they are few.
RANGES_AT_MOST = 20
GATHERED_AT_MOST = 3000


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
    search: str = ""
    """Words that all occur somewhere in the task."""
    project: str = ""
    """Its id: tasks of everybody in it, instead of the caller's own."""
    own: bool = False
    """With a project: only the caller's own tasks in it."""
    until: float | None = None
    """Created no later than this."""
    tag: str = ""
    whose: str = "mine"
    """mine, others or all."""
    projects: tuple[str, ...] = ()
    """Of others: the projects whose tasks the caller sees."""
    jobs: tuple[str, ...] = ()
    """Of others: what is shared with the caller."""


@dataclass(frozen=True)
class PageStart:
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
) -> Page[TaskRow]:
    """With `search` a page may be short, or empty, and still have a next one: a call searches a limited number of tasks."""
    start = PageStart(owner, limit, cursor)
    if wanted.search or wanted.tag:
        return await _search(connection, wanted, start)
    if wanted.name and not wanted.project and wanted.whose == "mine":
        return await _list_by_name(connection, wanted, start)
    return await _page(connection, _parts(owner, wanted), wanted.sort, start)


async def count_by_state(
    connection: AsyncConnection, owner: str, wanted: TaskFilter
) -> dict[str, int]:
    """How many tasks match in each state, whatever states are asked for."""
    numbers: Counter[str] = Counter()
    for part in _queries(owner, replace(wanted, sort="-created")):
        query = part.where(*_all_hold(wanted))
        if wanted.endpoint:
            query = query.where(tasks.c.endpoint == wanted.endpoint)
        if wanted.name:
            query = query.where(tasks.c.name.contains(wanted.name, autoescape=True))
        counted = query.with_only_columns(tasks.c.state, func.count().label("number"))
        for row in await connection.execute(counted.group_by(tasks.c.state)):
            numbers[row.state] += row.number
    return {state: numbers[state] for state in STATES}


async def searched_since(
    connection: AsyncConnection, owner: str, wanted: TaskFilter
) -> float | None:
    """When the oldest task was made that one call looks through; None if it looks through all."""
    keys, descending = SORTS["-created"]
    parts = _parts(owner, replace(wanted, sort="-created", states=[], name=""))
    reach = await reach_of(
        connection, parts, keys=keys, descending=descending, count=SEARCHED_AT_ONCE, cursor=None
    )
    return None if reach is None else float(reach.key)


async def open_by_endpoint(connection: AsyncConnection, owner: str) -> dict[str, Counter[str]]:
    """How many tasks of each open state every endpoint has."""
    open_states = [state for state in STATES if state not in FINAL_WORDS]
    query = select(tasks.c.endpoint, tasks.c.state, func.count()).where(
        tasks.c.owner == owner, tasks.c.kind == "run", tasks.c.state.in_(open_states)
    )
    counts: dict[str, Counter[str]] = {}
    for endpoint, state, count in await connection.execute(
        query.group_by(tasks.c.endpoint, tasks.c.state)
    ):
        counts.setdefault(endpoint, Counter())[state] = count
    return counts


async def waits_on(
    connection: AsyncConnection, owner: str, endpoint: str, partition: str
) -> list[float]:
    """How many seconds the last tasks in this partition waited from their submission to their start."""
    query = select(tasks.c.created, tasks.c.started, tasks.c.order).where(
        tasks.c.owner == owner,
        tasks.c.kind == "run",
        tasks.c.endpoint == endpoint,
        tasks.c.state.in_(["running", "succeeded", "failed"]),
        tasks.c.started.is_not(None),
    )
    last = query.order_by(tasks.c.created.desc()).limit(WAITS_LOOKED_AT)
    return [
        max(0.0, started - created)
        for created, started, order in await connection.execute(last)
        if placement_from(order).partition == partition
    ]


async def ended_since(
    connection: AsyncConnection, owner: str, state: str, since: float, limit: int
) -> list[TaskRow]:
    """The last tasks that came to this end after a time."""
    query = select(tasks).where(
        tasks.c.owner == owner, tasks.c.kind == "run", tasks.c.ended > since, tasks.c.state == state
    )
    return rows_of(
        await connection.execute(query.order_by(tasks.c.ended.desc()).limit(limit)), TaskRow
    )


async def held_tasks(connection: AsyncConnection, owner: str, limit: int) -> list[TaskRow]:
    """Those that the site keeps back; what waits for its turn in Diamond needs nobody."""
    query = select(tasks).where(
        tasks.c.owner == owner,
        tasks.c.kind == "run",
        # Written out: an index of these alone is used only where the database sees the word.
        tasks.c.phase == literal_column("'held'"),
        # Kept from tempting the database into the index of all that wait.
        tasks.c.state + "" == "pending",
        tasks.c.reason != "site-limit",
    )
    return rows_of(
        await connection.execute(query.order_by(tasks.c.created.desc()).limit(limit)), TaskRow
    )


async def kept_results(
    connection: AsyncConnection, owner: str, endpoint: str, first: float, last: float
) -> tuple[int, float]:
    """How many successful tasks that ended in this time still have their files, and the first end."""
    query = select(func.count(), func.min(tasks.c.ended)).where(
        tasks.c.owner == owner,
        tasks.c.kind == "run",
        tasks.c.ended.between(first, last),
        tasks.c.endpoint == endpoint,
        tasks.c.state == "succeeded",
        tasks.c.cleaned.is_(None),
    )
    count, oldest = (await connection.execute(query)).one()
    return count, oldest or 0.0


async def _search(
    connection: AsyncConnection, wanted: TaskFilter, start: PageStart
) -> Page[TaskRow]:
    """No index holds the words of messages, nor tags: they are looked for among the next tasks, then among those behind them."""
    keys, descending = SORTS[wanted.sort]
    parts = _parts(start.owner, replace(wanted, name=""))
    reach = await reach_of(
        connection,
        parts,
        keys=keys,
        descending=descending,
        count=SEARCHED_AT_ONCE,
        cursor=start.cursor,
    )
    conditions = _all_hold(wanted)
    if wanted.name:
        conditions.append(tasks.c.name.contains(wanted.name, autoescape=True))
    if reach:
        conditions.append(reach.holds(keys, descending=descending))
    page = await _page(connection, [part.where(*conditions) for part in parts], wanted.sort, start)
    return page if page.next or not reach else Page(page.rows, reach.cursor)


async def _list_by_name(
    connection: AsyncConnection, wanted: TaskFilter, start: PageStart
) -> Page[TaskRow]:
    """In turn what answers for a common part, for a rare one, and for any."""
    anyone = _parts(start.owner, replace(wanted, name=""))
    has_it = tasks.c.name.contains(wanted.name, autoescape=True)
    sieve = Sieve(has_it, among=LOOKED_THROUGH)
    page = await _page(connection, anyone, wanted.sort, start, sieve)
    if page.next:
        return page
    names = await names_containing(connection, start.owner, wanted.name, limit=NAMES_AT_MOST)
    if names is not None and await _are_few(connection, wanted, start.owner, names):
        parts = _parts_of_names(start.owner, wanted, names)
    else:
        parts = [part.where(has_it) for part in anyone]
    return await _page(connection, parts, wanted.sort, start)


async def _are_few(
    connection: AsyncConnection, wanted: TaskFilter, owner: str, names: set[str]
) -> bool:
    """Whether going by the names reads little: few ranges, or few tasks."""
    if len(names) <= RANGES_AT_MOST:
        return True
    some = select(tasks.c.id).where(
        tasks.c.owner == owner, tasks.c.kind == wanted.kind, tasks.c.name.in_(sorted(names))
    )
    counted = select(func.count()).select_from(some.limit(GATHERED_AT_MOST + 1).subquery())
    return int((await connection.execute(counted)).scalar_one()) <= GATHERED_AT_MOST


async def _page(
    connection: AsyncConnection,
    parts: list[Select[Any]],
    sort: str,
    start: PageStart,
    sieve: Sieve | None = None,
) -> Page[TaskRow]:
    keys, descending = SORTS[sort]
    return await page_of(
        connection,
        TaskRow,
        parts,
        keys=keys,
        descending=descending,
        limit=start.limit,
        cursor=start.cursor,
        sieve=sieve,
    )


def _parts(owner: str, wanted: TaskFilter) -> list[Select[Any]]:
    """One query for each state, where states or an endpoint are asked for: each reads one index range."""
    queries = _queries(owner, wanted)
    if not wanted.endpoint and not wanted.states:
        return queries
    if wanted.endpoint:
        queries = [query.where(tasks.c.endpoint == wanted.endpoint) for query in queries]
    states = wanted.states or STATES
    return [query.where(tasks.c.state == state) for query in queries for state in states]


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


def _queries(owner: str, wanted: TaskFilter) -> list[Select[Any]]:
    """The caller's own tasks, those of each project, and what is shared: no task is in two of them."""
    if wanted.project or wanted.whose == "mine":
        return [_query(owner, wanted)]
    named = [tasks.c.name.contains(wanted.name, autoescape=True)] if wanted.name else []
    foreign = [tasks.c.owner != owner, *named]
    parts = [_narrowed(wanted, tasks.c.project == project, *foreign) for project in wanted.projects]
    if wanted.jobs:
        elsewhere = tasks.c.project.not_in(wanted.projects)
        parts.append(_narrowed(wanted, tasks.c.job.in_(wanted.jobs), elsewhere, *foreign))
    if wanted.whose == "all" or not parts:
        mine = tasks.c.owner == (owner if wanted.whose == "all" else "")
        parts.append(_narrowed(wanted, mine, *named))
    return parts


def _query(owner: str, wanted: TaskFilter) -> Select[Any]:
    whose = tasks.c.project == wanted.project if wanted.project else tasks.c.owner == owner
    return _narrowed(wanted, whose, *_of_project(owner, wanted))


def _of_project(owner: str, wanted: TaskFilter) -> list[ColumnElement[bool]]:
    if not wanted.project:
        return []
    conditions = [tasks.c.owner == owner] if wanted.own else []
    if wanted.name:
        conditions.append(tasks.c.name.contains(wanted.name, autoescape=True))
    return conditions


def _narrowed(wanted: TaskFilter, *conditions: ColumnElement[bool]) -> Select[Any]:
    query = select(tasks).where(*conditions, tasks.c.kind == wanted.kind)
    if wanted.job:
        query = query.where(tasks.c.job == wanted.job)
    if wanted.since is not None:
        query = query.where(tasks.c.created >= wanted.since)
    if wanted.until is not None:
        query = query.where(tasks.c.created <= wanted.until)
    if wanted.sort.endswith("ended"):
        query = query.where(tasks.c.ended.is_not(None))
    return query


def _all_hold(wanted: TaskFilter) -> list[ColumnElement[bool]]:
    tagged = [has_tag(wanted.tag)] if wanted.tag else []
    return [*tagged, *(_holds(word) for word in wanted.search.split())]


def has_tag(tag: str) -> ColumnElement[bool]:
    """A tag has no character that JSON would escape."""
    return cast(tasks.c.tags, Text).contains(f'"{tag}"', autoescape=True)


def _holds(word: str) -> ColumnElement[bool]:
    """The word in what a person reads, or the start of an id of ours or of the batch system's."""
    read = [column.icontains(word, autoescape=True) for column in SEARCHED]
    ids = [starts_with(tasks.c.id, word), starts_with(tasks.c.job, word)]
    if word.isascii() and word.isdigit():
        # PostgreSQL puts a space behind the colon, and so did SQLite's rows before pydantic wrote them.
        native_ids = [f'"native_id":{space}"{word}' for space in ("", " ")]
        ids += [cast(tasks.c.attempts, Text).contains(text) for text in native_ids]
    return or_(*read, *ids)
