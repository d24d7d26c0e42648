"""Tasks: find, list, count, cancel."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.core.events import CancelAsked
from diamond.core.task import FINAL_WORDS, State
from diamond.service.access.authorize import Action, require, role_of
from diamond.service.access.principal import Principal
from diamond.service.endpoints.commands import void_submit
from diamond.service.endpoints.store import find_endpoint, last_seen
from diamond.service.people.shares import JOB, things_shared_with
from diamond.service.people.store import people_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project, sees_all
from diamond.service.projects.visibility import visible
from diamond.service.tasks import job_store, task_list
from diamond.service.tasks import store as task_store
from diamond.service.tasks.dependency_store import is_waiting
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import HistoryLine, StateCounts, Task, TaskCounts
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.task_list import TaskFilter
from diamond.service.tasks.views import show_line, show_tasks


async def list_tasks(
    services: Services, principal: Principal, wanted: TaskFilter, *, limit: int, cursor: str | None
) -> tuple[list[Task], str | None]:
    """`wanted.endpoint` and `wanted.project` are names here."""
    _check_filter(wanted)
    async with services.store.read() as connection:
        resolved = await _resolved(connection, principal, wanted)
        page = await task_list.list_tasks(
            connection, principal.user, resolved, limit=limit, cursor=cursor
        )
        shown = await as_now_known(connection, page.rows)
        shown = await with_owner_names(connection, principal, shown)
    return shown, page.next


async def count_tasks(
    services: Services, principal: Principal, wanted: TaskFilter, *, whole: bool = False
) -> TaskCounts:
    """`wanted.endpoint` and `wanted.project` are names here. A search counts as far as one call searches, unless `whole`."""
    async with services.store.read() as connection:
        resolved = await _resolved(connection, principal, wanted)
        since = None
        if (resolved.search or resolved.tag) and not whole:
            since = await task_list.searched_since(connection, principal.user, resolved)
        if since is not None:
            resolved = replace(resolved, since=max(since, resolved.since or 0.0))
        counts = await task_list.count_by_state(connection, principal.user, resolved)
    return TaskCounts(counts=StateCounts(**counts), total=sum(counts.values()), counted_since=since)


async def get_task(services: Services, principal: Principal, task: str) -> Task:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        shown = await as_now_known(connection, [row])
        return (await with_owner_names(connection, principal, shown))[0]


async def with_owner_names(
    connection: AsyncConnection, principal: Principal, shown: list[Task]
) -> list[Task]:
    """Whose they are, of those that are not the caller's."""
    others = {task.owner for task in shown if task.owner != principal.user}
    if not others:
        return shown
    names = {person.id: person.name for person in await people_by_id(connection, others)}
    return [
        task.model_copy(update={"owner_name": names.get(task.owner, "")})
        if task.owner in others
        else task
        for task in shown
    ]


async def as_now_known(connection: AsyncConnection, rows: Sequence[TaskRow]) -> list[Task]:
    """An agent repeats nothing that has not changed: what it last reported holds as of its last call."""
    places = {row.endpoint for row in rows if row.state not in FINAL_WORDS}
    seen = await last_seen(connection, places) if places else {}
    heard = {row.id: seen.get(row.endpoint) or 0.0 for row in rows if row.state not in FINAL_WORDS}
    return await show_tasks(connection, rows, heard)


async def load_task(services: Services, principal: Principal, task: str) -> TaskRow:
    """The row, by task id, job id or unique prefix."""
    async with services.store.read() as connection:
        return await find_task(connection, principal, task)


async def task_history(services: Services, principal: Principal, task: str) -> list[HistoryLine]:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        lines = await task_store.history_of(connection, row.id)
    return [show_line(line) for line in lines]


async def cancel_task(services: Services, principal: Principal, task: str) -> Task:
    """Cancel it: at once if no agent has it yet, else through the agent. A task that has ended stays as it is."""

    async def cancel(tx: Transaction) -> str:
        row = await find_task(tx.connection, principal, task, action=Action.STOP)
        await end_task(tx, row, by=principal.name)
        return row.id

    return await get_task(services, principal, await services.store.run(cancel))


async def end_task(tx: Transaction, row: TaskRow, *, by: str, grace: int = 0) -> None:
    """Ask for the end, once; a task that has ended stays as it is. `grace`: seconds between the stop flag and the kill."""
    if row.state in FINAL_WORDS or row.cancel_requested:
        return
    waits = await is_waiting(tx.connection, row.id)
    voided = waits or await void_submit(tx, row.id, row.attempt)
    steps = Steps(row.owner)
    await steps.load(tx, row)
    steps.apply(row.id, CancelAsked(time.time(), delivered=not voided, by=by, grace=grace))
    await steps.save(tx)


async def find_task(
    connection: AsyncConnection, principal: Principal, task: str, action: Action = Action.READ
) -> TaskRow:
    """By its id, also another person's that the caller may see; else by the first letters of one of the caller's own."""
    exact = await task_store.find_task(connection, task)
    job = exact.job if exact else task
    row, role = await visible(connection, principal, "job", job, exact)
    if row is None:
        return await _by_prefix(connection, principal, task)
    require(principal, action, owner=row.owner, shared=role, what="task")
    return row


async def _by_prefix(connection: AsyncConnection, principal: Principal, text: str) -> TaskRow:
    tasks = await task_store.tasks_with_prefix(connection, principal.user, text) if text else []
    jobs = await job_store.jobs_with_prefix(connection, principal.user, text) if text else []
    if len(tasks) + len(jobs) > 1:
        candidates = ", ".join([*(row.id for row in tasks), *(row.id for row in jobs)])
        raise Conflict(f"{text} is the beginning of several ids", f"Which one: {candidates}?")
    newest = await task_store.newest_task_of(connection, jobs[0].id) if jobs else None
    task = tasks[0] if tasks else newest
    if task is None:
        raise NotFound(f"There is no task {text!r}", "`diamond tasks` lists what there is.")
    return task


def _check_filter(wanted: TaskFilter) -> None:
    valid = [state.value for state in State]
    unknown = [state for state in wanted.states if state not in valid]
    if unknown:
        raise BadRequest(f"{unknown[0]!r} is not a state", f"States: {', '.join(valid)}")
    if wanted.sort not in task_list.SORTS:
        raise BadRequest(
            f"{wanted.sort!r} is not an order", f"Orders: {', '.join(task_list.SORTS)}"
        )


async def _resolved(
    connection: AsyncConnection, principal: Principal, wanted: TaskFilter
) -> TaskFilter:
    if wanted.project:
        project = await find_project(connection, principal, wanted.project)
        hides = not sees_all(principal, project)
        wanted = replace(wanted, project=project.id, own=hides)
    elif wanted.whose != "mine":
        seen = [
            candidate
            for candidate in principal.projects
            if role_of(principal, owner="", project=candidate)
        ]
        jobs = await things_shared_with(connection, JOB, principal.user)
        wanted = replace(wanted, projects=tuple(sorted(seen)), jobs=tuple(sorted(jobs)))
    if not wanted.endpoint:
        return wanted
    row = await find_endpoint(connection, principal.user, wanted.endpoint)
    if row is None:
        raise NotFound(f"There is no endpoint {wanted.endpoint!r}", "See `diamond endpoint list`.")
    return replace(wanted, endpoint=row.id)
