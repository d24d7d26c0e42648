"""A person lets a chain go on: the task itself while it has not ended, else a new task in the same run directory."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from diamond.core.errors import BadRequest, Conflict
from diamond.core.events import Allowed
from diamond.core.order import order_from
from diamond.core.task import FINAL_WORDS, Phase
from diamond.planning.budget import UNASKED_FOLLOW_UPS
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.chains.grants import budget_data, refusal, spending
from diamond.service.chains.view import may_resume
from diamond.service.endpoints.community import require_usable
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_rows
from diamond.service.jobs.retry import require_unsigned
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.projects.terms import require_place
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import make_task
from diamond.service.tasks.schemas import GoOnRequest
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.store import find_task as row_of
from diamond.service.tasks.store import tasks_after
from diamond.service.tasks.tasks import find_task
from diamond.service.tasks.views import show_task


async def resume_task(
    services: Services,
    principal: Principal,
    task: str,
    wanted: GoOnRequest,
    key: str | None,
) -> dict[str, Any]:
    async def resume(tx: Transaction) -> dict[str, Any]:
        row = await find_task(tx.connection, principal, task, action=Action.WRITE)
        endpoint = await endpoint_by_id(tx.connection, row["endpoint"])
        if endpoint is None:
            raise Conflict(f"Endpoint {row['endpoint_name']} is no longer there", "Run it anew.")
        if row["state"] in FINAL_WORDS:
            await require_place(tx.connection, principal, row)
            await require_usable(tx.connection, principal.user, endpoint)
            return show_task(await _as_new_task(tx, row, endpoint, wanted))
        return show_task(await _allow(tx, row, endpoint, wanted, principal))

    request = Once.of(key, "resume", {"task": task, **wanted.model_dump()})
    return await once(services.store, principal, request, resume)


async def _allow(
    tx: Transaction,
    row: Mapping[str, Any],
    endpoint: EndpointRow,
    wanted: GoOnRequest,
    principal: Principal,
) -> Mapping[str, Any]:
    """More room for a task that lives; one that asks goes on at once."""
    chain = {**(row["chain"] or {}), **_ceiling(row, endpoint, wanted, len(row["attempts"]))}
    asks = row["phase"] == Phase.ASKING.value
    refused = refusal(chain, row["order"], row["attempts"]) if asks else None
    if refused is not None:
        more = f"diamond resume {row['id']} --budget '50 node-hours', or --attempts 10"
        raise BadRequest(refused.message, f"Allow more: {more}")
    steps = Steps(row["owner"])
    steps.load(row)
    steps.allow(row["id"], chain)
    if asks:
        steps.apply(row["id"], Allowed(time.time(), by=principal.name))
    await steps.save(tx)
    saved = await row_of(tx.connection, row["id"])
    assert saved is not None
    return saved


async def _as_new_task(
    tx: Transaction, row: Mapping[str, Any], endpoint: EndpointRow, wanted: GoOnRequest
) -> Mapping[str, Any]:
    """What ended keeps its end; the new task takes over its run directory."""
    _require_resumable(row)
    require_unsigned(row, endpoint)
    await _require_files(tx, row)
    job = await job_rows.find_job(tx.connection, row["job"])
    if job is None:
        raise Conflict(f"The job of {row['id']} is no longer there", "Run the spec again.")
    chain = {**_ceiling(row, endpoint, wanted, 0), "continues": row["id"]}
    chain.setdefault("budget", _rest(row))
    refused = refusal(chain, row["order"], [])
    if refused is not None:
        more = f"diamond resume {row['id']} --budget '50 node-hours'"
        raise BadRequest(refused.message, f"Say how much it may use from now on: {more}")
    made = await make_task(
        tx, job=job, endpoint=endpoint, order=row["order"], retry_of=row["id"], chain=chain
    )
    used = await image_rows.image_used_by(tx.connection, row["id"])
    if used:
        await image_rows.add_use(tx, image=used, task=made["id"], owner=made["owner"])
    return made


def _ceiling(
    row: Mapping[str, Any], endpoint: EndpointRow, wanted: GoOnRequest, made: int
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if wanted.budget is not None:
        charges = effective_facts(endpoint).get("charge")
        found["budget"] = budget_data(wanted.budget, order_from(dict(row["order"])), charges)
    more = wanted.attempts or UNASKED_FOLLOW_UPS + (0 if made else 1)
    return {**found, "allowed": made + more}


def _rest(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is left of the old budget: going on by a new task does not double it."""
    chain = row["chain"] or {}
    if not chain.get("budget"):
        return None
    left = spending(chain, order_from(dict(row["order"])), row["attempts"]).left
    return {**chain["budget"], "amount": left}


async def _require_files(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Only one task can have the run directory."""
    for later in await tasks_after(tx.connection, row["id"]):
        goes_on = (later["chain"] or {}).get("continues") == row["id"]
        if goes_on and (later["state"] not in FINAL_WORDS or later["started"] is not None):
            raise Conflict(
                f"Task {later['id']} already goes on with the files of {row['id']}",
                f"Go on from there, once it has ended: diamond resume {later['id']}",
            )


def _require_resumable(row: Mapping[str, Any]) -> None:
    if may_resume(row):
        return
    anew = f"Start anew: diamond retry {row['id']}"
    if row["cleaned"]:
        raise Conflict(f"The files of {row['id']} were removed", anew)
    raise Conflict(
        f"{row['id']} has {row['state']}: there is nothing to go on with",
        anew,
    )
