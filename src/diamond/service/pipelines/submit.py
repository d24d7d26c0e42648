"""Submitting a pipeline: every fault of every stage first, then the row, from which the worker continues."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.allocations import Allocation
from diamond.compose.faults import Faults, invalid
from diamond.compose.groups import where_is
from diamond.compose.pipeline_check import (
    Pipeline,
    check_stages,
    examine_pipeline,
    trial_spec,
)
from diamond.compose.raw_spec import RawSpec
from diamond.compose.spec_check import Composed
from diamond.compose.stages import is_pipeline
from diamond.core import ids
from diamond.core.errors import BadRequest, Conflict, InvalidSpec
from diamond.pipelines.items import expand
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import resolve
from diamond.service.composer.request import RequestedSpec, read_request
from diamond.service.pilots.start import prepare_pilot
from diamond.service.pipelines import store
from diamond.service.pipelines.board import new_step
from diamond.service.pipelines.find import find_pipeline
from diamond.service.pipelines.pilots import pilot_name
from diamond.service.pipelines.rows import RUNNING, PipelineRow, StepRow
from diamond.service.pipelines.schemas import (
    AgainBody,
    PipelineChecked,
    PipelineDetail,
    PipelineRequest,
)
from diamond.service.pipelines.views import show_pipeline
from diamond.service.platform.audit import about_call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import PIPELINES
from diamond.service.projects.terms import project_terms


@dataclass(frozen=True)
class Submission:
    """What a person submits: a new pipeline, or one again."""

    requested: RequestedSpec
    project: str = ""
    """Its name or id."""
    spec_file: str = ""
    force: Sequence[str] = ()
    start_from: Sequence[str] = ()


async def submit_pipeline(
    services: Services, principal: Principal, body: PipelineRequest, key: str | None
) -> PipelineDetail:
    requested = await read_request(services, principal, body, project=body.project)
    submission = Submission(
        requested, body.project, body.spec_file, tuple(body.force), tuple(body.start_from)
    )
    asked = {**body.model_dump(exclude={"spec", "code"}), **requested.as_data()}
    once = Once.of(key, "POST /pipelines", asked)
    work = partial(add_pipeline, principal=principal, submission=submission)
    return await once_as(PipelineDetail, services.store, principal, once, work)


async def run_again(
    services: Services, principal: Principal, pipeline: str, body: AgainBody, key: str | None
) -> PipelineDetail:
    """The same spec and code as a new pipeline: what is done is taken from the cache."""

    async def again(tx: Transaction) -> PipelineDetail:
        row = await find_pipeline(tx.connection, principal, pipeline)
        requested = RequestedSpec(row.spec, row.code)
        submission = Submission(
            requested, row.project, row.spec_file, tuple(body.force), tuple(body.start_from)
        )
        return await add_pipeline(tx, principal, submission)

    once = Once.of(key, f"POST /pipelines/{pipeline}/again", body.model_dump())
    return await once_as(PipelineDetail, services.store, principal, once, again)


async def add_pipeline(
    tx: Transaction, principal: Principal, submission: Submission
) -> PipelineDetail:
    """Raises `InvalidSpec` with every fault; nothing is written then."""
    requested = submission.requested
    pipeline, warnings = await check_spec(tx.connection, principal, requested, submission.project)
    terms = await project_terms(tx.connection, principal, submission.project)
    row = _new_row(principal, pipeline, submission, terms.id)
    about_call(pipeline=row.id)
    await store.add_pipeline(tx, row)
    await store.add_steps(tx, first_steps(row, pipeline))
    tx.wake(PIPELINES)
    await publish(tx, row.owner, [changed("pipelines")])
    shown = await show_pipeline(tx.connection, row.id)
    return shown.model_copy(update={"warnings": warnings})


async def check_pipeline(
    services: Services, principal: Principal, body: PipelineRequest
) -> PipelineChecked:
    """What `submit_pipeline` would say; nothing is changed."""
    requested = await read_request(services, principal, body, project=body.project)
    async with services.store.read() as connection:
        pipeline, warnings = await check_spec(connection, principal, requested, body.project)
    forced_stages(pipeline, body.force, body.start_from)
    return PipelineChecked(stages=pipeline.graph.order, warnings=warnings)


def first_steps(row: PipelineRow, pipeline: Pipeline) -> list[StepRow]:
    """Of stages whose items are known already."""
    steps: list[StepRow] = []
    for name, stage in pipeline.graph.stages.items():
        if stage.each_of or any(axis.source for axis in stage.axes):
            continue
        items = expand(stage.axes, {})
        steps += [new_step(row, name, n, item) for n, item in enumerate(items)]
    return steps


def forced_stages(
    pipeline: Pipeline, force: Sequence[str], start_from: Sequence[str]
) -> tuple[str, ...]:
    """Those that are run in any case."""
    require_stages(pipeline, [*force, *start_from])
    behind = pipeline.graph.with_descendants(start_from)
    return tuple(name for name in pipeline.graph.order if name in {*force, *behind})


def require_stages(pipeline: Pipeline, names: Collection[str]) -> None:
    unknown = [name for name in names if name not in pipeline.stages]
    if unknown:
        raise BadRequest(
            f"There is no stage {unknown[0]!r}", f"Stages: {', '.join(pipeline.graph.order)}."
        )


async def check_spec(
    connection: AsyncConnection,
    principal: Principal,
    requested: RequestedSpec,
    project: str,
) -> tuple[Pipeline, list[str]]:
    """The pipeline and its warnings. Raises `InvalidSpec` with every fault of the graph and of all stages."""
    if not is_pipeline(requested.spec):
        raise InvalidSpec("The spec has no pipeline: block", "Submit it as a job: POST /jobs.")
    pipeline, faults = examine_pipeline(requested.spec)
    if pipeline is None:
        raise invalid(faults.items)
    allocations = await _allocations(connection, principal, pipeline, project, faults)
    composers = {
        name: await resolve(
            connection,
            principal,
            RequestedSpec(trial_spec(pipeline, name), requested.code),
            project,
        )
        for name in pipeline.stages
    }

    def compose_for(name: str) -> Callable[[RawSpec], Composed]:
        return composers[name].compose

    return pipeline, check_stages(pipeline, compose_for, faults, allocations)


async def _allocations(
    connection: AsyncConnection,
    principal: Principal,
    pipeline: Pipeline,
    project: str,
    faults: Faults,
) -> dict[str, Allocation]:
    """Of the groups that could be composed; what is wrong with the others is added to `faults`."""
    allocations: dict[str, Allocation] = {}
    for group, asked in pipeline.groups.items():
        try:
            name = pilot_name(pipeline, group)
            prepared = await prepare_pilot(connection, principal, asked, name, project)
            allocations[group] = prepared.allocation
        except InvalidSpec as error:
            for fault in error.faults or [
                {"field": "", "message": error.message, "hint": error.hint}
            ]:
                where = ".".join(part for part in (where_is(group), fault["field"]) if part)
                faults.items.append({**fault, "field": where})
        except Conflict as error:
            faults.add(where_is(group), error.message, error.hint)
    return allocations


def _new_row(
    principal: Principal, pipeline: Pipeline, submission: Submission, project: str
) -> PipelineRow:
    now = time.time()
    return PipelineRow(
        id=ids.new_id(ids.PIPELINE),
        owner=principal.user,
        project=project,
        name=pipeline.name,
        spec=pipeline.raw,
        code=submission.requested.code,
        spec_file=submission.spec_file,
        forced=forced_stages(pipeline, submission.force, submission.start_from),
        pilots={},
        state=RUNNING,
        message="",
        created=now,
        updated=now,
        ended=None,
        version=1,
    )
