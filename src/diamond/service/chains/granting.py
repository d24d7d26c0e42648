"""What an agent learns about a chain: up to which number it may continue by itself, and when it queues ahead."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.batch_systems import read_abilities
from diamond.core.order import Order
from diamond.planning.waits import Forecast, PastWait, forecast, waits_from_accounting
from diamond.service.chains.grants import (
    cushion_seconds,
    granted_until,
    hand_over_seconds,
    highest_number,
    most_seconds,
    queue_after_seconds,
)
from diamond.service.chains.past_waits import past_waits
from diamond.service.chains.rows import AttemptRow, ChainedTaskRow
from diamond.service.endpoints.facts import effective_facts, fact_time
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.platform.database.rows import JsonObject


def grant_of(task: ChainedTaskRow) -> JsonObject:
    """For the command `submit`; nothing for a task that neither queues ahead nor has a budget or a limit."""
    limit = _limit(task)
    if not queues_ahead(task):
        return {"chain": limit} if limit else {}
    return {"chain": {**_granted(task), "queue_after_seconds": None, **limit}}


def queues_ahead(task: ChainedTaskRow) -> bool:
    return bool(task.resume.ahead)


async def forecast_grant(connection: AsyncConnection, task: ChainedTaskRow) -> JsonObject:
    """The same once an attempt runs, with the moment at which the follow-up is queued."""
    endpoint = await endpoint_by_id(connection, task.endpoint)
    ahead = {} if endpoint is None else await _ahead(connection, endpoint, task)
    return {
        **_granted(task),
        "queue_after_seconds": None,
        "hand_over_seconds": hand_over_seconds(task.order),
        **_limit(task),
        **ahead,
    }


async def known_waits(
    connection: AsyncConnection, endpoint: EndpointRow, owner: str
) -> list[PastWait]:
    """What the batch system's accounting reported at the last probe, and the person's own attempts since."""
    reported = waits_from_accounting(effective_facts(endpoint).get("waits"))
    since = (fact_time(endpoint, "waits") or 0.0) if reported else 0.0
    return [*reported, *await past_waits(connection, owner, endpoint.id, since)]


def _granted(task: ChainedTaskRow) -> JsonObject:
    until = granted_until(task.chain, task.resources, task.resume, task.attempts)
    return {"until": until, "counted": highest_number(task.attempts)}


def _limit(task: ChainedTaskRow) -> JsonObject:
    seconds = most_seconds(task.chain, task.resources)
    return {} if seconds is None else {"most_seconds": seconds}


async def _ahead(
    connection: AsyncConnection, endpoint: EndpointRow, task: ChainedTaskRow
) -> JsonObject:
    """On a machine without a batch system the next attempt starts at once: nothing is queued ahead there.

    `alone` is for a program that the agent has not seen to react to the stop flag.
    """
    current = next(attempt for attempt in task.attempts if attempt.id == task.attempt)
    if not read_abilities(effective_facts(endpoint)).has_queue or not current.started:
        return {}
    expected = await _forecast(connection, endpoint, task)
    return {
        **_due(task.order, expected, current, can_hand_over=True),
        "alone": _due(task.order, expected, current, can_hand_over=False),
    }


def _due(
    order: Order, expected: Forecast, current: AttemptRow, *, can_hand_over: bool
) -> JsonObject:
    started = current.started or 0.0
    after = queue_after_seconds(
        order,
        expected,
        queued=current.queued or started,
        started=started,
        is_first=current.number == 1,
        can_hand_over=can_hand_over,
    )
    early = cushion_seconds(order, expected, can_hand_over=can_hand_over)
    return {"queue_after_seconds": after, "cushion_seconds": early}


async def _forecast(
    connection: AsyncConnection, endpoint: EndpointRow, task: ChainedTaskRow
) -> Forecast:
    past = await known_waits(connection, endpoint, task.owner)
    resources, queue = task.resources, task.order.placement.partition
    limit = 60.0 * resources.walltime_minutes
    return forecast(past, queue=queue, nodes=resources.nodes, limit_seconds=limit)
