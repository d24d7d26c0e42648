"""The same action on several tasks: each by itself, each with its own outcome."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from diamond.core.errors import DiamondError
from diamond.core.task import FINAL_WORDS, State
from diamond.service.access.principal import Principal
from diamond.service.jobs.retry import retry_task
from diamond.service.platform.http.schemas import Problem
from diamond.service.platform.services import Services
from diamond.service.tasks.schemas import Outcome, Outcomes, Task
from diamond.service.tasks.task_list import TaskFilter
from diamond.service.tasks.tasks import cancel_task, count_tasks, list_tasks

Action = Callable[[str], Awaitable[Task]]
OPEN = [state.value for state in State if state.value not in FINAL_WORDS]
AT_ONCE = 100
"""Of a filter, so many a call: the caller sees the progress, and no call takes minutes."""


@dataclass(frozen=True)
class Matching:
    """All tasks that a filter finds; `filter.endpoint` is a name here."""

    filter: TaskFilter
    cursor: str | None = None
    dry_run: bool = False

    def among(self, possible: list[str], *, default: list[str]) -> Matching:
        """Only states that the action applies to; `default` if the filter names none."""
        states = [state for state in self.filter.states or default if state in possible]
        return replace(self, filter=replace(self.filter, states=states))


async def cancel_tasks(services: Services, principal: Principal, tasks: list[str]) -> Outcomes:
    async def cancel(task: str) -> Task:
        return Task.model_validate(await cancel_task(services, principal, task))

    return await _each(tasks, cancel)


async def retry_tasks(
    services: Services, principal: Principal, tasks: list[str], key: str | None
) -> Outcomes:
    """With a key, a repeated call gives the tasks that the first one made."""
    return await _each(
        tasks,
        lambda task: retry_task(services, principal, task, f"{key}:{task}"[:255] if key else None),
    )


async def cancel_matching(services: Services, principal: Principal, matching: Matching) -> Outcomes:
    return await _matching(
        services,
        principal,
        matching.among(OPEN, default=OPEN),
        lambda tasks: cancel_tasks(services, principal, tasks),
    )


async def retry_matching(
    services: Services, principal: Principal, matching: Matching, key: str | None
) -> Outcomes:
    """Tasks that have succeeded are run again only if that state is named."""
    return await _matching(
        services,
        principal,
        matching.among(sorted(FINAL_WORDS), default=["failed", "cancelled"]),
        lambda tasks: retry_tasks(services, principal, tasks, key),
    )


async def _matching(
    services: Services,
    principal: Principal,
    matching: Matching,
    action: Callable[[list[str]], Awaitable[Outcomes]],
) -> Outcomes:
    """From the newest down: tasks that the action makes are newer, so the cursor never reaches them."""
    if matching.dry_run or not matching.filter.states:
        return await _counted(services, principal, matching.filter)
    tasks, after = await list_tasks(
        services, principal, matching.filter, limit=AT_ONCE, cursor=matching.cursor
    )
    ids = [task.id for task in tasks]
    return (await action(ids)).model_copy(update={"next": after})


async def _counted(services: Services, principal: Principal, filter: TaskFilter) -> Outcomes:
    until = filter.until or time.time()
    counted = await count_tasks(services, principal, replace(filter, until=until), whole=True)
    counts = counted.counts.model_dump()
    number = sum(counts[state] for state in filter.states)
    return Outcomes(items=[], done=0, failed=0, matching=number, until=until)


async def _each(tasks: list[str], action: Action) -> Outcomes:
    items = [await _outcome(task, action) for task in dict.fromkeys(tasks)]
    failed = sum(1 for item in items if item.problem)
    return Outcomes(items=items, done=len(items) - failed, failed=failed)


async def _outcome(task: str, action: Action) -> Outcome:
    try:
        return Outcome(id=task, task=await action(task))
    except DiamondError as error:
        return Outcome(id=task, problem=Problem.model_validate(error.as_problem()))
