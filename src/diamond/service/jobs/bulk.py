"""The same act on several tasks: each by itself, each with its own answer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from diamond.core.errors import DiamondError
from diamond.core.task import FINAL_WORDS, State
from diamond.service.access.principal import Principal
from diamond.service.jobs.retry import retry_task
from diamond.service.platform.services import Services
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.task_list import TaskFilter
from diamond.service.tasks.tasks import cancel_task, count_tasks, list_tasks

Act = Callable[[str], Awaitable[Task]]
OPEN = [state.value for state in State if state.value not in FINAL_WORDS]
AT_ONCE = 100
"""Of a filter, so many a call: a person sees how far it is, and no call takes minutes."""


@dataclass(frozen=True)
class Matching:
    """All tasks that a filter finds; `wanted.endpoint` is a name here."""

    wanted: TaskFilter
    cursor: str | None = None
    dry_run: bool = False

    def among(self, possible: list[str], *, unasked: list[str]) -> Matching:
        """Only those that an act can touch; without a word about states, those it is meant for."""
        states = [state for state in self.wanted.states or unasked if state in possible]
        return replace(self, wanted=replace(self.wanted, states=states))


async def cancel_tasks(
    services: Services, principal: Principal, tasks: list[str]
) -> dict[str, Any]:
    return await _each(tasks, lambda task: cancel_task(services, principal, task))


async def retry_tasks(
    services: Services, principal: Principal, tasks: list[str], key: str | None
) -> dict[str, Any]:
    """With a key, a repeated call gives the tasks that the first one made."""
    return await _each(
        tasks,
        lambda task: retry_task(services, principal, task, f"{key}:{task}"[:255] if key else None),
    )


async def cancel_matching(
    services: Services, principal: Principal, matching: Matching
) -> dict[str, Any]:
    found = matching.among(OPEN, unasked=OPEN)
    return await _matched(
        services, principal, found, lambda tasks: cancel_tasks(services, principal, tasks)
    )


async def retry_matching(
    services: Services, principal: Principal, matching: Matching, key: str | None
) -> dict[str, Any]:
    """What has succeeded is done again only when its state is named."""
    found = matching.among(sorted(FINAL_WORDS), unasked=["failed", "cancelled"])
    return await _matched(
        services, principal, found, lambda tasks: retry_tasks(services, principal, tasks, key)
    )


async def _matched(
    services: Services,
    principal: Principal,
    found: Matching,
    act: Callable[[list[str]], Awaitable[dict[str, Any]]],
) -> dict[str, Any]:
    """From the newest down: what an act makes is newer, and the cursor never comes to it."""
    if found.dry_run or not found.wanted.states:
        return await _counted(services, principal, found.wanted)
    tasks, after = await list_tasks(
        services, principal, found.wanted, limit=AT_ONCE, cursor=found.cursor
    )
    return {**await act([task.id for task in tasks]), "next": after}


async def _counted(services: Services, principal: Principal, wanted: TaskFilter) -> dict[str, Any]:
    until = wanted.until or time.time()
    found = await count_tasks(services, principal, replace(wanted, until=until), whole=True)
    counts = found.counts.model_dump()
    number = sum(counts[state] for state in wanted.states)
    return {"items": [], "done": 0, "failed": 0, "matching": number, "until": until}


async def _each(tasks: list[str], act: Act) -> dict[str, Any]:
    items = [await _outcome(task, act) for task in dict.fromkeys(tasks)]
    failed = sum(1 for item in items if item["problem"])
    return {"items": items, "done": len(items) - failed, "failed": failed}


async def _outcome(task: str, act: Act) -> dict[str, Any]:
    try:
        return {"id": task, "task": await act(task), "problem": None}
    except DiamondError as error:
        return {"id": task, "task": None, "problem": error.as_problem()}
