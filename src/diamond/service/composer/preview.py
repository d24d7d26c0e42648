"""A spec while it is being written: faults, limits, choices, cost and queue, whatever is still missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.estimates import describe_queue, estimate_cost
from diamond.compose.limits import Source, choices_of, limits_of
from diamond.compose.spec_check import SpecReport, examine
from diamond.core.errors import DiamondError
from diamond.core.order import order_data
from diamond.planning.budget import NODE_HOURS, parse_budget
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer import schemas
from diamond.service.composer.request import asked_for
from diamond.service.endpoints.ask_agent import require_endpoint_online
from diamond.service.endpoints.community import usable_endpoints
from diamond.service.endpoints.facts import fact_time, known_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.image_requests import endpoint_facts
from diamond.service.platform.services import Services
from diamond.service.projects.terms import NOWHERE, Fault, Place, place_of
from diamond.service.tasks.task_list import waits_on


async def compose(
    services: Services, principal: Principal, body: schemas.ComposeRequest, *, script: bool
) -> dict[str, Any]:
    require(principal, Action.WRITE, owner=principal.user)
    spec, code = await asked_for(services, body)
    async with services.store.read() as connection:
        usable = await usable_endpoints(connection, principal.user)
        place, rows, faults = await _placed(connection, principal, body.project, usable)
        known = [endpoint_facts(row) for row in rows]
        found = examine(place.settled(spec), endpoints=known, code=code, code_follows=True)
        found = replace(found, faults=[*found.faults, *faults, *place.store_faults(spec, code)])
        row = _row(rows, found)
        waits = (
            await waits_on(connection, principal.user, row["id"], found.placement.partition)
            if row
            else []
        )
    shown = _shown(found, row, rows)
    if row is not None:
        site = _site(found, row, waits)
        shown |= {**site, "choices": {**shown["choices"], **site["choices"]}}
    return shown | (await _script(services, found, row) if script else {})


async def _placed(
    connection: AsyncConnection, principal: Principal, project: str, usable: Sequence[EndpointRow]
) -> tuple[Place, Sequence[EndpointRow], list[Fault]]:
    """Its project, the endpoints that it may run on there, and why it may not go there at all."""
    place = NOWHERE
    try:
        place = await place_of(connection, principal, project)
        return place, place.among(usable), []
    except DiamondError as error:
        fault = {"field": "project", "message": error.message, "hint": error.hint}
        return place, usable, [fault]


def _row(rows: Sequence[EndpointRow], found: SpecReport) -> EndpointRow | None:
    name = found.endpoint.name if found.endpoint else ""
    return next((row for row in rows if row.name == name), None)


def _shown(
    found: SpecReport, row: EndpointRow | None, rows: Sequence[EndpointRow]
) -> dict[str, Any]:
    endpoints = [
        {"name": one["name"], "state": one["state"], "default": one["is_default"]} for one in rows
    ]
    return {
        "ok": not found.faults,
        "faults": found.faults,
        "warnings": found.warnings,
        "endpoint": found.endpoint.name if found.endpoint else "",
        "partition": found.placement.partition,
        "account": found.placement.account,
        "order": None if found.faults else order_data(found.order),
        "log_path": _log_path(row),
        "limits": {},
        "choices": {"endpoints": endpoints},
        "cost": None,
        "queue": None,
    }


def _site(found: SpecReport, row: EndpointRow, waits: list[float]) -> dict[str, Any]:
    """What the chosen endpoint says about it."""
    assert found.endpoint is not None
    facts, placement = found.endpoint.facts, found.placement
    limits = limits_of(facts, placement.partition, _sources(row))
    chosen = choices_of(facts, placement.partition, placement.account)
    return {
        "limits": {name: asdict(limit) for name, limit in limits.items()},
        "choices": {**chosen, "secrets": row["secrets"]},
        "cost": estimate_cost(facts, placement, found.resources, _attempts(found)),
        "queue": describe_queue(facts, placement.partition, fact_time(row, "free"), waits),
    }


def _attempts(found: SpecReport) -> int:
    """Without `continue:` a program that asks for a next attempt is the exception."""
    if not found.spec.continue_:
        return 1
    most, asked = found.resume.max_attempts, found.resources
    if not found.spec.budget or found.endpoint is None:
        return most
    budget = parse_budget(found.spec.budget)
    charges = found.endpoint.facts.get("charge") or {}
    rate = 1.0 if budget.unit == NODE_HOURS else charges.get(found.placement.partition) or math.inf
    cost = rate * asked.nodes * asked.walltime_minutes / 60
    return max(1, min(most, int(budget.amount / cost)))


async def _script(services: Services, found: SpecReport, row: EndpointRow | None) -> dict[str, Any]:
    """The endpoint renders it, so that what is shown is what will run."""
    if found.faults or row is None:
        return {"script": None, "script_reason": "There is a script once the spec has no faults."}
    try:
        require_endpoint_online(services, row)
        answer = await services.relay.ask_json(row["id"], "script", order=order_data(found.order))
    except DiamondError as error:
        return {"script": None, "script_reason": error.message}
    return {"script": str(answer.get("script", "")), "script_reason": ""}


def _sources(row: EndpointRow) -> dict[str, Source]:
    """Who said each fact: a program that was asked, or a person."""
    return {name: Source(fact.source, fact.at) for name, fact in known_facts(row).items()}


def _log_path(row: EndpointRow | None) -> str:
    work = row.folders.work if row is not None else ""
    return f"{work}/tasks/TASK/attempts/ATTEMPT/runs/1/stdout.log" if work else ""
