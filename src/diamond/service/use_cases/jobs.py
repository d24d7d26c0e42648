"""From a spec to a job with its first task."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.checking import Composed, EndpointFacts, check
from diamond.core import ids
from diamond.core.errors import Conflict, InvalidSpec, NotFound
from diamond.core.lifecycle import begin_attempt
from diamond.core.order import order_data
from diamond.core.task import Task
from diamond.service.authorize import Action, require
from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.store import endpoints as endpoint_rows
from diamond.service.store import jobs as job_rows
from diamond.service.store.commands import Command, send
from diamond.service.store.engine import Transaction
from diamond.service.store.pages import Page
from diamond.service.store.rows import Row
from diamond.service.store.streams import News, publish
from diamond.service.store.task_rows import attempt_entry, row_values
from diamond.service.store.tasks import add_history, add_task
from diamond.service.use_cases.access import visible
from diamond.service.use_cases.idempotency import Once, once
from diamond.service.use_cases.projects import project_to_fill
from diamond.service.use_cases.stepping import task_json
from diamond.service.views import effective_facts, show_job, show_task

Spec = dict[str, Any]
Code = dict[str, Any] | None


async def check_job(services: Services, principal: Principal, spec: Spec, code: Code) -> Composed:
    """All faults at once, and nothing made."""
    require(principal, Action.WRITE, owner=principal.user)
    async with services.store.read() as connection:
        found = await endpoint_rows.list_endpoints(connection, principal.user)
    return _compose(services, found, spec, code)


async def submit_job(
    services: Services,
    principal: Principal,
    spec: Spec,
    code: Code,
    key: str | None,
    project: str = "",
) -> dict[str, Any]:
    """`project`: whose members will see it; the caller is one that may add to it."""
    require(principal, Action.WRITE, owner=principal.user)

    async def make(tx: Transaction) -> dict[str, Any]:
        found = await endpoint_rows.list_endpoints(tx.connection, principal.user)
        composed = _compose(services, found, spec, code)
        endpoint = next(row for row in found if row["name"] == composed.endpoint)
        place = await project_to_fill(tx.connection, principal, project)
        return await _make_job(tx, endpoint, composed, code, place)

    wanted = Once.of(key, "POST /jobs", {"spec": spec, "code": code, "project": project})
    return await once(services.store, principal, wanted, make)


async def list_jobs(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[dict[str, Any]], str | None]:
    async with services.store.read() as connection:
        page: Page = await job_rows.list_jobs(
            connection, principal.user, limit=limit, cursor=cursor
        )
        tasks = await job_rows.tasks_of_jobs(connection, [row["id"] for row in page.rows])
    return [show_job(row, tasks[row["id"]]) for row in page.rows], page.next


async def get_job(services: Services, principal: Principal, job: str) -> dict[str, Any]:
    async with services.store.read() as connection:
        row = await _find(connection, principal, job)
        tasks = await job_rows.tasks_of_jobs(connection, [row["id"]])
    return show_job(row, tasks[row["id"]])


async def make_task(
    tx: Transaction, *, job: Mapping[str, Any], endpoint: Mapping[str, Any], order: dict[str, Any],
    retry_of: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """A task with its first attempt on the way to the endpoint; gives its row."""
    row = _first_row(job=job, endpoint=endpoint, order=order, retry_of=retry_of)
    await add_task(tx, row)
    await add_history(tx, [_created_line(row)])
    data = {"number": 1, "task_json": task_json(row)}
    submit = Command(
        "submit", row["endpoint"], row["owner"], task=row["id"], attempt=row["attempt"], data=data
    )
    await send(tx, [submit])
    await publish(tx, row["owner"], [News("task", row["id"])])
    return row


def _compose(services: Services, endpoints: list[Row], spec: Spec, code: Code) -> Composed:
    _require_snapshot(services, code)
    return check(spec, endpoints=[endpoint_facts(row) for row in endpoints], code=code)


async def _make_job(
    tx: Transaction, endpoint: Row, composed: Composed, code: Code, project: str
) -> dict[str, Any]:
    job = {
        "id": ids.new_id(ids.JOB), "owner": endpoint["owner"], "name": composed.order.name,
        "spec": composed.spec, "code": code, "digest": composed.order.digest,
        "created": time.time(), "project": project,
    }  # fmt: skip
    await job_rows.add_job(tx, job)
    task = await make_task(tx, job=job, endpoint=endpoint, order=order_data(composed.order))
    shown = {"job": show_job(job, [task["id"]]), "tasks": [show_task(task)]}
    return {**shown, "warnings": composed.warnings}


def _first_row(
    *, job: Mapping[str, Any], endpoint: Mapping[str, Any], order: dict[str, Any],
    retry_of: str | None,
) -> dict[str, Any]:  # fmt: skip
    now, task = time.time(), ids.new_id(ids.TASK)
    begun = begin_attempt(Task(id=task, as_of=now), ids.new_id(ids.ATTEMPT), 1)
    work = (endpoint["folders"] or {}).get("work", "")
    return {
        "id": task, "owner": job["owner"], "job": job["id"], "name": job["name"], "kind": "run",
        "endpoint": endpoint["id"], "endpoint_name": endpoint["name"], **row_values(begun),
        "attempts": [attempt_entry(begun.attempt)], "node": "", "started": None, "ended": None,
        "run_dir": f"{work}/tasks/{task}" if work else "", "created": now, "updated": now,
        "retry_of": retry_of, "order": order, "digest": job["digest"], "code": job["code"],
        "untold": False, "history": 1, "version": 1, "cleaned": None, "project": job["project"],
    }  # fmt: skip


def _created_line(row: Mapping[str, Any]) -> dict[str, Any]:
    data = {
        "attempt": row["attempt"],
        "endpoint": row["endpoint_name"],
        "retry_of": row["retry_of"],
    }
    return {
        "task": row["id"], "n": 1, "owner": row["owner"], "at": row["created"],
        "received": row["created"], "type": "created", "message": "", "data": data,
    }  # fmt: skip


def endpoint_facts(row: Mapping[str, Any]) -> EndpointFacts:
    return EndpointFacts(
        name=row["name"],
        state=row["state"],
        default=row["is_default"],
        facts=effective_facts(row),
        secrets=row["secrets"],
    )


def _require_snapshot(services: Services, code: Code) -> None:
    snapshot = (code or {}).get("snapshot")
    if snapshot and services.blobs.missing([snapshot]):
        words = f"the snapshot {snapshot} was not uploaded"
        fault = {
            "field": "code.snapshot",
            "message": words,
            "hint": "Send it to POST /blobs first.",
        }
        raise InvalidSpec("The code is not here", fault["hint"], faults=[fault])


async def _find(connection: AsyncConnection, principal: Principal, job: str) -> Mapping[str, Any]:
    exact = await job_rows.find_job(connection, job)
    row, _ = await visible(connection, principal, "job", job, exact)
    if row is not None:
        return row
    found = await job_rows.jobs_with_prefix(connection, principal.user, job) if job else []
    if not found:
        raise NotFound(f"There is no job {job}", "`diamond tasks` lists what there is.")
    if len(found) > 1:
        raise Conflict(
            f"{job} is the beginning of several jobs", ", ".join(row["id"] for row in found)
        )
    return found[0]
