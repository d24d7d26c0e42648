"""A study begins: its spec is checked on every endpoint before the first point is asked for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.raw_spec import RawSpec, is_study
from diamond.compose.spec import Spec
from diamond.compose.spec_check import Composed
from diamond.compose.study import plan_of
from diamond.core import ids
from diamond.core.errors import BadRequest, InvalidSpec
from diamond.planning.budget import NODE_HOURS, parse_budget
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import Composer, resolve
from diamond.service.composer.request import RequestedSpec, read_request
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import STUDIES
from diamond.service.projects.terms import project_terms
from diamond.service.studies import store
from diamond.service.studies.find import find_study
from diamond.service.studies.launch import inputs_of
from diamond.service.studies.packing import site_of
from diamond.service.studies.rows import RUNNING, Counts, Inputs, StudyRow
from diamond.service.studies.schemas import Study, StudyRequest
from diamond.service.studies.views import show_study
from diamond.studies.decisions import Streak
from diamond.studies.optuna_mirror import check_sampler
from diamond.studies.plan import StudyPlan


async def start_study(
    services: Services, principal: Principal, body: StudyRequest, key: str | None
) -> Study:
    """All faults on all endpoints are reported before anything starts."""
    require(principal, Action.WRITE, owner=principal.user)
    requested = await read_request(services, principal, body, project=body.project)
    if not is_study(requested.spec):
        hint = "Add one: study: {objective: {accuracy: maximize}, space: {lr: {log: [1e-5, 1e-1]}}}"
        raise InvalidSpec("This spec has no `study:` block", hint)

    async def make(tx: Transaction) -> Study:
        row = await new_study(tx.connection, principal, requested, body.project)
        await store.add_study(tx, row)
        tx.wake(STUDIES)
        await publish(tx, row.owner, [changed("studies")])
        return show_study(row, [])

    asked = {**requested.as_data(), "project": body.project}
    request = Once.of(key, "POST /studies", asked)
    return await once_as(Study, services.store, principal, request, make)


async def new_study(
    connection: AsyncConnection, principal: Principal, requested: RequestedSpec, project: str
) -> StudyRow:
    plan = _asked_plan(requested.spec)
    inputs, warnings = Inputs(), []
    terms = await project_terms(connection, principal, project)
    if plan.parallel:
        composer = await resolve(connection, principal, requested, project)
        composed = _compose_everywhere(composer, requested.spec, plan)
        plan = replace(plan, on=tuple(word for word, _ in composed))
        if isinstance(plan.pack, int) and plan.pack > 1:
            _require_pilots(composer, [each for _, each in composed])
        inputs = inputs_of(composed[0][1].order, "")
        warnings = _warnings([each for _, each in composed])
    plan = await _with_sources(connection, principal, plan)
    now = time.time()
    return StudyRow(
        id=ids.new_id(ids.STUDY),
        owner=principal.user,
        project=terms.id,
        name=str(requested.spec.get("name") or "study"),
        state=RUNNING,
        message="",
        spec=requested.spec,
        code=requested.code,
        plan=plan,
        counts=Counts(),
        streak=Streak(),
        warnings=tuple(dict.fromkeys(warnings)),
        inputs=inputs,
        asked=0,
        best=None,
        open=0,
        node_seconds=0.0,
        saved_seconds=0.0,
        created=now,
        updated=now,
        ended=None,
    )


def _asked_plan(spec: RawSpec) -> StudyPlan:
    """Of a spec whose other fields may have faults, which composing reports; raises `InvalidSpec` for its own."""
    from pydantic import ValidationError

    from diamond.compose.faults import Faults, from_validation, invalid
    from diamond.compose.study_check import example_trial

    try:
        parsed = Spec.model_validate(spec)
    except ValidationError as error:
        raise invalid(from_validation(error)) from None
    faults = Faults()
    example_trial(parsed, faults)
    faults.raise_if_any()
    assert parsed.study is not None
    plan = plan_of(parsed.study)
    if not plan.on:
        plan = replace(plan, on=tuple([parsed.on] if isinstance(parsed.on, str) else parsed.on))
    check_sampler(plan.sampler)
    check_budget(plan.budget)
    return plan


def check_budget(budget: str) -> None:
    if budget and parse_budget(budget).unit != NODE_HOURS:
        raise BadRequest(
            f"The budget of a study is in {NODE_HOURS}, not {parse_budget(budget).unit}",
            "Endpoints charge in different units. Write, for example: 40 node-hours",
        )


def _compose_everywhere(
    composer: Composer, spec: RawSpec, plan: StudyPlan
) -> list[tuple[str, Composed]]:
    """One trial on each endpoint, with the word that names it; `auto` becomes the endpoint that it means now."""
    composed = []
    block = {**spec["study"], "on": []}
    for word in plan.on:
        one = composer.compose({**spec, "on": word, "study": block})
        name, slash, partition = word.partition("/")
        named = one.endpoint if name == "auto" else name
        composed.append((f"{named}{slash}{partition}", one))
    return composed


def _require_pilots(composer: Composer, composed: Sequence[Composed]) -> None:
    """`auto` does without where they are not allowed."""
    for each in composed:
        order, endpoint = each.order, composer.endpoint_of(each)
        if not site_of(endpoint, order.placement.partition, order.resources).allows_pilots:
            message = (
                f"{endpoint.name} allows no pilots, so trials cannot share an allocation there"
            )
            hint = "Its site switched them off, it accepts only signed specs, or its agent is too old. Write `pack: auto` or `pack: off`."
            raise InvalidSpec(
                message, hint, faults=[{"field": "study.pack", "message": message, "hint": hint}]
            )


def _warnings(composed: Sequence[Composed]) -> list[str]:
    warnings = [warning for each in composed for warning in each.warnings]
    if len(composed) < 2:
        return warnings
    first = composed[0].order
    if first.environment is not None and first.environment.requirements:
        warnings.append(
            "Each endpoint installs the packages itself, so versions may differ: use an image to compare results"
        )
    for name in first.data:
        warnings.append(
            f"data.{name} is a path, which is not versioned: endpoints may have different files there"
        )
    return warnings


async def _with_sources(
    connection: AsyncConnection, principal: Principal, plan: StudyPlan
) -> StudyPlan:
    """The ids of the studies that it learns from."""
    found = [await find_study(connection, principal, each) for each in plan.warm_start]
    return replace(plan, warm_start=tuple(row.id for row in found))
