"""Retry a task: a run with its image, or a build, which continues where it failed."""

from __future__ import annotations

from diamond.compose.raw_spec import needs_image_file, on_partition
from diamond.core.errors import Conflict
from diamond.core.task import FINAL_WORDS, Reason
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import composer_among
from diamond.service.endpoints.community import require_usable
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_store
from diamond.service.images.image_requests import ReadyImage, WantedBuild, request_build
from diamond.service.jobs.data import repeat_uses, stage_again
from diamond.service.jobs.images import note_image_use
from diamond.service.jobs.signatures import require_unsigned
from diamond.service.jobs.submit import add_run_task
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.projects.terms import ProjectTerms, require_still_allowed
from diamond.service.tasks import job_store
from diamond.service.tasks.create import PILOT, make_task, outside_pilots
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.store import find_task as task_by_id
from diamond.service.tasks.tasks import find_task
from diamond.service.tasks.views import show_new_task

NEVER_SETTLED = (Reason.PROBES.value, Reason.BUDGET.value)
"""Why a task with `nodes: auto` may end before it has a node count."""


async def retry_task(services: Services, principal: Principal, task: str, key: str | None) -> Task:
    """A new task of the same job; the ended task stays as it is."""

    async def retry(tx: Transaction) -> Task:
        old = await find_task(tx.connection, principal, task, action=Action.WRITE)
        if old.state not in FINAL_WORDS:
            raise Conflict(f"{old.id} has not ended yet: it is {old.state}", "Cancel it first.")
        endpoint = await endpoint_by_id(tx.connection, old.endpoint)
        job = await job_store.find_job(tx.connection, old.job)
        if endpoint is None or job is None:
            raise Conflict(
                f"Endpoint {old.endpoint_name} has been removed", "Run the spec on another one."
            )
        terms = await require_still_allowed(
            tx.connection,
            principal,
            project=old.project,
            endpoint=old.endpoint,
            endpoint_name=old.endpoint_name,
        )
        await require_usable(tx.connection, principal.user, endpoint)
        made = await _repeat(tx, old, job, endpoint, terms)
        return await show_new_task(tx.connection, made)

    return await once_as(Task, services.store, principal, Once.of(key, "retry", task), retry)


async def _repeat(
    tx: Transaction, old: TaskRow, job: JobRow, endpoint: EndpointRow, terms: ProjectTerms
) -> TaskRow:
    if old.kind == "build":
        return await _repeat_build(tx, old, job, endpoint)
    terms.require_no_uploads(job.spec, job.code)
    if old.kind == "probe":
        raise Conflict("A probe belongs to its scale", "Start that again: diamond scale start SPEC")
    if old.kind == PILOT:
        raise Conflict("A pilot is not retried", "Start another: diamond pilot start")
    if old.reason in NEVER_SETTLED and old.started is None:
        raise Conflict(
            "It never got a node count", "Set the number of nodes in the spec, and run it again."
        )
    require_unsigned(old, endpoint)
    image = old.order.image
    has_image = image is not None and bool(image.sha256)
    if not has_image and needs_image_file(job.spec):
        spec = on_partition(job.spec, endpoint.name, "")
        composer = await composer_among(tx.connection, old.owner, spec, job.code, [endpoint])
        return await add_run_task(
            tx, endpoint, job, composer.compose(spec), retry_of=old.id, terms=terms
        )
    waits = await stage_again(tx, endpoint, old)
    made = await make_task(
        tx,
        job=job,
        endpoint=endpoint,
        order=outside_pilots(old.order),
        retry_of=old.id,
        dependencies=waits,
    )
    await repeat_uses(tx, old, made)
    used = await image_store.image_used_by(tx.connection, old.id)
    await note_image_use(tx, made, used or "")
    return made


async def _repeat_build(
    tx: Transaction, old: TaskRow, job: JobRow, endpoint: EndpointRow
) -> TaskRow:
    build = old.order.build
    assert build is not None
    wanted = WantedBuild(build, old.name, old.order, job.spec)
    started = await request_build(tx, endpoint, wanted, retry_of=old.id, always_new=True)
    assert not isinstance(started, ReadyImage)
    made = await task_by_id(tx.connection, started.id)
    assert made is not None
    return made
