"""A task that waited for probes goes on with the number of nodes they told, or ends because they told none."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diamond.compose.spec_check import check
from diamond.core.errors import DiamondError
from diamond.core.events import PrepareFailed, Staging
from diamond.core.order import Order, order_data
from diamond.core.task import FINAL_WORDS, Reason
from diamond.planning.budget import NodeUsage, parse_budget, rate_of
from diamond.planning.probe_runs import ProbeState
from diamond.service.chains.grants import first_chain
from diamond.service.composer.compose import known_images
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_rows
from diamond.service.images.image_requests import ReadyImage, endpoint_facts
from diamond.service.jobs.submit import image_for
from diamond.service.planning.advice import TooDear, advice_within
from diamond.service.planning.node_count import settled_spec
from diamond.service.planning.scale_store import DONE, FAILED
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import Awaited
from diamond.service.tasks.dependency_store import set_awaited
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.store import find_task
from diamond.service.tasks.submit_command import submit_command

Data = Mapping[str, Any]


async def release_waiting(tx: Transaction, scale: Row) -> None:
    task = await find_task(tx.connection, scale["for_task"])
    if task is None or task["state"] in FINAL_WORDS or task["awaits"] != scale["id"]:
        return
    try:
        await _go_on(tx, scale, task)
    except DiamondError as error:
        words = " ".join(one for one in (error.message, error.hint) if one)
        reason = Reason.BUDGET if isinstance(error, TooDear) else Reason.PROBES
        await _say(tx, task, PrepareFailed(time.time(), task["attempt"], reason.value, words))


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


async def _go_on(tx: Transaction, scale: Row, task: Row) -> None:
    endpoint = await endpoint_by_id(tx.connection, task["endpoint"])
    job = await job_rows.find_job(tx.connection, task["job"])
    if scale["state"] != DONE or endpoint is None or job is None:
        _require_probes(scale)
        raise DiamondError(scale["message"] or "Its endpoint is no longer there")
    place = "/".join(one for one in (endpoint["name"], scale["wanted"]["partition"]) if one)
    budget = job["spec"].get("budget")
    if budget:
        budget = budget_left(budget, scale["probes"], scale["wanted"]["rate"])
    advice = advice_within(scale, budget, task["order"]["resources"]["walltime_minutes"])
    spec = {**settled_spec(job["spec"], advice), "on": place}
    spec |= {"budget": budget} if budget else {}
    images = await known_images(tx.connection, task["owner"], spec, [endpoint])
    facts = [endpoint_facts(endpoint)]
    composed = check(spec, endpoints=facts, code=job["code"], images=images)
    await job_rows.settle_spec(tx, job["id"], composed.spec)
    image = await image_for(tx, endpoint, composed, task["owner"])
    order = composed.order
    if isinstance(image, ReadyImage):
        order = replace(order, image=image.image)
        await image_rows.add_use(tx, image=image.id, task=task["id"], owner=task["owner"])
    await _submit(tx, task, order, endpoint, image if isinstance(image, Awaited) else None)


def _require_probes(scale: Row) -> None:
    """Raises where the budget, beside one attempt of the task, left room for none; one that is called off skips them too."""
    if scale["state"] == FAILED and all(
        one["state"] == ProbeState.SKIPPED.value for one in scale["probes"]
    ):
        raise TooDear(
            f"The budget holds no probe beside one attempt: {scale['probes'][0]['words']}",
            "Run it again with a larger budget, or name a number of nodes.",
        )


async def _submit(
    tx: Transaction, task: Row, order: Order, endpoint: EndpointRow, awaited: Awaited | None
) -> None:
    chain = first_chain(order, effective_facts(endpoint).get("charge"))
    chain |= {name: value for name, value in (task["chain"] or {}).items() if name == "person"}
    settled = {"order": order_data(order), "digest": order.digest, "chain": chain}
    if awaited:
        waiting = {"awaits": awaited.what, "phase": awaited.phase.value, "message": awaited.words}
        await set_awaited(tx, task["id"], {**settled, **waiting})
        return
    await set_awaited(tx, task["id"], settled)
    ready = {**task, **settled}
    await send(tx, [submit_command(ready)])
    words = f"the probes told how many nodes: {order.resources.nodes}"
    await _say(tx, ready, Staging(time.time(), task["attempt"], "code", words))


async def _say(tx: Transaction, task: Data, event: Staging | PrepareFailed) -> None:
    steps = Steps(task["owner"])
    steps.load({**task, "awaits": None})
    steps.apply(task["id"], event)
    await steps.save(tx)
