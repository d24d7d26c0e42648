"""A spec while it is being written: faults, limits, choices, cost and queue, however much is still missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.estimates import describe_queue, estimate_cost
from diamond.compose.limits import Source, choices_of, limits_of
from diamond.compose.site import charge_rate
from diamond.compose.spec_check import SpecReport, examine
from diamond.core.errors import DiamondError
from diamond.core.order import order_data
from diamond.planning.budget import NODE_HOURS, parse_budget
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import named_data
from diamond.service.composer.request import RequestedSpec, read_request
from diamond.service.composer.schemas import (
    Choices,
    ComposeRequest,
    Composition,
    Cost,
    EndpointChoice,
    FieldLimit,
    Queue,
)
from diamond.service.endpoints.ask_agent import require_endpoint_online
from diamond.service.endpoints.community import owners_of_accounts, usable_endpoints
from diamond.service.endpoints.facts import fact_time, known_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.image_requests import endpoint_facts
from diamond.service.platform.http.schemas import Fault
from diamond.service.platform.services import Services
from diamond.service.projects.terms import NO_PROJECT, ProjectTerms, project_terms
from diamond.service.tasks.task_list import waits_on


@dataclass(frozen=True)
class Preview:
    examined: SpecReport
    endpoints: Sequence[EndpointRow]
    """Those that it may run on."""
    endpoint: EndpointRow | None
    """The endpoint it would run on."""
    waits: Sequence[float]
    """Seconds that the caller's own tasks waited there."""


async def compose(
    services: Services, principal: Principal, body: ComposeRequest, *, script: bool
) -> Composition:
    require(principal, Action.WRITE, owner=principal.user)
    requested = await read_request(services, principal, body, code_follows=True)
    async with services.store.read() as connection:
        preview = await _preview(connection, principal, requested, body.project)
    shown = _show(preview)
    if script:
        text, reason = await _script(services, preview)
        return shown.model_copy(update={"script": text, "script_reason": reason})
    return shown


async def _preview(
    connection: AsyncConnection, principal: Principal, requested: RequestedSpec, project: str
) -> Preview:
    spec, code = requested.spec, requested.code
    usable = await usable_endpoints(connection, principal.user)
    terms, endpoints, faults = await _terms(connection, principal, project, usable)
    accounts = await owners_of_accounts(connection, principal.user, endpoints)
    facts = [endpoint_facts(row, accounts.get(row.id, "")) for row in endpoints]
    data = await named_data(connection, principal.user, spec)
    examined = examine(terms.apply(spec), endpoints=facts, code=code, code_follows=True, data=data)
    faults = [*examined.faults, *faults, *terms.upload_faults(spec, code)]
    examined = replace(examined, faults=faults)
    name = examined.endpoint.name if examined.endpoint else ""
    endpoint = next((row for row in endpoints if row.name == name), None)
    if endpoint is None:
        return Preview(examined, endpoints, None, [])
    partition = examined.placement.partition
    waits = await waits_on(connection, principal.user, endpoint.id, partition)
    return Preview(examined, endpoints, endpoint, waits)


async def _terms(
    connection: AsyncConnection, principal: Principal, project: str, usable: Sequence[EndpointRow]
) -> tuple[ProjectTerms, Sequence[EndpointRow], list[dict[str, str]]]:
    """Its project, the endpoints that it may run on there, and why it may not go there at all."""
    terms = NO_PROJECT
    try:
        terms = await project_terms(connection, principal, project)
        return terms, terms.allowed_endpoints(usable), []
    except DiamondError as error:
        fault = {"field": "project", "message": error.message, "hint": error.hint}
        return terms, usable, [fault]


def _show(preview: Preview) -> Composition:
    examined = preview.examined
    shown = Composition(
        ok=not examined.faults,
        faults=[Fault.model_validate(fault) for fault in examined.faults],
        warnings=examined.warnings,
        notes=examined.notes,
        endpoint=examined.endpoint.name if examined.endpoint else "",
        partition=examined.placement.partition,
        account=examined.placement.account,
        order=None if examined.faults else order_data(examined.order),
        log_path=_log_path(preview.endpoint),
        limits={},
        choices=Choices(endpoints=[_choice(endpoint) for endpoint in preview.endpoints]),
        cost=None,
        queue=None,
    )
    if preview.endpoint is None:
        return shown
    return _with_site(shown, examined, preview.endpoint, preview.waits)


def _choice(endpoint: EndpointRow) -> EndpointChoice:
    return EndpointChoice(name=endpoint.name, state=endpoint.state, default=endpoint.is_default)


def _with_site(
    shown: Composition, examined: SpecReport, endpoint: EndpointRow, waits: Sequence[float]
) -> Composition:
    """With what the chosen endpoint reports."""
    assert examined.endpoint is not None
    facts, placement = examined.endpoint.facts, examined.placement
    partition = placement.partition
    limits = limits_of(facts, partition, _sources(endpoint))
    chosen = choices_of(facts, partition, placement.account)
    cost = estimate_cost(facts, placement, examined.resources, _attempts(examined))
    queue = describe_queue(facts, partition, fact_time(endpoint, "free"), waits)
    site = {
        "limits": {name: FieldLimit(**asdict(limit)) for name, limit in limits.items()},
        "choices": Choices.model_validate(
            {**chosen, "endpoints": shown.choices.endpoints, "secrets": endpoint.secrets}
        ),
        "cost": Cost.model_validate(cost),
        "queue": Queue.model_validate(queue),
    }
    return shown.model_copy(update=site)


def _attempts(examined: SpecReport) -> int:
    """Without `continue:` a program that asks for a next attempt is the exception."""
    if not examined.spec.continue_:
        return 1
    most, asked = examined.resume.max_attempts, examined.resources
    if not examined.spec.budget or examined.endpoint is None:
        return most
    budget = parse_budget(examined.spec.budget)
    known = charge_rate(examined.endpoint.facts, examined.placement.partition)
    rate = 1.0 if budget.unit == NODE_HOURS else known or math.inf
    cost = rate * asked.nodes * asked.walltime_minutes / 60
    return max(1, min(most, int(budget.amount / cost)))


async def _script(services: Services, preview: Preview) -> tuple[str | None, str]:
    """The script, or the reason why there is none. The endpoint renders it: what is shown is what will run."""
    endpoint, examined = preview.endpoint, preview.examined
    if examined.faults or endpoint is None:
        return None, "There is a script once the spec has no faults."
    try:
        require_endpoint_online(services, endpoint)
        order = order_data(examined.order)
        answer = await services.relay.ask_json(endpoint.id, "script", order=order)
    except DiamondError as error:
        return None, error.message
    return str(answer.get("script", "")), ""


def _sources(endpoint: EndpointRow) -> dict[str, Source]:
    """Where each fact is from: a program that was run, or a person."""
    return {name: Source(fact.source, fact.at) for name, fact in known_facts(endpoint).items()}


def _log_path(endpoint: EndpointRow | None) -> str:
    work = endpoint.folders.work if endpoint is not None else ""
    return f"{work}/tasks/TASK/attempts/ATTEMPT/runs/1/stdout.log" if work else ""
