"""The second run: the same code, image, data and parameters, as a job of whoever asks."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from diamond.compose.raw_spec import RawSpec, needs_image_file
from diamond.core import ids
from diamond.core.artifacts import plain_digest
from diamond.core.errors import Conflict, InvalidSpec
from diamond.core.task import FINAL_WORDS
from diamond.provenance.tolerance import parse_tolerances
from diamond.service.access.principal import Principal, Role
from diamond.service.composer.request import RequestedSpec
from diamond.service.composer.shared_code import take_shared_code
from diamond.service.endpoints.community import require_usable
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images import store as image_store
from diamond.service.jobs import submit
from diamond.service.jobs.data import repeat_uses, stage_again
from diamond.service.jobs.images import note_image_use
from diamond.service.jobs.signatures import require_unsigned
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project
from diamond.service.projects.terms import require_still_allowed
from diamond.service.reproduce import store
from diamond.service.reproduce.results import hash_results
from diamond.service.reproduce.rows import RUNNING, ReproductionRow
from diamond.service.reproduce.schemas import ReproduceBody
from diamond.service.reproduce.spec_again import spec_again
from diamond.service.tasks import job_store
from diamond.service.tasks.create import make_task
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.tasks import load_task

REPRODUCIBLE = ("run", "trial")
WAIT_SECONDS = 5.0
"""While a person waits. An endpoint that is online but silent is asked again when the second run has ended."""


async def start_reproduction(
    services: Services, principal: Principal, task: str, body: ReproduceBody
) -> ReproductionRow:
    parse_tolerances(body.tolerance)
    original = await load_task(services, principal, task)
    job = await _job(services, original)
    missing = await _missing(services, original, job, body)
    if missing:
        raise Conflict(
            f"{original.id} cannot be reproduced: {'; '.join(missing)}",
            "Bring back what is missing, or run it on another endpoint: diamond reproduce TASK --on ENDPOINT",
            code="not-reproducible",
        )
    hashed = await hash_results(services, original, patience=WAIT_SECONDS)
    made, endpoint = await _run_again(services, principal, original, job, body)
    row = ReproductionRow(
        task=made,
        owner=principal.user,
        original=original.id,
        endpoint=endpoint,
        state=RUNNING,
        asked={"tolerance": list(body.tolerance)},
        evidence={
            "files": dict(hashed.files) if hashed.files is not None else None,
            "why": hashed.why,
        },
        verdict=None,
        created=time.time(),
        judged=None,
    )
    await services.store.run(lambda tx: store.add_reproduction(tx, row))
    return row


async def _job(services: Services, original: TaskRow) -> JobRow:
    if original.kind not in REPRODUCIBLE:
        raise Conflict(
            f"{original.id} is a {original.kind}: it trained nothing",
            "Runs, stages of pipelines and trials of studies can be reproduced.",
        )
    if original.state not in FINAL_WORDS:
        raise Conflict(
            f"{original.id} has not ended: it is {original.state}", "Wait for its end first."
        )
    async with services.store.read() as connection:
        job = await job_store.find_job(connection, original.job)
    if job is None:
        raise Conflict(f"The spec of {original.id} is gone", code="not-reproducible")
    return job


async def _missing(
    services: Services, original: TaskRow, job: JobRow, body: ReproduceBody
) -> list[str]:
    """What a second run needs and nobody has any more."""
    missing = []
    snapshot = original.order.code.snapshot if original.order.code else ""
    wanted = [_prefixed(snapshot)] if snapshot else []
    gone = await asyncio.to_thread(lambda: list(services.blobs.missing(wanted)))
    if gone:
        missing.append(f"its code {plain_digest(snapshot)[:12]} is no longer stored")
    if not body.on or body.on == original.endpoint_name:
        async with services.store.read() as connection:
            endpoint = await endpoint_by_id(connection, original.endpoint)
        if endpoint is None:
            missing.append(f"its endpoint {original.endpoint_name} was removed")
    return missing


def _prefixed(digest: str) -> str:
    return f"sha256:{plain_digest(digest)}"


async def _run_again(
    services: Services, principal: Principal, original: TaskRow, job: JobRow, body: ReproduceBody
) -> tuple[str, str]:
    """The new task and the name of its endpoint."""
    is_there = not body.on or body.on == original.endpoint_name
    if is_there and original.owner == principal.user and await _has_image(services, original, job):
        made = await services.store.run(
            lambda tx: _same_order(tx, principal, original, job, body.project)
        )
        return made.id, made.endpoint_name
    if job.code is not None:
        await take_shared_code(services, principal, job.code)
    async with services.store.read() as connection:
        spec = await spec_again(connection, principal, original, job, body.on)
    given = {"account": body.account} if body.account else {}
    try:
        return await _submitted(services, principal, {**spec, **given}, job, body)
    except InvalidSpec as error:
        known = job.spec.get("account")
        if given or not known or not any(fault.get("field") == "account" for fault in error.faults):
            raise
        # Groups often have an account of the same name on several machines.
        return await _submitted(services, principal, {**spec, "account": known}, job, body)


async def _submitted(
    services: Services, principal: Principal, spec: RawSpec, job: JobRow, body: ReproduceBody
) -> tuple[str, str]:
    submission = submit.Submission(RequestedSpec(spec, job.code), project=body.project)
    task = (await submit.submit(services, principal, submission)).tasks[0]
    return task.id, task.endpoint


async def _has_image(services: Services, original: TaskRow, job: JobRow) -> bool:
    """Whether the file that the order names is still on its endpoint, or it needs none."""
    image = original.order.image
    if image is None or not image.sha256:
        return not needs_image_file(job.spec)
    async with services.store.read() as connection:
        copies = await image_store.copies_on(connection, original.endpoint)
    return any(copy.sha256 == image.sha256 for copy in copies)


async def _same_order(
    tx: Transaction, principal: Principal, original: TaskRow, job: JobRow, project: str
) -> TaskRow:
    """On the same machine: the very order, so the same image file, the same code, the same words.

    What ran in a pilot is a batch job of its own now: the pilot may have ended.
    """
    endpoint = await endpoint_by_id(tx.connection, original.endpoint)
    assert isinstance(endpoint, EndpointRow)
    shown_in = original.project
    if project:
        shown_in = (await find_project(tx.connection, principal, project, Role.MEMBER)).id
    terms = await require_still_allowed(
        tx.connection,
        principal,
        project=shown_in,
        endpoint=original.endpoint,
        endpoint_name=original.endpoint_name,
    )
    terms.require_no_uploads(job.spec, job.code)
    require_unsigned(original, endpoint)
    await require_usable(tx.connection, principal.user, endpoint)
    order = replace(original.order, placement=replace(original.order.placement, pilot=""))
    again = replace(
        job, id=ids.new_id(ids.JOB), created=time.time(), assignment="", project=shown_in
    )
    await job_store.add_job(tx, again)
    waits = await stage_again(tx, endpoint, original)
    made = await make_task(tx, job=again, endpoint=endpoint, order=order, dependencies=waits)
    await repeat_uses(tx, original, made)
    used = await image_store.image_used_by(tx.connection, original.id)
    await note_image_use(tx, made, used or "")
    return made
