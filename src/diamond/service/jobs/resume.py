"""A person lets a chain go on: the task itself while it has not ended, else a new task in the same run directory."""

from __future__ import annotations

import time
from dataclasses import replace

from diamond.core.errors import BadRequest, Conflict
from diamond.core.events import Allowed
from diamond.core.task import FINAL_WORDS, Phase
from diamond.planning.budget import UNASKED_FOLLOW_UPS
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.chains.grants import budget_of, refusal, spending
from diamond.service.chains.rows import BudgetRow, ChainRow
from diamond.service.chains.view import may_resume
from diamond.service.endpoints.community import require_usable
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.endpoints.views import effective_facts
from diamond.service.images import store as image_rows
from diamond.service.jobs.retry import require_unsigned
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.projects.terms import require_place
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import make_task
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import ResumeTaskRequest, Task
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.store import find_task as row_of
from diamond.service.tasks.store import tasks_after
from diamond.service.tasks.tasks import find_task
from diamond.service.tasks.views import show_new_task, show_tasks


async def resume_task(
    services: Services,
    principal: Principal,
    task: str,
    wanted: ResumeTaskRequest,
    key: str | None,
) -> Task:
    async def resume(tx: Transaction) -> Task:
        row = await find_task(tx.connection, principal, task, action=Action.WRITE)
        endpoint = await endpoint_by_id(tx.connection, row.endpoint)
        if endpoint is None:
            raise Conflict(f"Endpoint {row.endpoint_name} is no longer there", "Run it again.")
        if row.state in FINAL_WORDS:
            await require_place(tx.connection, principal, row)
            await require_usable(tx.connection, principal.user, endpoint)
            made = await _as_new_task(tx, row, endpoint, wanted)
            return await show_new_task(tx.connection, made)
        allowed = await _allow(tx, row, endpoint, wanted, principal)
        return (await show_tasks(tx.connection, [allowed]))[0]

    request = Once.of(key, "resume", {"task": task, **wanted.model_dump()})
    return await once_as(Task, services.store, principal, request, resume)


async def _allow(
    tx: Transaction,
    row: TaskRow,
    endpoint: EndpointRow,
    wanted: ResumeTaskRequest,
    principal: Principal,
) -> TaskRow:
    """More room for a task that lives; one that asks continues at once."""
    made = len(row.attempts)
    chain = replace(row.chain, allowed=made + _more(wanted, made))
    if wanted.budget is not None:
        chain = replace(chain, budget=_budget(row, endpoint, wanted.budget))
    asks = row.phase == Phase.ASKING.value
    refused = refusal(chain, row.order, row.attempts) if asks else None
    if refused is not None:
        more = f"diamond resume {row.id} --budget '50 node-hours', or --attempts 10"
        raise BadRequest(refused.message, f"Allow more: {more}")
    steps = Steps(row.owner)
    steps.load(row)
    steps.allow(row.id, chain)
    if asks:
        steps.apply(row.id, Allowed(time.time(), by=principal.name))
    await steps.save(tx)
    saved = await row_of(tx.connection, row.id)
    assert saved is not None
    return saved


async def _as_new_task(
    tx: Transaction, row: TaskRow, endpoint: EndpointRow, wanted: ResumeTaskRequest
) -> TaskRow:
    """What ended keeps its end; the new task takes over its run directory."""
    _require_resumable(row)
    require_unsigned(row, endpoint)
    await _require_files(tx, row)
    job = await job_rows.find_job(tx.connection, row.job)
    if job is None:
        raise Conflict(f"The job of {row.id} is no longer there", "Run the spec again.")
    budget = _rest(row) if wanted.budget is None else _budget(row, endpoint, wanted.budget)
    chain = ChainRow(budget=budget, allowed=_more(wanted, 0), continues=row.id)
    refused = refusal(chain, row.order, [])
    if refused is not None:
        more = f"diamond resume {row.id} --budget '50 node-hours'"
        raise BadRequest(refused.message, f"Say how much it may use from now on: {more}")
    made = await make_task(
        tx, job=job, endpoint=endpoint, order=row.order, retry_of=row.id, chain=chain
    )
    used = await image_rows.image_used_by(tx.connection, row.id)
    if used:
        await image_rows.add_use(tx, image=used, task=made.id, owner=made.owner)
    return made


def _more(wanted: ResumeTaskRequest, made: int) -> int:
    """How many more attempts may begin before it asks."""
    return wanted.attempts or UNASKED_FOLLOW_UPS + (0 if made else 1)


def _budget(row: TaskRow, endpoint: EndpointRow, text: str) -> BudgetRow | None:
    return budget_of(text, row.order, effective_facts(endpoint).get("charge"))


def _rest(row: TaskRow) -> BudgetRow | None:
    """What is left of the old budget: continuing in a new task does not double it."""
    if row.chain.budget is None:
        return None
    left = spending(row.chain, row.resources, row.attempts).left
    return replace(row.chain.budget, amount=left)


async def _require_files(tx: Transaction, row: TaskRow) -> None:
    """Only one task can have the run directory."""
    for later in await tasks_after(tx.connection, row.id):
        has_files = later.state not in FINAL_WORDS or later.started is not None
        if later.chain.continues == row.id and has_files:
            raise Conflict(
                f"Task {later.id} already continues with the files of {row.id}",
                f"Continue from there, once it has ended: diamond resume {later.id}",
            )


def _require_resumable(row: TaskRow) -> None:
    if may_resume(row):
        return
    again = f"Start again: diamond retry {row.id}"
    if row.cleaned:
        raise Conflict(f"The files of {row.id} were removed", again)
    raise Conflict(f"{row.id} has {row.state}: there is nothing to continue", again)
