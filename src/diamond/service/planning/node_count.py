"""`nodes: auto`: the node count that the newest fitting scale advises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import Composed
from diamond.core.errors import Conflict
from diamond.service.access.principal import Principal
from diamond.service.composer import compose
from diamond.service.composer.compose import Code, Spec
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.planning.advice import TooDear, advice_within, is_whole
from diamond.service.planning.scale_store import newest_fitting
from diamond.service.planning.scales import fits_digest
from diamond.service.platform.database.rows import Row
from diamond.service.platform.services import Services

AUTO = "auto"


GOAL = "efficiency:0.7"
"""What probes are asked that nobody asked for: many nodes, but none that mostly wait for each other."""


async def check_job(
    services: Services, principal: Principal, spec: Spec, code: Code, project: str = ""
) -> Composed:
    """As it would run: with the number of nodes, where that is known."""
    composed = await compose.check_job(services, principal, spec, code, project)
    if not is_auto(spec):
        return composed
    async with services.store.read() as connection:
        found = await endpoint_rows.list_endpoints(connection, principal.user)
        if all(row["name"] != composed.endpoint for row in found):
            words = f"nodes: auto needs probes, and {composed.endpoint} is another's account"
            raise Conflict(words, "Say how many nodes.")
        known = await known_count(connection, endpoint_of(found, composed), composed)
    if known is None:
        return replace(composed, warnings=[*composed.warnings, waiting_message()])
    settled, words = known
    found_again = await compose.check_job(services, principal, settled, code, project)
    return replace(found_again, warnings=[words, *found_again.warnings])


def is_auto(spec: Spec) -> bool:
    resources = spec.get("resources")
    return isinstance(resources, dict) and resources.get("nodes") == AUTO


async def known_count(
    connection: AsyncConnection, endpoint: Row, composed: Composed
) -> tuple[Spec, str] | None:
    """The spec with the number of nodes of the newest fitting scale, and words on where it is from."""
    fits = fits_digest(endpoint["id"], composed)
    row = await newest_fitting(connection, endpoint["owner"], fits)
    if row is None:
        return None
    advice = _affordable(row, composed)
    place = "/".join(one for one in (composed.endpoint, composed.order.placement.partition) if one)
    settled = {**settled_spec(composed.spec, advice), "on": place}
    words = f"nodes: auto is {advice['words']}, told by scale {row['id']}"
    return settled, words + ("" if is_whole(row["probes"]) else "; `diamond scale` probes anew")


def _affordable(scale: Row, composed: Composed) -> dict[str, Any]:
    """Where nothing is, the check of the spec says so."""
    minutes = composed.order.resources.walltime_minutes
    try:
        return advice_within(scale, composed.order.budget, minutes)
    except TooDear:
        return dict(scale["result"]["advice"])


def waiting_message() -> str:
    return f"nodes: auto: no scale of this spec has told a number yet, so probes run first ({GOAL})"


def endpoint_of(endpoints: Sequence[EndpointRow], composed: Composed) -> EndpointRow:
    return next(row for row in endpoints if row.name == composed.endpoint)


def settled_spec(spec: Mapping[str, Any], advice: Mapping[str, Any]) -> dict[str, Any]:
    """The spec with the advised number of nodes, and the params that hold its batch there."""
    return {
        **spec,
        "params": {**(spec.get("params") or {}), **advice["params"]},
        "resources": {**(spec.get("resources") or {}), "nodes": advice["nodes"]},
    }
