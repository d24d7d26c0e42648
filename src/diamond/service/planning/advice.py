"""What the probes of a scale advise: how many nodes for its goal, with the params that hold the batch there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import DiamondError
from diamond.planning.budget import max_nodes_within, parse_budget
from diamond.planning.probe_runs import ProbeState, parse_goal
from diamond.planning.scaling import Point, Probe, advise, between, curve
from diamond.planning.waits import forecast
from diamond.service.chains.granting import known_waits
from diamond.service.endpoints.store import endpoint_by_id

Data = Mapping[str, Any]
Found = dict[str, Any]


class TooDear(DiamondError):
    """No number of nodes that was measured fits into the budget."""


def curve_of(probes: Sequence[Data]) -> list[Point]:
    measured = [
        Probe(one["nodes"], one["samples_per_step"], [one["step_seconds"]])
        for one in probes
        if _has_told(one)
    ]
    return curve(measured) if measured else []


def advice_of(
    scale: Data,
    probes: Sequence[Data],
    *,
    most: int | None = None,
    waits: Mapping[int, float] | None = None,
) -> Found:
    """`most`: nodes that a budget holds. `waits`: typical ones, by nodes; they count if that of each number is known."""
    wanted, points = scale["wanted"], curve_of(probes)
    if not points:
        raise DiamondError("No probe told a pace", first_words(probes))
    unprobed = _unprobed(wanted, points)
    read_off = [between(points, one["nodes"]) for one in unprobed]
    every = sorted([*points, *read_off], key=lambda point: point.nodes)
    affordable = [one for one in every if most is None or one.nodes <= most]
    if not affordable:
        raise TooDear(
            f"What is left of the budget does not hold one attempt on {count_nodes(points[0].nodes)}",
            "Run it again with a larger budget or a shorter wall-time.",
        )
    goal, floor = parse_goal(wanted["goal"])
    found = advise(
        affordable,
        goal,
        floor=floor,
        unit=wanted["unit"],
        waits=waits,
        samples=points[0].throughput * 60 * wanted.get("minutes", 0),
    )
    chosen = next(one for one in [*probes, *unprobed] if one["nodes"] == found.point.nodes)
    words = found.words + _caveats(scale, probes, found.point, bounded=len(affordable) < len(every))
    return {**asdict(found.point), "params": chosen["params"], "words": words}


def advice_within(scale: Data, budget: str | None, minutes: int) -> Found:
    """What was advised, or the best that the budget of another spec of its kind holds."""
    advice: Found = scale["result"]["advice"]
    if not budget:
        return advice
    most = max_nodes_within(parse_budget(budget), 60.0 * minutes, scale["wanted"]["rate"])
    if advice["nodes"] <= most:
        return advice
    return advice_of(scale, scale["probes"], most=most)


async def waits_by_nodes(connection: AsyncConnection, scale: Data) -> dict[int, float]:
    """The typical wait of a job of the spec's own time limit; empty unless it is known for each number of nodes."""
    wanted = scale["wanted"]
    endpoint = await endpoint_by_id(connection, scale["endpoint"])
    if endpoint is None or not wanted.get("minutes"):
        return {}
    past = await known_waits(connection, endpoint, scale["owner"])
    sizes = {one["nodes"] for one in [*scale["probes"], *wanted["between"]]}
    typical = {
        nodes: forecast(
            past, queue=wanted["partition"], nodes=nodes, limit_seconds=60.0 * wanted["minutes"]
        ).typical
        for nodes in sizes
    }
    known = {nodes: wait for nodes, wait in typical.items() if wait is not None}
    return known if len(known) == len(sizes) else {}


def is_whole(probes: Sequence[Data]) -> bool:
    """Whether each of them told a pace."""
    return all(map(_has_told, probes))


def _has_told(probe: Data) -> bool:
    return bool(probe["state"] == ProbeState.MEASURED.value)


def count_nodes(nodes: int) -> str:
    return f"{nodes} node{'s' * (nodes != 1)}"


def first_words(probes: Sequence[Data]) -> str:
    return next(
        (f"{one['label']}: {one['words']}" for one in probes if one["words"]),
        "Does the program call diamond.training.log(step, …)?",
    )


def _unprobed(wanted: Data, points: Sequence[Point]) -> list[Data]:
    """Numbers between two that were measured."""
    measured = {point.nodes for point in points}
    return [
        one
        for one in wanted["between"]
        if points[0].nodes < one["nodes"] < points[-1].nodes and one["nodes"] not in measured
    ]


def _caveats(scale: Data, probes: Sequence[Data], point: Point, *, bounded: bool) -> str:
    """What a person should know of the number before she takes it."""
    silent = [one["label"] for one in probes if not _has_told(one)]
    doubt = scale["wanted"].get("doubt", "") if point.nodes > 1 else ""
    words = [
        "" if point.measured else ", read off between two probes",
        ", as many as the budget holds" if bounded else "",
        f"; {' and '.join(silent)} told nothing" if silent else "",
        f"; {doubt}" if doubt else "",
    ]
    return "".join(words)
