"""A pipeline while it is written: its graph as far as it can be read, and every fault."""

from __future__ import annotations

import graphlib

from diamond.compose.pipeline_check import Pipeline, examine_pipeline
from diamond.core.errors import DiamondError, InvalidSpec
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.request import RequestedSpec
from diamond.service.composer.schemas import ComposeRequest
from diamond.service.pipelines.schemas import PipelineComposition, PlannedStage
from diamond.service.pipelines.submit import check_spec
from diamond.service.platform.http.schemas import Fault
from diamond.service.platform.services import Services


async def compose_pipeline(
    services: Services, principal: Principal, body: ComposeRequest
) -> PipelineComposition:
    """Nothing is submitted. Faults are part of the answer: the text is still being written."""
    require(principal, Action.WRITE, owner=principal.user)
    requested = RequestedSpec(body.spec, body.code.facts() if body.code else None)
    faults: list[Fault] = []
    warnings: list[str] = []
    try:
        async with services.store.read() as connection:
            _, warnings = await check_spec(connection, principal, requested, body.project)
    except InvalidSpec as error:
        faults = [Fault.model_validate(fault) for fault in error.faults] or [_whole(error)]
    except DiamondError as error:
        faults = [_whole(error)]
    pipeline, _ = examine_pipeline(body.spec)
    return PipelineComposition(
        ok=not faults, faults=faults, warnings=warnings, stages=_planned(pipeline)
    )


def _planned(pipeline: Pipeline | None) -> list[PlannedStage]:
    """In the order in which they could run; none while they wait for each other."""
    try:
        names = pipeline.graph.order if pipeline else []
    except graphlib.CycleError:
        names = []
    return [
        PlannedStage(
            name=name,
            parents=pipeline.graph.parents(name),
            is_mapped=pipeline.graph.stages[name].is_mapped,
            group=pipeline.group_of(name),
            when=pipeline.graph.stages[name].when,
        )
        for name in names
        if pipeline is not None
    ]


def _whole(error: DiamondError) -> Fault:
    return Fault(field="pipeline", message=error.message, hint=error.hint)
