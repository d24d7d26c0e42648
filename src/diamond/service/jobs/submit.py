"""Submission from top to bottom: resolve, compose, node count, image, persist, send. A check stops before the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.raw_spec import RawSpec, is_study
from diamond.compose.spec_check import Composed
from diamond.core import ids
from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.errors import InvalidSpec
from diamond.core.order import Order, order_data
from diamond.service.access.principal import Principal
from diamond.service.chains.rows import ChainRow
from diamond.service.composer.compose import Composer, resolve
from diamond.service.composer.request import RequestedSpec
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.jobs.data import note_data_uses, stage_data, stage_trees
from diamond.service.jobs.images import note_image_use, order_with_image
from diamond.service.jobs.schemas import Checked, Signature
from diamond.service.jobs.signatures import require_as_signed, require_signable
from diamond.service.output import files
from diamond.service.planning.node_count import GOAL, settle_node_count
from diamond.service.planning.plans import plan_for, prediction_of
from diamond.service.planning.scale_schemas import ScaleRequest
from diamond.service.planning.scales import ForTask, add_scale
from diamond.service.platform.audit import about_call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.projects.terms import NO_PROJECT, ProjectTerms
from diamond.service.tasks import job_store
from diamond.service.tasks.create import make_task, new_chain, new_job
from diamond.service.tasks.goal_schemas import Goal, Prediction
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.schemas import Submitted
from diamond.service.tasks.views import show_job, show_new_task

PLAN_NOT_KEPT = "The plan is not kept with the task: it assumed one node, and probes have yet to find the node count."
EACH_CALL = Once.of(None, "POST /jobs", None)
"""Without an idempotency key: every call submits a job."""


@dataclass(frozen=True)
class Submission:
    """What a person submits, whichever way it came in: as a spec, a recipe or an assignment."""

    requested: RequestedSpec
    project: str = ""
    """Name or id of the project whose members will see it."""
    goal: Goal | None = None
    """A plan is made for it, and kept with the task."""
    signature: Signature | None = None
    assignment: str = ""
    """The id of the course's assignment that it works on."""
    once: Once = EACH_CALL


@dataclass(frozen=True)
class Prepared:
    """A submission with everything decided that can be decided without changing anything."""

    composer: Composer
    composed: Composed
    endpoint: EndpointRow
    needs_probes: bool
    """`nodes: auto`, and no scale has measured this spec."""
    prediction: Prediction | None


async def submit(services: Services, principal: Principal, submission: Submission) -> Submitted:
    if is_study(submission.requested.spec):
        raise InvalidSpec(
            "This spec has a `study:` block: it is a search, not one run",
            "Start it with `diamond run`, `Client.study` or POST /studies; or remove the block.",
        )

    async def work(tx: Transaction) -> Submitted:
        prepared = await _prepare(services, tx.connection, principal, submission)
        return await _persist(tx, principal, submission, prepared)

    return await once_as(Submitted, services.store, principal, submission.once, work)


async def check(
    services: Services, principal: Principal, submission: Submission, *, script: bool = False
) -> Checked:
    """What `submit` would do with it; nothing is changed."""
    async with services.store.read() as connection:
        prepared = await _prepare(services, connection, principal, submission)
    composed = prepared.composed
    return Checked(
        order=order_data(composed.order),
        endpoint=composed.endpoint,
        warnings=composed.warnings,
        notes=composed.notes,
        script=await files.preview_script(services, principal, composed) if script else None,
    )


async def _prepare(
    services: Services, connection: AsyncConnection, principal: Principal, submission: Submission
) -> Prepared:
    """Resolve, compose, node count; and the plan, which needs all three."""
    requested, goal = submission.requested, submission.goal
    if submission.signature:
        require_signable(requested.spec)
    composer = await resolve(connection, principal, requested, submission.project)
    composed = composer.compose(requested.spec)
    counted = await settle_node_count(connection, composer, composed, principal.user)
    composed, endpoint = counted.composed, composer.endpoint_of(counted.composed)
    prediction = None
    if goal:
        plan = await plan_for(connection, principal, composed, endpoint, goal)
        prediction = prediction_of(plan, goal)
    return Prepared(composer, composed, endpoint, counted.needs_probes, prediction)


async def _persist(
    tx: Transaction, principal: Principal, submission: Submission, prepared: Prepared
) -> Submitted:
    """The job, and its task: sent to the endpoint, or waiting for its image or its probes."""
    composed, endpoint, terms = prepared.composed, prepared.endpoint, prepared.composer.terms
    warnings = list(composed.warnings)
    job = new_job(
        composed,
        principal.user,
        submission.requested.code,
        terms.id,
        assignment=submission.assignment,
    )
    about_call(job=job.id, digest=job.digest, endpoint=endpoint.name)
    await job_store.add_job(tx, job)
    if prepared.needs_probes:
        task = await _add_probed_task(tx, job, prepared, submission.requested.spec)
        warnings += [PLAN_NOT_KEPT] if prepared.prediction else []
    else:
        task = await add_run_task(
            tx,
            endpoint,
            job,
            composed,
            terms=terms,
            prediction=prepared.prediction,
            signature=submission.signature,
            given=submission.requested.spec,
        )
    tasks = [await show_new_task(tx.connection, task)]
    return Submitted(job=show_job(job, [task.id]), tasks=tasks, warnings=warnings)


async def add_run_task(
    tx: Transaction,
    endpoint: EndpointRow,
    job: JobRow,
    composed: Composed,
    *,
    kind: str = "run",
    retry_of: str | None = None,
    terms: ProjectTerms = NO_PROJECT,
    prediction: Prediction | None = None,
    signature: Signature | None = None,
    given: RawSpec | None = None,
    after: Sequence[Dependency] = (),
    continues: str = "",
    share: JsonObject | None = None,
) -> TaskRow:
    """A task that is sent to its endpoint, or waits for its image and data first. `after`: what else it depends on.

    `continues`: the task whose run directory it takes over. `share`: of a trial that waits for its turn there.
    """
    ready = await order_with_image(tx, endpoint, composed, job.owner, terms)
    waits = [*after, *([ready.waits_for] if ready.waits_for else [])]
    waits += await stage_data(tx, endpoint, job.owner, composed.data)
    waits += await stage_trees(tx, endpoint, job.owner, composed, terms)
    if signature:
        require_as_signed(ready, signature)
    task = await make_task(
        tx,
        job=job,
        endpoint=endpoint,
        order=ready.order,
        retry_of=retry_of,
        dependencies=waits,
        kind=kind,
        prediction=prediction,
        chain=replace(_chain(ready.order, endpoint, signature, continues), share=share),
        given=given,
    )
    await note_image_use(tx, task, ready.image)
    await note_data_uses(tx, task, composed.data)
    return task


def _chain(
    order: Order, endpoint: EndpointRow, signature: Signature | None, continues: str
) -> ChainRow:
    signed = signature.model_dump(mode="json") if signature else None
    return replace(new_chain(order, endpoint), signature=signed, continues=continues)


async def _add_probed_task(
    tx: Transaction, job: JobRow, prepared: Prepared, given: RawSpec
) -> TaskRow:
    """A task that waits for short probes to find its node count; `release.py` sends it."""
    scale = ids.new_id(ids.SCALE)
    message = f"short runs find the best node count, then it is queued (scale {scale})"
    task = await make_task(
        tx,
        job=job,
        endpoint=prepared.endpoint,
        order=prepared.composed.order,
        dependencies=[Dependency(DependencyKind.PROBE, scale, message=message)],
        given=given,
    )
    request, for_task = ScaleRequest(goal=GOAL), ForTask(task.id, scale)
    await add_scale(tx, prepared.composer, prepared.composed, request, for_task)
    return task
