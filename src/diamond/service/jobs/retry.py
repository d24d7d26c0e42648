"""The same once more: a run with its image, or a build, which goes on where it failed."""

from __future__ import annotations

from typing import Any

from diamond.compose.spec_check import check
from diamond.core.errors import Conflict
from diamond.core.order import Build
from diamond.core.task import FINAL_WORDS, Reason
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import known_images
from diamond.service.endpoints.community import require_usable
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_rows
from diamond.service.images.image_requests import Ready, Wanted, endpoint_facts, want_build
from diamond.service.jobs.submit import add_run_task
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.projects.terms import require_place
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import make_task
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.store import find_task
from diamond.service.tasks.tasks import find_task as visible_task
from diamond.service.tasks.views import show_new_task

NEVER_SETTLED = (Reason.PROBES.value, Reason.BUDGET.value)
"""Why a task with `nodes: auto` may end before it has a number of nodes."""


async def repeat_task(tx: Transaction, row: TaskRow, job: JobRow, endpoint: EndpointRow) -> TaskRow:
    if row["kind"] == "build":
        return await repeat_build(tx, row, job, endpoint)
    if row["kind"] == "probe":
        raise Conflict("A probe belongs to its scale", "Begin that again: diamond scale start SPEC")
    if row["reason"] in NEVER_SETTLED and row["started"] is None:
        raise Conflict("It never got a number of nodes", "Name one in the spec, and run it again.")
    require_unsigned(row, endpoint)
    has_image = row.order.image is not None and bool(row.order.image.sha256)
    if not has_image and _needs_image(job["spec"].get("environment")):
        images = await known_images(tx.connection, row["owner"], job["spec"], [endpoint])
        spec = {**job["spec"], "on": endpoint["name"]}
        composed = check(
            spec, endpoints=[endpoint_facts(endpoint)], code=job["code"], images=images
        )
        return await add_run_task(tx, endpoint, job, composed, retry_of=row["id"])
    made = await make_task(tx, job=job, endpoint=endpoint, order=row.order, retry_of=row.id)
    used = await image_rows.image_used_by(tx.connection, row["id"])
    if used:
        await image_rows.add_use(tx, image=used, task=made.id, owner=made.owner)
    return made


def require_unsigned(row: TaskRow, endpoint: EndpointRow) -> None:
    """A signature is good for one task: whatever is to run anew on a machine that asks for one is signed anew."""
    if row.chain.signature and endpoint.policy.require_signed:
        raise Conflict(
            f"{endpoint['name']} takes only signed specs, and the signature of {row['id']} was used",
            f"Sign it anew on your computer: diamond run, with the spec of `diamond show {row['id']}`.",
            code="signature",
        )


async def repeat_build(
    tx: Transaction, row: TaskRow, job: JobRow, endpoint: EndpointRow
) -> TaskRow:
    wanted = Wanted(row.order.build or Build(), row.name, row.order, job.spec)
    begun = await want_build(tx, endpoint, wanted, retry_of=row["id"], afresh=True)
    assert not isinstance(begun, Ready)
    made = await find_task(tx.connection, begun.id)
    assert made is not None
    return made


def _needs_image(environment: Any) -> bool:
    if isinstance(environment, str):
        return True
    beyond = set(environment or {}) - {"requirements", "python", "variables"}
    return any((environment or {}).get(name) for name in beyond)


async def retry_task(services: Services, principal: Principal, task: str, key: str | None) -> Task:
    """A new task of the same job; the one that ended keeps its end."""

    async def retry(tx: Transaction) -> Task:
        row = await visible_task(tx.connection, principal, task, action=Action.WRITE)
        if row["state"] not in FINAL_WORDS:
            raise Conflict(
                f"{row['id']} has not ended yet: it is {row['state']}", "Cancel it first."
            )
        endpoint = await endpoint_by_id(tx.connection, row["endpoint"])
        job = await job_rows.find_job(tx.connection, row["job"])
        if endpoint is None or job is None:
            raise Conflict(
                f"Endpoint {row['endpoint_name']} is no longer there",
                "Run the spec on another one.",
            )
        await require_place(tx.connection, principal, row)
        await require_usable(tx.connection, principal.user, endpoint)
        return await show_new_task(tx.connection, await repeat_task(tx, row, job, endpoint))

    request = Once.of(key, "retry", task)
    return await once_as(Task, services.store, principal, request, retry)
