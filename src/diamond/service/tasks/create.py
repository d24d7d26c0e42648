"""A task with its first attempt, on its way to the endpoint or waiting for its image."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diamond.compose.spec_check import Composed
from diamond.core import ids
from diamond.core.follow_ups import begin_attempt
from diamond.core.order import order_from
from diamond.core.task import Phase, Task
from diamond.service.chains.grants import first_chain
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.community import name_person
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.limits.limits import check_limits
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.wakeups.notifier import project_topic
from diamond.service.tasks.core_rows import attempt_entry, row_values
from diamond.service.tasks.store import add_history, add_task
from diamond.service.tasks.submit_command import submit_command


@dataclass(frozen=True)
class Awaited:
    """What a task waits for: a build (a task's id) or a move."""

    what: str
    words: str
    phase: Phase = Phase.BUILDING


async def make_task(
    tx: Transaction,
    *,
    job: Mapping[str, Any],
    endpoint: EndpointRow,
    order: dict[str, Any],
    retry_of: str | None = None,
    kind: str = "run",
    awaited: Awaited | None = None,
    chain: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A task with its first attempt on the way to the endpoint, or waiting for its image; gives its row.

    `chain`: what differs from that of a fresh one.
    """
    if kind != "probe":  # a scale was checked as a whole
        await check_limits(tx, job, order, kind=kind)
    row = _first_row(job=job, endpoint=endpoint, order=order, retry_of=retry_of, kind=kind)
    person = await name_person(tx.connection, endpoint, job["owner"])
    row["chain"] = {**row["chain"], **(chain or {}), **({"person": person} if person else {})}
    if awaited:
        row.update(awaits=awaited.what, phase=awaited.phase.value, message=awaited.words)
    await add_task(tx, row)
    await add_history(tx, [_created_line(row)])
    if not awaited:
        await send(tx, [submit_command(row)])
    await publish(tx, row["owner"], [News("task", row["id"])])
    if row["project"]:
        tx.wake(project_topic(row["project"]))
    return row


def _first_row(
    *,
    job: Mapping[str, Any],
    endpoint: EndpointRow,
    order: dict[str, Any],
    retry_of: str | None,
    kind: str,
) -> dict[str, Any]:
    now, task = time.time(), ids.new_id(ids.TASK)
    begun = begin_attempt(Task(id=task, as_of=now), ids.new_id(ids.ATTEMPT), 1)
    work = endpoint.folders.work
    return {
        "id": task,
        "owner": job["owner"],
        "job": job["id"],
        "name": job["name"],
        "kind": kind,
        "endpoint": endpoint["id"],
        "endpoint_name": endpoint["name"],
        **row_values(begun),
        "attempts": [attempt_entry(begun.attempt)],
        "node": "",
        "started": None,
        "ended": None,
        "run_dir": f"{work}/tasks/{task}" if work else "",
        "created": now,
        "updated": now,
        "retry_of": retry_of,
        "order": order,
        "digest": job["digest"],
        "code": job["code"],
        "untold": False,
        "history": 1,
        "version": 1,
        "cleaned": None,
        "awaits": None,
        "project": job["project"],
        "prediction": job.get("prediction"),
        "chain": first_chain(order_from(order), effective_facts(endpoint).get("charge")),
    }


def _created_line(row: Mapping[str, Any]) -> dict[str, Any]:
    data = {
        "attempt": row["attempt"],
        "endpoint": row["endpoint_name"],
        "retry_of": row["retry_of"],
    }
    return {
        "task": row["id"],
        "n": 1,
        "owner": row["owner"],
        "at": row["created"],
        "received": row["created"],
        "type": "created",
        "message": "",
        "data": data,
    }


def new_job(
    composed: Composed, owner: str, code: dict[str, Any] | None, project: str = ""
) -> dict[str, Any]:
    return {
        "id": ids.new_id(ids.JOB),
        "owner": owner,
        "name": composed.order.name,
        "spec": composed.spec,
        "code": code,
        "digest": composed.order.digest,
        "created": time.time(),
        "project": project,
    }
