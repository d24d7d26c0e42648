"""`nodes: auto`: the number that the newest fitting scale advises; without one, a task waits while probes find out."""

from __future__ import annotations

from typing import Any

from diamond.compose.spec_check import Composed, check
from diamond.core import ids
from diamond.core.order import order_data
from diamond.core.task import Phase
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import known_images, require_snapshot
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.image_requests import endpoint_facts
from diamond.service.jobs import submit as jobs
from diamond.service.planning.node_count import (
    GOAL,
    endpoint_of,
    is_auto,
    known_count,
    waiting_message,
)
from diamond.service.planning.scale_schemas import ScaleRequest
from diamond.service.planning.scales import Waiting, add_scale
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.projects.terms import Place, place_of
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import Awaited, make_task, new_job
from diamond.service.tasks.views import show_job, show_task

UNKEPT = "The plan is not kept with it: it was made for one node, and probes have yet to tell how many it gets."
Spec = dict[str, Any]
Code = dict[str, Any] | None


async def submit_job(
    services: Services,
    principal: Principal,
    spec: Spec,
    code: Code,
    key: str | None,
    project: str = "",
    prediction: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A prediction of a task that still has no number of nodes would be one of another task: it is left out."""
    if not is_auto(spec):
        return await jobs.submit_job(services, principal, spec, code, key, project, prediction)
    require(principal, Action.WRITE, owner=principal.user)
    require_snapshot(services, code)

    async def make(tx: Transaction) -> dict[str, Any]:
        place = await place_of(tx.connection, principal, project)
        return await _make(tx, principal.user, place.settled(spec), code, place, prediction)

    wanted = Once.of(key, "POST /jobs", {"spec": spec, "code": code, "project": project})
    return await once(services.store, principal, wanted, make)


async def _make(
    tx: Transaction,
    owner: str,
    spec: Spec,
    code: Code,
    place: Place,
    prediction: dict[str, Any] | None,
) -> dict[str, Any]:
    found = place.among(await endpoint_rows.list_endpoints(tx.connection, owner))
    place.require_no_store(spec, code)
    images = await known_images(tx.connection, owner, spec, found)
    facts = [endpoint_facts(row) for row in found]
    composed = check(spec, endpoints=facts, code=code, images=images)
    endpoint = endpoint_of(found, composed)
    known = await known_count(tx.connection, endpoint, composed)
    if known is None:
        made = await _wait(tx, endpoint, composed, spec, code, place.id)
        return {**made, "warnings": [*made["warnings"], *([UNKEPT] if prediction else [])]}
    settled, words = known
    composed = check(settled, endpoints=facts, code=code, images=images)
    made = await jobs.make_job(tx, endpoint, composed, code, place, {"prediction": prediction})
    return {**made, "warnings": [words, *made["warnings"]]}


async def _wait(
    tx: Transaction, endpoint: EndpointRow, composed: Composed, spec: Spec, code: Code, project: str
) -> dict[str, Any]:
    """A task that is submitted when its scale has told how many nodes it gets."""
    job = new_job(composed, endpoint["owner"], code, project)
    await job_rows.add_job(tx, job)
    scale = ids.new_id(ids.SCALE)
    words = f"short runs find out how many nodes it is worth, then it is queued (scale {scale})"
    awaited = Awaited(scale, words, Phase.PROBING)
    task = await make_task(
        tx, job=job, endpoint=endpoint, order=order_data(composed.order), awaited=awaited
    )
    body = ScaleRequest(goal=GOAL)
    await add_scale(tx, endpoint["owner"], spec, code, body, Waiting(task["id"], scale))
    shown = {"job": show_job(job, [task["id"]]), "tasks": [show_task(task)]}
    return {**shown, "warnings": [waiting_message(), *composed.warnings]}
