"""Scales: probe runs are requested, listed and shown. `scales/probing.py` runs them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.raw_spec import on_partition, speed_fields, written_nodes
from diamond.compose.site import charge_rate
from diamond.compose.spec_check import Composed
from diamond.core import ids
from diamond.core.errors import Conflict, NotFound
from diamond.core.order import canonical
from diamond.planning.budget import max_nodes_within, parse_budget
from diamond.planning.probe_runs import parse_goal
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import (
    Composer,
    composer_among,
)
from diamond.service.composer.request import read_request
from diamond.service.endpoints import store as endpoint_store
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.limits.limits import check_limits
from diamond.service.planning import scale_store
from diamond.service.planning.rows import ScaleResult, ScaleRow, ScaleSettings
from diamond.service.planning.scale_probes import (
    ParamNames,
    PlannedProbes,
    probe_nodes,
    probe_settings,
    usual_sizes,
)
from diamond.service.planning.scale_schemas import Scale, ScaleRequest
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import SCALES
from diamond.service.tasks import job_store
from diamond.service.tasks.create import new_job
from diamond.service.tasks.rows import JobRow


@dataclass(frozen=True)
class ForTask:
    """A scale that a task with `nodes: auto` waits for."""

    task: str
    scale: str


async def start_scale(
    services: Services, principal: Principal, body: ScaleRequest, key: str | None
) -> Scale:
    """All faults of all probes are reported before the first one starts."""
    require(principal, Action.WRITE, owner=principal.user)
    parse_goal(body.goal)
    requested = await read_request(services, principal, body)

    async def make(tx: Transaction) -> Scale:
        endpoints = await endpoint_store.list_endpoints(tx.connection, principal.user)
        composer = await composer_among(
            tx.connection, principal.user, requested.spec, requested.code, endpoints
        )
        return show_scale(await add_scale(tx, composer, composer.compose(requested.spec), body))

    asked = {**body.model_dump(), **requested.as_data()}
    request = Once.of(key, "POST /scales", asked)
    return await once_as(Scale, services.store, principal, request, make)


async def add_scale(
    tx: Transaction,
    composer: Composer,
    composed: Composed,
    body: ScaleRequest,
    for_task: ForTask | None = None,
) -> ScaleRow:
    """A scale whose first probe starts at the next check."""
    endpoint = composer.endpoint_of(composed)
    planned = _plan_probes(composer, composed, effective_facts(endpoint), body)
    job = new_job(composed, endpoint.owner, composer.code)
    scale = _new_scale(job, endpoint, composed, planned, body, for_task)
    hours = scale.settings.node_hours_at_most
    await check_limits(tx, job.owner, "", hours)
    await job_store.add_job(tx, job)
    await scale_store.add_scale(tx, scale)
    tx.wake(SCALES)
    await publish(tx, scale.owner, [News("scale", scale.id)])
    return scale


async def list_scales(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> Page[Scale]:
    async with services.store.read() as connection:
        page = await scale_store.list_scales(connection, principal.user, limit=limit, cursor=cursor)
    return Page[Scale](items=[show_scale(row) for row in page.rows], next=page.next)


async def get_scale(services: Services, principal: Principal, scale: str) -> Scale:
    async with services.store.read() as connection:
        return show_scale(await find_scale(connection, principal, scale))


async def find_scale(connection: AsyncConnection, principal: Principal, scale: str) -> ScaleRow:
    """One of the caller's own, by its id or a unique beginning of it."""
    exact = await scale_store.find_scale(connection, scale)
    if exact is not None and exact.owner == principal.user:
        return exact
    owner = principal.user
    matches = await scale_store.scales_with_prefix(connection, owner, scale) if scale else []
    if not matches:
        raise NotFound(f"There is no scale {scale}", "`diamond scale list` lists yours.")
    if len(matches) > 1:
        candidates = ", ".join(match.id for match in matches)
        raise Conflict(f"Several scales begin with {scale}", f"Which one: {candidates}?")
    return matches[0]


def show_scale(row: ScaleRow) -> Scale:
    """Keys that are not fields of `Scale`, such as the spec of a probe, are not shown."""
    shown = {
        **vars(row.settings),
        **vars(row),
        "endpoint": row.endpoint_name,
        "probes": [vars(probe) for probe in row.probes],
        "advice": row.result.advice and vars(row.result.advice),
        "gains": [vars(gain) for gain in row.result.gains],
    }
    return Scale.model_validate(shown)


def fits_digest(endpoint: str, composed: Composed) -> str:
    """Equal for specs that run equally fast. Their code may differ: else every edit would need new probes."""
    where = [endpoint, composed.order.placement.partition, written_nodes(composed.spec)]
    return hashlib.sha256(canonical([where, *speed_fields(composed.spec)])).hexdigest()


def _plan_probes(
    composer: Composer, composed: Composed, facts: Mapping[str, Any], body: ScaleRequest
) -> PlannedProbes:
    """All probes run in the partition where the spec itself was placed."""
    order, compose = composed.order, composer.compose
    partition = order.placement.partition
    named = ParamNames(body.batch_param, body.accumulate_param)
    spec = on_partition(composed.spec, composed.endpoint, partition)
    minutes = min(body.minutes, order.resources.walltime_minutes)
    if body.tune:
        return probe_settings(compose, spec, minutes=minutes, named=named)
    if body.nodes:
        return probe_nodes(compose, spec, sizes=body.nodes, minutes=minutes, named=named)
    sizes = _affordable(usual_sizes(facts, partition), composed, charge_rate(facts, partition))
    return probe_nodes(compose, spec, sizes=sizes, minutes=minutes, named=named, are_usual=True)


def _affordable(sizes: list[int], composed: Composed, rate: float | None) -> list[int]:
    """Those on which one attempt of the spec fits into its budget; one node always stays."""
    order = composed.order
    if not order.budget:
        return sizes
    seconds = 60.0 * order.resources.walltime_minutes
    most = max_nodes_within(parse_budget(order.budget), seconds, rate)
    return [size for size in sizes if size <= max(most, 1)]


def _new_scale(
    job: JobRow,
    endpoint: EndpointRow,
    composed: Composed,
    planned: PlannedProbes,
    body: ScaleRequest,
    for_task: ForTask | None,
) -> ScaleRow:
    partition = composed.order.placement.partition
    settings = ScaleSettings(
        partition=partition,
        goal=body.goal,
        steps=body.steps,
        unit=planned.unit,
        node_hours_at_most=sum(probe.nodes * probe.minutes for probe in planned.probes) / 60,
        notes=planned.notes,
        between=planned.between,
        together=body.together,
        budget=composed.order.budget or None,
        rate=charge_rate(effective_facts(endpoint), partition),
        doubt=planned.doubt,
        minutes=composed.order.resources.walltime_minutes,
    )
    return ScaleRow(
        id=for_task.scale if for_task else ids.new_id(ids.SCALE),
        owner=job.owner,
        name=job.name,
        kind="tune" if body.tune else "nodes",
        state=scale_store.RUNNING,
        message="",
        job=job.id,
        for_task=for_task.task if for_task else "",
        endpoint=endpoint.id,
        endpoint_name=endpoint.name,
        fits=fits_digest(endpoint.id, composed),
        settings=settings,
        probes=planned.probes,
        result=ScaleResult(),
        created=job.created,
        updated=job.created,
        ended=None,
        version=1,
    )
