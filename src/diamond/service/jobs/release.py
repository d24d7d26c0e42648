"""A task that waited for probes continues with the node count they found, or ends because they found none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from diamond.compose.raw_spec import RawSpec, on_partition, with_nodes
from diamond.core.errors import DiamondError
from diamond.core.order import order_data
from diamond.core.task import FINAL_WORDS, Reason
from diamond.planning.budget import NodeUsage, parse_budget, rate_of
from diamond.service.composer.compose import composer_among
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.jobs.data import note_data_uses, stage_data, stage_trees
from diamond.service.jobs.images import OrderWithImage, note_image_use, order_with_image
from diamond.service.planning.advice import BudgetTooSmall, advice_within
from diamond.service.planning.rows import ProbeRow, ScaleRow
from diamond.service.planning.scale_store import DONE, FAILED
from diamond.service.platform.database.engine import Transaction
from diamond.service.projects.store import find_project
from diamond.service.projects.terms import terms_from
from diamond.service.tasks import job_store
from diamond.service.tasks.create import new_chain
from diamond.service.tasks.dependency_store import WAITING, add_dependencies, dependencies_of
from diamond.service.tasks.node_hours import require_room
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.store import find_task


async def release_waiting(tx: Transaction, scale: ScaleRow) -> None:
    task = await find_task(tx.connection, scale.for_task)
    if task is None or task.state in FINAL_WORDS or not await _waits(tx, task, scale.id):
        return
    try:
        await _release(tx, scale, task)
    except DiamondError as error:
        message = " ".join(part for part in (error.message, error.hint) if part)
        reason = Reason.BUDGET if isinstance(error, BudgetTooSmall) else Reason.PROBES
        steps = Steps(task.owner)
        await steps.fail(tx, task, scale.id, message, reason)
        await steps.save(tx)


async def _waits(tx: Transaction, task: TaskRow, scale: str) -> bool:
    known = (await dependencies_of(tx.connection, [task.id]))[task.id]
    return any(row.target == scale and row.state == WAITING for row in known)


def budget_left(budget: str, probes: Sequence[ProbeRow], rate: float | None) -> str:
    """What the probes used is subtracted from the task's own budget."""
    given = parse_budget(budget)
    started = [probe for probe in probes if probe.is_started]
    used = sum(NodeUsage(probe.nodes, _used_seconds(probe)).node_hours for probe in started)
    left = max(0.0, given.amount - rate_of(given, rate) * used)
    return f"{left:.6f} {given.unit}"


def _used_seconds(probe: ProbeRow) -> float:
    """One that has not ended yet may use its whole limit."""
    return (probe.used_seconds or 0.0) if probe.is_over else 60.0 * probe.minutes


async def _release(tx: Transaction, scale: ScaleRow, task: TaskRow) -> None:
    """The spec is composed here with its node count: hours may have passed since it was submitted."""
    endpoint = await endpoint_by_id(tx.connection, task.endpoint)
    job = await job_store.find_job(tx.connection, task.job)
    if scale.state != DONE or endpoint is None or job is None:
        _require_probes(scale)
        raise DiamondError(scale.message or "Its endpoint has been removed")
    spec = _settled_spec(scale, task, job, endpoint)
    composer = await composer_among(tx.connection, task.owner, spec, job.code, [endpoint])
    composed = composer.compose(spec)
    await job_store.settle_spec(tx, job.id, composed.spec)
    project = await find_project(tx.connection, task.project) if task.project else None
    terms = terms_from(project)
    ready = await order_with_image(tx, endpoint, composed, task.owner, terms)
    await note_image_use(tx, task, ready.image)
    await note_data_uses(tx, task, composed.data)
    waits = [ready.waits_for] if ready.waits_for else []
    waits += await stage_data(tx, endpoint, task.owner, composed.data)
    waits += await stage_trees(tx, endpoint, task.owner, composed, terms)
    await add_dependencies(tx, task, waits)
    await _submit(tx, scale, task, ready, endpoint)


def _settled_spec(scale: ScaleRow, task: TaskRow, job: JobRow, endpoint: EndpointRow) -> RawSpec:
    """With the advised node count, in the partition that was probed, and with what the probes left of the budget."""
    settings, order = scale.settings, task.order
    budget = budget_left(order.budget, scale.probes, settings.rate) if order.budget else ""
    advice = advice_within(scale, budget, order.resources.walltime_minutes)
    spec = with_nodes(job.spec, advice.nodes, advice.params)
    spec = on_partition(spec, endpoint.name, settings.partition)
    return {**spec, "budget": budget} if budget else spec


def _require_probes(scale: ScaleRow) -> None:
    """Raises if the budget left no room for a probe beside one attempt. (A cancelled scale skips its probes too.)"""
    if scale.state == FAILED and all(probe.is_skipped for probe in scale.probes):
        raise BudgetTooSmall(
            f"The budget leaves no room for a probe beside one attempt: {scale.probes[0].words}",
            "Run it again with a larger budget, or set the number of nodes.",
        )


async def _submit(
    tx: Transaction, scale: ScaleRow, task: TaskRow, ready: OrderWithImage, endpoint: EndpointRow
) -> None:
    """Now, or when its image and data are there."""
    order = ready.order
    left = await require_room(tx, task, order)
    chain = replace(new_chain(order, endpoint), person=task.chain.person, limit_hours=left)
    settled = replace(task, order_json=order_data(order), digest=order.digest, chain=chain)
    steps = Steps(task.owner)
    message = f"the probes found the node count: {order.resources.nodes}"
    await steps.meet(tx, settled, scale.id, message)
    await steps.save(tx)
