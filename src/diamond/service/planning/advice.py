"""What the probes of a scale advise: how many nodes for its goal, with the params that keep the batch size there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import DiamondError
from diamond.planning.budget import max_nodes_within, parse_budget
from diamond.planning.probe_runs import parse_goal
from diamond.planning.scaling import Point, Probe, advise, between, curve
from diamond.planning.waits import forecast
from diamond.service.chains.granting import known_waits
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.planning.rows import (
    NodeAdvice,
    ProbeRow,
    ScaleRow,
    ScaleSettings,
    UnprobedSize,
)


class BudgetTooSmall(DiamondError):
    """No node count that was measured fits into the budget."""


def curve_of(probes: Sequence[ProbeRow]) -> list[Point]:
    measured = [
        Probe(probe.nodes, probe.samples_per_step, [probe.step_seconds])
        for probe in probes
        if probe.is_measured and probe.step_seconds is not None
    ]
    return curve(measured) if measured else []


def advice_of(
    settings: ScaleSettings,
    probes: Sequence[ProbeRow],
    *,
    most: int | None = None,
    waits: Mapping[int, float] | None = None,
) -> NodeAdvice:
    """`most`: nodes that fit into a budget. `waits`: typical ones by node count; used if known for each of them."""
    points = curve_of(probes)
    if not points:
        raise DiamondError("No probe measured a step time", first_message(probes))
    unprobed = _unprobed(settings, points)
    interpolated = [between(points, size.nodes) for size in unprobed]
    every = sorted([*points, *interpolated], key=lambda point: point.nodes)
    affordable = [point for point in every if most is None or point.nodes <= most]
    if not affordable:
        raise BudgetTooSmall(
            f"The rest of the budget is too small for one attempt on {count_nodes(points[0].nodes)}",
            "Run it again with a larger budget or a shorter wall-time.",
        )
    goal, floor = parse_goal(settings.goal)
    advice = advise(
        affordable,
        goal,
        floor=floor,
        unit=settings.unit,
        waits=waits,
        samples=points[0].throughput * 60 * settings.minutes,
    )
    point = advice.point
    sizes: list[ProbeRow | UnprobedSize] = [*probes, *unprobed]
    params = next(size.params for size in sizes if size.nodes == point.nodes)
    is_bounded = len(affordable) < len(every)
    text = advice.words + _caveats(settings, probes, point, is_bounded=is_bounded)
    return NodeAdvice(point.nodes, point.throughput, point.efficiency, point.measured, params, text)


def advice_within(scale: ScaleRow, budget: str | None, minutes: int) -> NodeAdvice:
    """What was advised, or the best that fits into the budget of another spec of its kind."""
    advice = scale.result.advice
    if advice is None:
        raise DiamondError(f"Scale {scale.id} has no advice")
    if not budget:
        return advice
    most = max_nodes_within(parse_budget(budget), 60.0 * minutes, scale.settings.rate)
    if advice.nodes <= most:
        return advice
    return advice_of(scale.settings, scale.probes, most=most)


async def waits_by_nodes(connection: AsyncConnection, scale: ScaleRow) -> dict[int, float]:
    """Typical waits of jobs with the spec's own time limit; empty unless known for every node count."""
    settings = scale.settings
    endpoint = await endpoint_by_id(connection, scale.endpoint)
    if endpoint is None or not settings.minutes:
        return {}
    past = await known_waits(connection, endpoint, scale.owner)
    sizes = {probe.nodes for probe in scale.probes} | {size.nodes for size in settings.between}
    typical = {
        nodes: forecast(
            past, queue=settings.partition, nodes=nodes, limit_seconds=60.0 * settings.minutes
        ).typical
        for nodes in sizes
    }
    known = {nodes: wait for nodes, wait in typical.items() if wait is not None}
    return known if len(known) == len(sizes) else {}


def is_whole(probes: Sequence[ProbeRow]) -> bool:
    """Whether each of them measured a step time."""
    return all(probe.is_measured for probe in probes)


def count_nodes(nodes: int) -> str:
    return f"{nodes} node{'s' * (nodes != 1)}"


def first_message(probes: Sequence[ProbeRow]) -> str:
    return next(
        (f"{probe.label}: {probe.words}" for probe in probes if probe.words),
        "Does the program call diamond.training.log(step, …)?",
    )


def _unprobed(settings: ScaleSettings, points: Sequence[Point]) -> list[UnprobedSize]:
    """Node counts between two that were measured."""
    measured = {point.nodes for point in points}
    return [
        size
        for size in settings.between
        if points[0].nodes < size.nodes < points[-1].nodes and size.nodes not in measured
    ]


def _caveats(
    settings: ScaleSettings, probes: Sequence[ProbeRow], point: Point, *, is_bounded: bool
) -> str:
    """What to know about the number before using it."""
    silent = [probe.label for probe in probes if not probe.is_measured]
    doubt = settings.doubt if point.nodes > 1 else ""
    parts = [
        "" if point.measured else ", interpolated between two probes",
        ", the most that the budget allows" if is_bounded else "",
        f"; no measurement on {' and '.join(silent)}" if silent else "",
        f"; {doubt}" if doubt else "",
    ]
    return "".join(parts)
