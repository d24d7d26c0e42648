"""Scales: probe runs are asked for, listed, shown and called off. `probing.py` carries them on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import Composed, check
from diamond.core import ids
from diamond.core.errors import Conflict, NotFound
from diamond.core.order import canonical
from diamond.planning.budget import max_nodes_within, parse_budget
from diamond.planning.probe_runs import parse_goal
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import known_images, require_snapshot
from diamond.service.composer.request import asked_for
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.image_requests import endpoint_facts
from diamond.service.limits.limits import check_limits
from diamond.service.planning import scale_store as rows
from diamond.service.planning.rows import ScaleRow
from diamond.service.planning.scale_probes import (
    Compose,
    Drawn,
    Names,
    probe_nodes,
    probe_settings,
    usual_sizes,
    written_nodes,
)
from diamond.service.planning.scale_schemas import ScaleRequest
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import SCALES
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import new_job

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Waiting:
    """A task with `nodes: auto`, and the scale that it waits for."""

    task: str
    scale: str


UNTOLD = ("spec", "is_over", "used_seconds")
"""What a probe keeps for itself."""


async def start_scale(
    services: Services, principal: Principal, body: ScaleRequest, key: str | None
) -> dict[str, Any]:
    """All faults of all probes are told before the first one starts."""
    require(principal, Action.WRITE, owner=principal.user)
    parse_goal(body.goal)
    spec, code = await asked_for(services, body)
    require_snapshot(services, code)

    async def make(tx: Transaction) -> dict[str, Any]:
        return show_scale(await add_scale(tx, principal.user, spec, code, body))

    wanted = Once.of(key, "POST /scales", {**body.model_dump(), "spec": spec, "code": code})
    return await once(services.store, principal, wanted, make)


async def add_scale(
    tx: Transaction,
    owner: str,
    spec: dict[str, Any],
    code: dict[str, Any] | None,
    body: ScaleRequest,
    waiting: Waiting | None = None,
) -> Row:
    """A scale whose first probe starts with the next look at it."""
    found = await endpoint_rows.list_endpoints(tx.connection, owner)
    images = await known_images(tx.connection, owner, spec, found)
    known = [endpoint_facts(row) for row in found]

    def compose(one: dict[str, Any]) -> Composed:
        return check(one, endpoints=known, code=code, images=images)

    composed = compose(spec)
    endpoint = next(row for row in found if row["name"] == composed.endpoint)
    drawn = _drawn(compose, composed, effective_facts(endpoint), body)
    job = new_job(composed, owner, code)
    row = _row(job, endpoint, composed, drawn, body)
    if waiting:
        row |= {"id": waiting.scale, "for_task": waiting.task}
    hours = row["wanted"]["node_hours_at_most"]
    resources = composed.order.resources
    await check_limits(tx, owner, "", resources, kind="probe", hours=hours)
    await job_rows.add_job(tx, job)
    await rows.add_scale(tx, row)
    tx.wake(SCALES)
    await publish(tx, owner, [News("scale", row["id"])])
    return row


async def list_scales(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[dict[str, Any]], str | None]:
    async with services.store.read() as connection:
        page = await rows.list_scales(connection, principal.user, limit=limit, cursor=cursor)
    return [show_scale(row) for row in page.rows], page.next


async def get_scale(services: Services, principal: Principal, scale: str) -> dict[str, Any]:
    async with services.store.read() as connection:
        return show_scale(await find_scale(connection, principal, scale))


def show_scale(row: Data) -> dict[str, Any]:
    names = (
        "id",
        "name",
        "owner",
        "kind",
        "state",
        "message",
        "job",
        "for_task",
        "created",
        "updated",
        "ended",
    )
    wanted = ("partition", "goal", "steps", "unit", "node_hours_at_most", "notes")
    probes = [{k: v for k, v in one.items() if k not in UNTOLD} for one in row["probes"]]
    return {
        **{name: row[name] for name in names},
        **{name: row["wanted"][name] for name in wanted},
        "endpoint": row["endpoint_name"],
        "probes": probes,
        "advice": row["result"].get("advice"),
        "gains": row["result"].get("gains") or [],
    }


def fits_digest(endpoint: str, composed: Composed) -> str:
    """What two specs share whose speed is the same; the code may differ, since every edit would ask for new probes."""
    spec, order = composed.spec, composed.order
    resources = {
        name: value
        for name, value in (spec.get("resources") or {}).items()
        if name not in ("nodes", "walltime")
    }
    alike = {
        name: spec.get(name) for name in ("run", "notebook", "params", "environment", "launch")
    }
    where = [endpoint, order.placement.partition, written_nodes(spec)]
    return hashlib.sha256(canonical([where, alike, resources])).hexdigest()


def _drawn(
    compose: Compose, composed: Composed, facts: dict[str, Any], body: ScaleRequest
) -> Drawn:
    named = Names(body.batch_param, body.accumulate_param)
    spec = {**composed.spec, "on": _place(composed)}
    minutes = min(body.minutes, composed.order.resources.walltime_minutes)
    if body.tune:
        return probe_settings(compose, spec, minutes=minutes, named=named)
    if body.nodes:
        return probe_nodes(compose, spec, sizes=body.nodes, minutes=minutes, named=named)
    sizes = _affordable(usual_sizes(facts, composed.order.placement.partition), composed, facts)
    return probe_nodes(compose, spec, sizes=sizes, minutes=minutes, named=named, are_usual=True)


def _affordable(sizes: list[int], composed: Composed, facts: Data) -> list[int]:
    """Those on which one attempt of the spec fits into its budget; one node always stays."""
    order = composed.order
    if not order.budget:
        return sizes
    rate = (facts.get("charge") or {}).get(order.placement.partition)
    budget, seconds = parse_budget(order.budget), 60.0 * order.resources.walltime_minutes
    most = max_nodes_within(budget, seconds, rate)
    return [size for size in sizes if size <= max(most, 1)]


def _place(composed: Composed) -> str:
    """All probes run where the first look at the spec placed it."""
    return "/".join(one for one in (composed.endpoint, composed.order.placement.partition) if one)


def _row(
    job: Data, endpoint: EndpointRow, composed: Composed, drawn: Drawn, body: ScaleRequest
) -> dict[str, Any]:
    partition = composed.order.placement.partition
    hours = sum(one["nodes"] * one["minutes"] for one in drawn.probes) / 60
    wanted = {
        "partition": partition,
        "goal": body.goal,
        "steps": body.steps,
        "unit": drawn.unit,
        "node_hours_at_most": hours,
        "notes": drawn.notes,
        "between": drawn.between,
        "together": body.together,
        "budget": composed.spec.get("budget"),
        "doubt": drawn.doubt,
        "minutes": composed.order.resources.walltime_minutes,
        "rate": (effective_facts(endpoint).get("charge") or {}).get(partition),
    }
    return {
        "id": ids.new_id(ids.SCALE),
        "owner": job["owner"],
        "name": job["name"],
        "kind": "tune" if body.tune else "nodes",
        "state": rows.RUNNING,
        "message": "",
        "job": job["id"],
        "for_task": "",
        "endpoint": endpoint["id"],
        "endpoint_name": endpoint["name"],
        "fits": fits_digest(endpoint["id"], composed),
        "wanted": wanted,
        "probes": drawn.probes,
        "result": {},
        "created": job["created"],
        "updated": job["created"],
        "ended": None,
        "version": 1,
    }


async def find_scale(connection: AsyncConnection, principal: Principal, scale: str) -> ScaleRow:
    """One's own, by its id or the beginning of one."""
    exact = await rows.find_scale(connection, scale)
    found = await rows.scales_with_prefix(connection, principal.user, scale) if scale else []
    if exact is not None and exact["owner"] == principal.user:
        return exact
    if not found:
        raise NotFound(f"There is no scale {scale}", "`diamond scale list` lists what there is.")
    if len(found) > 1:
        raise Conflict(
            f"{scale} is the beginning of several", ", ".join(row["id"] for row in found)
        )
    return found[0]
