"""Starting a pilot: an allocation is composed like a job, and becomes a task of kind `pilot`."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.allocation_spec import AllocationSpec
from diamond.compose.allocations import (
    ENGINE,
    Allocation,
    compose_allocation,
    pilot_spec,
    read_allocation,
)
from diamond.compose.faults import Faults
from diamond.compose.profile_facts import well_formed_facts
from diamond.core.errors import Conflict
from diamond.core.protocol import WITH_PILOTS
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import Composer, resolve
from diamond.service.composer.request import RequestedSpec
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.jobs.submit import add_run_task
from diamond.service.pilots import store
from diamond.service.pilots.rows import PilotRow
from diamond.service.pilots.schemas import Pilot, PilotRequest
from diamond.service.pilots.views import show_pilot
from diamond.service.platform.audit import about_call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store
from diamond.service.tasks.create import PILOT, new_job
from diamond.service.tasks.rows import TaskRow

NEWS = "pilots"


@dataclass(frozen=True)
class PreparedPilot:
    """A pilot with everything decided that can be decided without changing anything."""

    composer: Composer
    allocation: Allocation
    endpoint: EndpointRow


async def start_pilot(
    services: Services, principal: Principal, body: PilotRequest, key: str | None
) -> Pilot:
    """By a person, before anything runs in it."""
    asked = _read(body)

    async def start(tx: Transaction) -> Pilot:
        prepared = await prepare_pilot(tx.connection, principal, asked, body.name, body.project)
        task = await add_pilot(tx, principal.user, prepared)
        about_call(task=task.id, endpoint=task.endpoint_name)
        shown = await show_pilot(tx.connection, task.id)
        warnings = prepared.allocation.composed.warnings
        return shown.model_copy(update={"warnings": warnings})

    once = Once.of(key, "POST /pilots", body.model_dump())
    return await once_as(Pilot, services.store, principal, once, start)


async def prepare_pilot(
    connection: AsyncConnection,
    principal: Principal,
    asked: AllocationSpec,
    name: str,
    project: str,
    *,
    engine: str = ENGINE,
) -> PreparedPilot:
    """Raises `InvalidSpec` with all faults, in the fields of the allocation."""
    requested = RequestedSpec(pilot_spec(asked, name), None)
    composer = await resolve(connection, principal, requested, project)
    facts = {one.name: well_formed_facts(one.facts) for one in composer.facts}
    allocation = compose_allocation(
        asked, name, composer.compose, lambda name: facts[name], engine=engine
    )
    endpoint = composer.endpoint_of(allocation.composed)
    _require_able(endpoint)
    return PreparedPilot(composer, allocation, endpoint)


async def add_pilot(
    tx: Transaction, owner: str, prepared: PreparedPilot, *, made_for: str = ""
) -> TaskRow:
    composed, terms = prepared.allocation.composed, prepared.composer.terms
    job = new_job(composed, owner, None, terms.id)
    await job_store.add_job(tx, job)
    task = await add_run_task(
        tx, prepared.endpoint, job, composed, kind=PILOT, terms=terms, given=composed.spec
    )
    await store.add_pilot(tx, PilotRow(task.id, owner, made_for, time.time(), None))
    await publish(tx, owner, [changed(NEWS)])
    return task


def _read(body: PilotRequest) -> AllocationSpec:
    faults = Faults()
    asked = read_allocation(body.allocation, "together", faults)
    if asked is None or faults.items:
        for fault in faults.items:
            fault["field"] = fault["field"].removeprefix("together.")
        faults.raise_if_any()
    assert asked is not None
    return asked


def _require_able(endpoint: EndpointRow) -> None:
    if endpoint.generation and endpoint.protocol < WITH_PILOTS:
        raise Conflict(
            f"The agent of {endpoint.name} is too old for pilots",
            f"Upgrade it: diamond endpoint upgrade {endpoint.name}",
            code="agent-outdated",
        )
    if endpoint.policy.require_signed:
        raise Conflict(
            f"{endpoint.name} accepts only signed specs, and a pilot cannot be signed in advance",
            "Choose another endpoint, or run each stage as a job.",
        )
