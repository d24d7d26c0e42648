"""An owner lets a chain continue: the task itself while it has not ended, else a new task in the same run directory."""

from __future__ import annotations

import time
from dataclasses import replace

from diamond.core.errors import BadRequest, Conflict, DiamondError
from diamond.core.events import Allowed, NotAllowed
from diamond.core.task import FINAL_WORDS, Phase
from diamond.planning.budget import UNASKED_FOLLOW_UPS
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.chains.grants import budget_of, refusal, spending
from diamond.service.chains.rows import BudgetRow, ChainRow
from diamond.service.chains.view import may_resume
from diamond.service.endpoints.community import require_usable
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_store
from diamond.service.jobs.data import repeat_uses, stage_again
from diamond.service.jobs.images import note_image_use
from diamond.service.jobs.signatures import require_unsigned
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.projects.terms import require_still_allowed
from diamond.service.tasks import job_store
from diamond.service.tasks.create import PILOT, make_task, outside_pilots
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import ResumeTaskRequest, Task
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.store import find_task as task_by_id
from diamond.service.tasks.store import tasks_after
from diamond.service.tasks.tasks import find_task
from diamond.service.tasks.views import show_new_task, show_tasks


async def resume_task(
    services: Services, principal: Principal, task: str, wanted: ResumeTaskRequest, key: str | None
) -> Task:
    async def resume(tx: Transaction) -> Task:
        row = await find_task(tx.connection, principal, task, action=Action.WRITE)
        endpoint = await endpoint_by_id(tx.connection, row.endpoint)
        if endpoint is None:
            raise Conflict(
                f"Endpoint {row.endpoint_name} has been removed", "Run the spec on another one."
            )
        await require_still_allowed(
            tx.connection,
            principal,
            project=row.project,
            endpoint=row.endpoint,
            endpoint_name=row.endpoint_name,
        )
        await require_usable(tx.connection, principal.user, endpoint)
        if row.state not in FINAL_WORDS:
            allowed = await _allow_more(tx, row, endpoint, wanted, principal)
            return (await show_tasks(tx.connection, [allowed]))[0]
        made = await _as_new_task(tx, row, endpoint, wanted)
        return await show_new_task(tx.connection, made)

    request = Once.of(key, "resume", {"task": task, **wanted.model_dump()})
    return await once_as(Task, services.store, principal, request, resume)


async def _allow_more(
    tx: Transaction,
    task: TaskRow,
    endpoint: EndpointRow,
    wanted: ResumeTaskRequest,
    principal: Principal,
) -> TaskRow:
    """A higher limit for a task that has not ended; one that asks for it continues at once."""
    made = len(task.attempts)
    chain = replace(task.chain, allowed=made + _more_attempts(wanted, made))
    if wanted.budget is not None:
        chain = replace(chain, budget=_new_budget(task, endpoint, wanted.budget))
    steps = Steps(task.owner)
    await steps.load(tx, task)
    chain = steps.allow(task.id, chain)
    if wanted.budget is not None:
        _require_within_limits(chain)
    asks = task.phase == Phase.ASKING.value
    refused = refusal(chain, task.order, task.attempts) if asks else None
    if refused is not None:
        raise _explained(refused, task, chain)
    if asks:
        steps.apply(task.id, Allowed(time.time(), by=principal.name))
    await steps.save(tx)
    saved = await task_by_id(tx.connection, task.id)
    assert saved is not None
    return saved


async def _as_new_task(
    tx: Transaction, task: TaskRow, endpoint: EndpointRow, wanted: ResumeTaskRequest
) -> TaskRow:
    """The ended task stays as it is; the new task takes over its run directory."""
    if task.kind == PILOT:
        raise Conflict(
            "A pilot that has ended is not resumed", "Start another: diamond pilot start"
        )
    _require_resumable(task)
    require_unsigned(task, endpoint)
    await _require_free_run_directory(tx, task)
    job = await job_store.find_job(tx.connection, task.job)
    if job is None:
        raise Conflict(f"The job of {task.id} has been removed", "Run the spec again.")
    if wanted.budget is None:
        budget = _rest_of_budget(task)
    else:
        budget = _new_budget(task, endpoint, wanted.budget)
    chain = ChainRow(budget=budget, allowed=_more_attempts(wanted, 0), continues=task.id)
    refused = refusal(chain, task.order, [])
    if refused is not None:
        more = f"diamond resume {task.id} --budget '50 node-hours'"
        raise BadRequest(refused.message, f"Say how much it may use from now on: {more}")
    made = await make_task(
        tx,
        job=job,
        endpoint=endpoint,
        order=outside_pilots(task.order),
        retry_of=task.id,
        chain=chain,
        dependencies=await stage_again(tx, endpoint, task),
    )
    await repeat_uses(tx, task, made)
    if wanted.budget is not None:
        _require_within_limits(made.chain)
    used = await image_store.image_used_by(tx.connection, task.id)
    await note_image_use(tx, made, used or "")
    return made


def _require_within_limits(chain: ChainRow) -> None:
    """A task gets no more than its owner's limits leave."""
    budget, left = chain.budget, chain.limit_hours
    if budget is None or left is None or budget.amount <= budget.rate * left * (1 + 1e-9):
        return
    raise Conflict(
        f"Your limits leave {max(0.0, left):.4g} node-hours for this task, which is less than a budget of "
        f"{budget.amount:.4g} {budget.unit}",
        "Set a smaller budget, or ask an administrator or a manager of the project for more.",
        code="over-limit",
    )


def _explained(refused: NotAllowed, task: TaskRow, chain: ChainRow) -> DiamondError:
    """A limit is not the owner's to raise; a budget is."""
    unlimited = replace(chain, limit_hours=None)
    if refusal(unlimited, task.order, task.attempts) is None:
        message = f"{refused.message[0].upper()}{refused.message[1:]}"
        hint = "Wait, or ask an administrator or a manager of the project for more."
        return Conflict(message, hint, code="over-limit")
    more = f"diamond resume {task.id} --budget '50 node-hours', or --attempts 10"
    return BadRequest(refused.message, f"Allow more: {more}")


def _more_attempts(wanted: ResumeTaskRequest, made: int) -> int:
    """How many more may start before it asks."""
    return wanted.attempts or UNASKED_FOLLOW_UPS + (0 if made else 1)


def _new_budget(task: TaskRow, endpoint: EndpointRow, text: str) -> BudgetRow | None:
    return budget_of(text, task.order, effective_facts(endpoint).get("charge"))


def _rest_of_budget(task: TaskRow) -> BudgetRow | None:
    """A new task continues within the same budget: it does not double it."""
    if task.chain.budget is None:
        return None
    left = spending(task.chain, task.resources, task.attempts).left
    return replace(task.chain.budget, amount=left)


async def _require_free_run_directory(tx: Transaction, task: TaskRow) -> None:
    """Only one task can have the run directory."""
    for later in await tasks_after(tx.connection, task.id):
        has_files = later.state not in FINAL_WORDS or later.started is not None
        if later.chain.continues == task.id and has_files:
            raise Conflict(
                f"Task {later.id} already continues with the files of {task.id}",
                f"Resume that one, once it has ended: diamond resume {later.id}",
            )


def _require_resumable(task: TaskRow) -> None:
    if may_resume(task):
        return
    retry = f"Start from the beginning: diamond retry {task.id}"
    if task.cleaned:
        raise Conflict(f"The files of {task.id} were removed", retry)
    raise Conflict(f"{task.id} has {task.state}: there is nothing to continue", retry)
