"""A task with its first attempt, on its way to the endpoint or waiting for its image."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diamond.compose.checking import Composed
from diamond.core import ids
from diamond.core.code_facts import CodeFacts, code_facts_data
from diamond.core.follow_ups import begin_attempt
from diamond.core.order import Order, order_data
from diamond.core.task import Phase, Task
from diamond.service.chains.grants import first_chain
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.community import name_person
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.views import effective_facts
from diamond.service.limits.limits import check_limits
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.wakeups.notifier import project_topic
from diamond.service.tasks.core_rows import attempt_entry, row_values
from diamond.service.tasks.goal_schemas import Prediction
from diamond.service.tasks.rows import JobRow, TaskRow
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
    job: JobRow,
    endpoint: EndpointRow,
    order: Order,
    retry_of: str | None = None,
    kind: str = "run",
    awaited: Awaited | None = None,
    chain: Mapping[str, Any] | None = None,
    prediction: Prediction | None = None,
) -> TaskRow:
    """A task with its first attempt on the way to the endpoint, or waiting for its image; gives its row.

    `chain`: what differs from that of a fresh one.
    """
    if kind != "probe":  # a scale was checked as a whole
        await check_limits(tx, job, order_data(order), kind=kind)
    row = _first_row(job=job, endpoint=endpoint, order=order, retry_of=retry_of, kind=kind)
    row["prediction"] = prediction.model_dump() if prediction else None
    person = await name_person(tx.connection, endpoint, job.owner)
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
    return TaskRow(**row, node_seconds=0.0, bytes=0)


def _first_row(
    *,
    job: JobRow,
    endpoint: EndpointRow,
    order: Order,
    retry_of: str | None,
    kind: str,
) -> dict[str, Any]:
    now, task = time.time(), ids.new_id(ids.TASK)
    begun = begin_attempt(Task(id=task, as_of=now), ids.new_id(ids.ATTEMPT), 1)
    work = (endpoint["folders"] or {}).get("work", "")
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
        "order": order_data(order),
        "digest": job["digest"],
        "code": code_facts_data(job.code),
        "untold": False,
        "history": 1,
        "version": 1,
        "cleaned": None,
        "awaits": None,
        "project": job["project"],
        "chain": first_chain(order, effective_facts(endpoint).get("charge")),
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
    composed: Composed,
    owner: str,
    code: CodeFacts | None,
    project: str = "",
    *,
    assignment: str = "",
) -> JobRow:
    return JobRow(
        id=ids.new_id(ids.JOB),
        owner=owner,
        name=composed.order.name,
        spec=composed.spec,
        code=code,
        digest=composed.order.digest,
        project=project,
        assignment=assignment,
        created=time.time(),
    )
