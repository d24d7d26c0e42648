"""A task with its first attempt, on its way to the endpoint or waiting for what it depends on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from diamond.compose.spec_check import Composed
from diamond.core import ids
from diamond.core.code_facts import CodeFacts, code_facts_data
from diamond.core.dependencies import Dependency, is_ready, waiting_message, waiting_phase
from diamond.core.follow_ups import begin_attempt
from diamond.core.order import Order, order_data
from diamond.core.task import Attempt, Task
from diamond.service.chains.grants import first_chain, node_hours_at_most
from diamond.service.chains.rows import ChainRow
from diamond.service.code.removal import require_code
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.community import name_person
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.limits.limits import check_limits
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.wakeups.notifier import project_topic
from diamond.service.tasks.core_rows import new_attempt
from diamond.service.tasks.dependency_store import add_dependencies
from diamond.service.tasks.goal_schemas import Prediction
from diamond.service.tasks.record_entries import record_submitted
from diamond.service.tasks.rows import HistoryRow, JobRow, TaskRow
from diamond.service.tasks.store import add_history, add_task
from diamond.service.tasks.submit_command import submit_command

PILOT = "pilot"
"""The kind of a task that runs others inside its allocation."""


async def make_task(
    tx: Transaction,
    *,
    job: JobRow,
    endpoint: EndpointRow,
    order: Order,
    retry_of: str | None = None,
    kind: str = "run",
    dependencies: Sequence[Dependency] = (),
    chain: ChainRow | None = None,
    prediction: Prediction | None = None,
    given: JsonObject | None = None,
) -> TaskRow:
    """A task with its first attempt, which is submitted now or when all that it depends on is there.

    `chain`: where it is not the one of a fresh task. `given`: the spec as the person wrote it, for the record.
    """
    await require_code(tx, job.owner, order.code)
    left = await _room_left(tx, job, order, kind)
    first = Attempt(ids.new_id(ids.ATTEMPT))
    person = await name_person(tx.connection, endpoint, job.owner)
    row = replace(
        first_row(job, endpoint, order, ids.new_id(ids.TASK), [first]),
        kind=kind,
        retry_of=retry_of,
        prediction=prediction,
        chain=replace(chain or new_chain(order, endpoint), person=person, limit_hours=left),
    )
    if not is_ready(dependencies):
        phase, message = waiting_phase(dependencies), waiting_message(dependencies)
        row = replace(row, phase=phase.value, message=message)
    await add_task(tx, row)
    await add_dependencies(tx, row, dependencies)
    await add_history(tx, [_created_line(row)])
    await record_submitted(tx, row, job, order, given)
    if is_ready(dependencies):
        await send(tx, [submit_command(row)])
    await publish(tx, row.owner, [News("task", row.id)])
    if row.project:
        tx.wake(project_topic(row.project))
    return replace(row, depends=len(dependencies)) if dependencies else row


async def _room_left(tx: Transaction, job: JobRow, order: Order, kind: str) -> float | None:
    """Node-hours that limits leave; None without one. What runs in a pilot costs what the pilot costs, and no more."""
    if order.placement.pilot:
        return None
    hours = node_hours_at_most(order.resources)
    is_counted = kind in ("run", "trial", PILOT)
    return await check_limits(tx, job.owner, job.project, hours, is_counted=is_counted)


def outside_pilots(order: Order) -> Order:
    """The same as a batch job of its own: its pilot may be gone."""
    return replace(order, placement=replace(order.placement, pilot=""))


def new_chain(order: Order, endpoint: EndpointRow) -> ChainRow:
    return first_chain(order, effective_facts(endpoint).get("charge"))


def first_row(
    job: JobRow, endpoint: EndpointRow, order: Order, task: str, attempts: list[Attempt]
) -> TaskRow:
    """A task that waits for the last of its attempts to be prepared."""
    now, last = time.time(), attempts[-1]
    begun = begin_attempt(Task(id=task, as_of=now), last.id, last.number)
    work = endpoint.folders.work
    return TaskRow(
        id=task,
        owner=job.owner,
        job=job.id,
        name=job.name,
        kind="run",
        endpoint=endpoint.id,
        endpoint_name=endpoint.name,
        state=begun.state.value,
        phase=begun.phase.value,
        native_state="",
        reason="",
        message="",
        exit_code=None,
        signal=None,
        as_of=now,
        cancel_requested=False,
        attempt=last.id,
        attempts=tuple(new_attempt(attempt) for attempt in attempts),
        chain=ChainRow(),
        node="",
        run_dir=f"{work}/tasks/{task}" if work else "",
        created=now,
        updated=now,
        started=None,
        ended=None,
        cleaned=None,
        retry_of=None,
        order_json=order_data(order),
        pilot=order.placement.pilot,
        digest=job.digest,
        code=code_facts_data(job.code),
        project=job.project,
        prediction=None,
        node_seconds=0.0,
        bytes=0,
        unconfirmed=False,
        history=1,
        version=1,
    )


def _created_line(task: TaskRow) -> HistoryRow:
    data: JsonObject = {
        "attempt": task.attempt,
        "endpoint": task.endpoint_name,
        "retry_of": task.retry_of,
    }
    return HistoryRow(
        task=task.id,
        n=1,
        owner=task.owner,
        at=task.created,
        received=task.created,
        type="created",
        message="",
        data=data,
    )


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
