"""What lies on an endpoint beside tasks: secrets, and run directories that can go."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from diamond.core.errors import BadRequest
from diamond.core.ids import IDENTIFIER
from diamond.core.task import FINAL_WORDS
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.platform.services import Services
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.store import change_endpoint
from diamond.service.platform.database.engine import Transaction
from diamond.service.limits.store import forget_sizes
from diamond.service.tasks.store import tasks_by_id
from diamond.service.endpoints.ask_agent import require_endpoint_online
from diamond.service.endpoints.endpoints import load_endpoint


async def list_secrets(services: Services, principal: Principal, name: str) -> list[str]:
    """Names only: a value never comes back."""
    row = await _online(services, principal, name, Action.READ)
    answer = await services.relay.ask_json(row["id"], "list-secrets")
    names = sorted(str(one) for one in answer.get("items", []))
    await _remember(services, row, names)
    return names


async def set_secret(
    services: Services, principal: Principal, name: str, secret: str, value: str
) -> None:
    """The value passes through memory to the endpoint and is stored nowhere else."""
    _check_name(secret)
    row = await _online(services, principal, name, Action.WRITE)
    await services.relay.ask_json(row["id"], "set-secret", name=secret, value=value)
    await list_secrets(services, principal, name)


async def delete_secret(services: Services, principal: Principal, name: str, secret: str) -> None:
    _check_name(secret)
    row = await _online(services, principal, name, Action.WRITE)
    await services.relay.ask_json(row["id"], "delete-secret", name=secret)
    await list_secrets(services, principal, name)


async def clean_endpoint(
    services: Services,
    principal: Principal,
    name: str,
    *,
    older_than_days: float | None,
    tasks: list[str] | None,
    dry_run: bool,
) -> list[dict[str, Any]]:
    """The run directories of ended tasks that match; removed unless this is a dry run."""
    row = await _online(services, principal, name, Action.WRITE)
    usage = await services.relay.ask_json(row["id"], "usage")
    sizes = {str(one["task"]): int(one.get("bytes") or 0) for one in usage.get("items", [])}
    async with services.store.read() as connection:
        known = await tasks_by_id(connection, set(sizes))
    before = time.time() - (older_than_days or 0.0) * 86400
    gone = [
        {"task": task, "name": known[task]["name"], "bytes": size, "ended": known[task]["ended"]}
        for task, size in sizes.items()
        if task in known and _may_go(known[task], row, before, tasks)
    ]
    if gone and not dry_run:
        await services.store.run(partial(_clean, row=row, tasks=[one["task"] for one in gone]))
    return sorted(gone, key=lambda one: one["ended"] or 0.0)


async def _clean(tx: Transaction, row: Mapping[str, Any], tasks: list[str]) -> None:
    await forget_sizes(tx, tasks)
    await send(tx, [Command("clean", row["id"], row["owner"], data={"tasks": tasks})])


def _may_go(
    task: Mapping[str, Any], endpoint: Mapping[str, Any], before: float, tasks: list[str] | None
) -> bool:
    if task["endpoint"] != endpoint["id"] or task["state"] not in FINAL_WORDS:
        return False
    if tasks is not None:
        return any(task["id"].startswith(one) or task["job"] == one for one in tasks if one)
    return bool((task["ended"] or 0.0) <= before)


async def _online(
    services: Services, principal: Principal, name: str, action: Action
) -> Mapping[str, Any]:
    row = await load_endpoint(services, principal, name, action)
    require_endpoint_online(services, row)
    return row


async def _remember(services: Services, row: Mapping[str, Any], names: list[str]) -> None:
    """The names, so that a spec can be checked while the endpoint is away."""
    if row["secrets"] != names:
        await services.store.run(lambda tx: change_endpoint(tx, row["id"], {"secrets": names}))


def _check_name(secret: str) -> None:
    if not IDENTIFIER.fullmatch(secret):
        raise BadRequest(
            f"{secret!r} is not a name for a secret", "Letters, digits and _, such as HF_TOKEN."
        )
