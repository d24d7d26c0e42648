"""`nodes: auto`: the node count that the newest matching scale advises."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.raw_spec import has_auto_nodes, on_partition, with_nodes
from diamond.compose.spec_check import Composed
from diamond.core.errors import Conflict
from diamond.service.composer.compose import Composer
from diamond.service.planning.advice import BudgetTooSmall, advice_within, is_whole
from diamond.service.planning.rows import NodeAdvice, ScaleRow
from diamond.service.planning.scale_store import newest_fitting
from diamond.service.planning.scales import fits_digest

GOAL = "efficiency:0.7"
"""The goal of probes that start by themselves: many nodes, but not so many that they mostly wait for each other."""
PROBES_FIRST = (
    f"nodes: auto: no scale has measured this spec yet, so short probes run first ({GOAL})"
)


@dataclass(frozen=True)
class Counted:
    """A composed spec whose node count is settled, or has to be probed first."""

    composed: Composed
    needs_probes: bool = False


async def settle_node_count(
    connection: AsyncConnection, composer: Composer, composed: Composed, owner: str
) -> Counted:
    """A spec that names its node count is left as it is; for `auto`, what a scale of the same kind found."""
    if not has_auto_nodes(composed.spec):
        return Counted(composed)
    endpoint = composer.endpoint_of(composed)
    if endpoint.owner != owner:
        raise Conflict(
            f"nodes: auto needs probes, and {endpoint.name} is another person's account",
            "Set the number of nodes.",
        )
    scale = await newest_fitting(connection, owner, fits_digest(endpoint.id, composed))
    if scale is None:
        return Counted(_with_warning(composed, PROBES_FIRST), needs_probes=True)
    advice = _affordable(scale, composed)
    again = "" if is_whole(scale.probes) else "; `diamond scale` probes it again"
    note = f"nodes: auto is {advice.words}, measured by scale {scale.id}{again}"
    return Counted(_with_warning(with_advice(composer, composed, advice), note))


def with_advice(composer: Composer, composed: Composed, advice: NodeAdvice) -> Composed:
    """Composed again with the advised node count, the one time that this is needed.

    The count decides which limits of the site apply, what one attempt costs, how memory is shared, and, by the params
    that keep the batch size, the command itself. The partition stays the one that was probed.
    """
    spec = with_nodes(composed.spec, advice.nodes, advice.params)
    placement = composed.order.placement
    return composer.compose(on_partition(spec, composed.endpoint, placement.partition))


def _affordable(scale: ScaleRow, composed: Composed) -> NodeAdvice:
    """Where nothing fits into the budget, composing the spec again says so."""
    order = composed.order
    try:
        return advice_within(scale, order.budget, order.resources.walltime_minutes)
    except BudgetTooSmall:
        return advice_within(scale, None, order.resources.walltime_minutes)


def _with_warning(composed: Composed, warning: str) -> Composed:
    return replace(composed, warnings=[warning, *composed.warnings])
