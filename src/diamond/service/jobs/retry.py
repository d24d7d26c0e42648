"""The same once more: a run with its image, or a build, which goes on where it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.compose.spec_check import check
from diamond.core.errors import Conflict
from diamond.core.order import build_from, order_from
from diamond.core.task import FINAL_WORDS, Reason
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import known_images
from diamond.service.endpoints.community import require_usable
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_rows
from diamond.service.images.image_requests import (
    ReadyImage,
    WantedBuild,
    endpoint_facts,
    request_build,
)
from diamond.service.jobs.submit import add_run_task
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.projects.terms import require_place
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import make_task
from diamond.service.tasks.store import find_task
from diamond.service.tasks.tasks import find_task as visible_task
from diamond.service.tasks.views import show_task

NEVER_SETTLED = (Reason.PROBES.value, Reason.BUDGET.value)
"""Why a task with `nodes: auto` may end before it has a number of nodes."""


async def repeat_task(tx: Transaction, row: Row, job: Row, endpoint: EndpointRow) -> dict[str, Any]:
    if row["kind"] == "build":
        return await repeat_build(tx, row, job, endpoint)
    if row["kind"] == "probe":
        raise Conflict("A probe belongs to its scale", "Begin that again: diamond scale start SPEC")
    if row["reason"] in NEVER_SETTLED and row["started"] is None:
        raise Conflict("It never got a number of nodes", "Name one in the spec, and run it again.")
    require_unsigned(row, endpoint)
    order = row["order"]
    has_image = bool((order.get("image") or {}).get("sha256"))
    if not has_image and _needs_image(job["spec"].get("environment")):
        images = await known_images(tx.connection, row["owner"], job["spec"], [endpoint])
        spec = {**job["spec"], "on": endpoint["name"]}
        composed = check(
            spec, endpoints=[endpoint_facts(endpoint)], code=job["code"], images=images
        )
        return await add_run_task(tx, endpoint, job, composed, retry_of=row["id"])
    made = await make_task(tx, job=job, endpoint=endpoint, order=order, retry_of=row["id"])
    used = await image_rows.image_used_by(tx.connection, row["id"])
    if used:
        await image_rows.add_use(tx, image=used, task=made["id"], owner=made["owner"])
    return made


def require_unsigned(row: Mapping[str, Any], endpoint: EndpointRow) -> None:
    """A signature is good for one task: whatever is to run anew on a machine that asks for one is signed anew."""
    signature = (row["chain"] or {}).get("signature")
    if signature and endpoint.policy.require_signed:
        raise Conflict(
            f"{endpoint['name']} takes only signed specs, and the signature of {row['id']} was used",
            f"Sign it anew on your computer: diamond run, with the spec of `diamond show {row['id']}`.",
            code="signature",
        )


async def repeat_build(
    tx: Transaction, row: Row, job: Row, endpoint: EndpointRow
) -> dict[str, Any]:
    order = order_from(row["order"])
    wanted = WantedBuild(build_from(row["order"]["build"]), row["name"], order, job["spec"])
    begun = await request_build(tx, endpoint, wanted, retry_of=row["id"], afresh=True)
    assert not isinstance(begun, ReadyImage)
    made = await find_task(tx.connection, begun.what)
    assert made is not None
    return dict(made)


def _needs_image(environment: Any) -> bool:
    if isinstance(environment, str):
        return True
    beyond = set(environment or {}) - {"requirements", "python", "variables"}
    return any((environment or {}).get(name) for name in beyond)


async def retry_task(
    services: Services, principal: Principal, task: str, key: str | None
) -> dict[str, Any]:
    """A new task of the same job; the one that ended keeps its end."""

    async def retry(tx: Transaction) -> dict[str, Any]:
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
        return show_task(await repeat_task(tx, row, job, endpoint))

    return await once(services.store, principal, Once.of(key, "retry", task), retry)
