"""What an agent is told about a chain: up to which number it may go on by itself, and when it queues ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.batch_systems import read_abilities
from diamond.core.order import Order, order_from
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
from diamond.service.endpoints.facts import effective_facts, fact_time
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id


def grant_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """For the command `submit`; nothing for a task that neither queues ahead nor has a budget."""
    ceiling = most_seconds(row["chain"] or {}, row["order"])
    if not queues_ahead(row):
        return {"chain": ceiling} if ceiling else {}
    until = granted_until(row["chain"] or {}, row["order"], row["attempts"])
    counted = highest_number(row["attempts"])
    return {"chain": {"until": until, "counted": counted, "queue_after_seconds": None, **ceiling}}


def queues_ahead(row: Mapping[str, Any]) -> bool:
    return bool((row["order"].get("resume") or {}).get("ahead"))


async def forecast_grant(connection: AsyncConnection, row: Mapping[str, Any]) -> dict[str, Any]:
    """The same once an attempt runs, with the moment at which the follow-up is queued."""
    order = order_from(dict(row["order"]))
    endpoint = await endpoint_by_id(connection, row["endpoint"])
    until = granted_until(row["chain"] or {}, row["order"], row["attempts"])
    ahead = {} if endpoint is None else await _ahead(connection, endpoint, row, order)
    return {
        "until": until,
        "counted": highest_number(row["attempts"]),
        "queue_after_seconds": None,
        "hand_over_seconds": hand_over_seconds(order),
        **most_seconds(row["chain"] or {}, row["order"]),
        **ahead,
    }


async def known_waits(
    connection: AsyncConnection, endpoint: EndpointRow, owner: str
) -> list[PastWait]:
    """What the batch system's own record told at the last probe, and the person's own attempts since."""
    told = waits_from_accounting(effective_facts(endpoint).get("waits"))
    since = (fact_time(endpoint, "waits") or 0.0) if told else 0.0
    return [*told, *await past_waits(connection, owner, endpoint["id"], since)]


async def _ahead(
    connection: AsyncConnection, endpoint: EndpointRow, row: Mapping[str, Any], order: Order
) -> dict[str, Any]:
    """On a machine without a batch system the next attempt starts at once: nothing is queued ahead there.

    `alone` is for a program that the agent has not seen to heed the stop flag.
    """
    facts = effective_facts(endpoint)
    current = next(one for one in row["attempts"] if one["id"] == row["attempt"])
    if not read_abilities(facts).has_queue or not current.get("started"):
        return {}
    expected = await _forecast(connection, endpoint, row["owner"], order)
    return {
        **_due(order, expected, current, can_hand_over=True),
        "alone": _due(order, expected, current, can_hand_over=False),
    }


def _due(
    order: Order, expected: Forecast, current: Mapping[str, Any], *, can_hand_over: bool
) -> dict[str, float | None]:
    after = queue_after_seconds(
        order,
        expected,
        queued=float(current.get("queued") or current["started"]),
        started=float(current["started"]),
        is_first=current["number"] == 1,
        can_hand_over=can_hand_over,
    )
    early = cushion_seconds(order, expected, can_hand_over=can_hand_over)
    return {"queue_after_seconds": after, "cushion_seconds": early}


async def _forecast(
    connection: AsyncConnection, endpoint: EndpointRow, owner: str, order: Order
) -> Forecast:
    past = await known_waits(connection, endpoint, owner)
    limit = 60.0 * order.resources.walltime_minutes
    queue = order.placement.partition
    return forecast(past, queue=queue, nodes=order.resources.nodes, limit_seconds=limit)
