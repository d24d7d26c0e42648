"""A task that waited for probes goes on with the number of nodes they told, or ends because they told none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diamond.compose.spec_check import check
from diamond.core.dependencies import Dependency
from diamond.core.errors import DiamondError
from diamond.core.order import order_data
from diamond.core.task import FINAL_WORDS, Reason
from diamond.planning.budget import NodeUsage, parse_budget, rate_of
from diamond.planning.probe_runs import ProbeState
from diamond.service.composer.compose import known_images
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_rows
from diamond.service.images.image_requests import Ready, endpoint_facts
from diamond.service.jobs.submit import image_for
from diamond.service.planning.advice import TooDear, advice_within
from diamond.service.planning.node_count import settled_spec
from diamond.service.planning.scale_store import DONE, FAILED
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import new_chain
from diamond.service.tasks.dependency_store import WAITING, add_dependencies, dependencies_of
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.store import find_task

Data = Mapping[str, Any]


async def release_waiting(tx: Transaction, scale: Row) -> None:
    task = await find_task(tx.connection, scale["for_task"])
    if task is None or task.state in FINAL_WORDS or not await _waits(tx, task, scale["id"]):
        return
    try:
        await _go_on(tx, scale, task)
    except DiamondError as error:
        words = " ".join(one for one in (error.message, error.hint) if one)
        reason = Reason.BUDGET if isinstance(error, TooDear) else Reason.PROBES
        steps = Steps(task.owner)
        await steps.fail(tx, task, scale["id"], words, reason)
        await steps.save(tx)


async def _waits(tx: Transaction, task: TaskRow, scale: str) -> bool:
    known = (await dependencies_of(tx.connection, [task.id]))[task.id]
    return any(row.target == scale and row.state == WAITING for row in known)


def budget_left(budget: str, probes: list[dict[str, Any]], rate: float | None) -> str:
    """What the probes used is taken from the task's own budget."""
    given = parse_budget(budget)
    used = sum(
        NodeUsage(one["nodes"], _used_seconds(one)).node_hours for one in probes if one["task"]
    )
    left = max(0.0, given.amount - rate_of(given, rate) * used)
    return f"{left:.6f} {given.unit}"


def _used_seconds(probe: Data) -> float:
    """One that has not ended yet may use its whole limit."""
    return float(probe["used_seconds"] if probe["is_over"] else 60 * probe["minutes"])


async def _go_on(tx: Transaction, scale: Row, task: TaskRow) -> None:
    endpoint = await endpoint_by_id(tx.connection, task["endpoint"])
    job = await job_rows.find_job(tx.connection, task["job"])
    if scale["state"] != DONE or endpoint is None or job is None:
        _require_probes(scale)
        raise DiamondError(scale["message"] or "Its endpoint is no longer there")
    place = "/".join(one for one in (endpoint["name"], scale["wanted"]["partition"]) if one)
    budget = job["spec"].get("budget")
    if budget:
        budget = budget_left(budget, scale["probes"], scale["wanted"]["rate"])
    advice = advice_within(scale, budget, task.resources.walltime_minutes)
    spec = {**settled_spec(job["spec"], advice), "on": place}
    spec |= {"budget": budget} if budget else {}
    images = await known_images(tx.connection, task["owner"], spec, [endpoint])
    facts = [endpoint_facts(endpoint)]
    composed = check(spec, endpoints=facts, code=job["code"], images=images)
    await job_rows.settle_spec(tx, job["id"], composed.spec)
    image = await image_for(tx, endpoint, composed, task["owner"])
    order = composed.order
    if isinstance(image, Ready):
        order = replace(order, image=image.found)
        await image_rows.add_use(tx, image=image.image, task=task["id"], owner=task["owner"])
    if isinstance(image, Dependency):
        await add_dependencies(tx, task, [image])
    chain = replace(new_chain(order, endpoint), person=task.chain.person)
    settled = replace(task, order_json=order_data(order), digest=order.digest, chain=chain)
    steps = Steps(task.owner)
    message = f"the probes found the number of nodes: {order.resources.nodes}"
    await steps.meet(tx, settled, scale["id"], message)
    await steps.save(tx)


def _require_probes(scale: Row) -> None:
    """Raises where the budget, beside one attempt of the task, left room for none; one that is called off skips them too."""
    if scale["state"] == FAILED and all(
        one["state"] == ProbeState.SKIPPED.value for one in scale["probes"]
    ):
        raise TooDear(
            f"The budget holds no probe beside one attempt: {scale['probes'][0]['words']}",
            "Run it again with a larger budget, or name a number of nodes.",
        )
