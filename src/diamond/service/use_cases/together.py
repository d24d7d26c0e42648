"""The same act on several tasks: each by itself, each with its own answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from diamond.core.errors import DiamondError
from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.use_cases.tasks import cancel_task, retry_task

Act = Callable[[str], Awaitable[dict[str, Any]]]


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


async def _each(tasks: list[str], act: Act) -> dict[str, Any]:
    items = [await _outcome(task, act) for task in dict.fromkeys(tasks)]
    failed = sum(1 for item in items if item["problem"])
    return {"items": items, "done": len(items) - failed, "failed": failed}


async def _outcome(task: str, act: Act) -> dict[str, Any]:
    try:
        return {"id": task, "task": await act(task), "problem": None}
    except DiamondError as error:
        return {"id": task, "task": None, "problem": error.as_problem()}
