"""Probe runs on few node counts -> throughput, efficiency, and the number of nodes for a goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from diamond.core.errors import BadRequest

NOISE = 0.03
"""Throughputs this near count as equal; fewer nodes win."""


class Goal(Enum):
    """What a number of nodes is advised for."""

    SOONEST = "soonest"
    """The work is done earliest, waits in the queue included where they are known."""
    CHEAPEST = "cheapest"
    """The work takes the fewest node-hours."""
    EFFICIENCY = "efficiency"
    """The most nodes of which each still does a wanted share of what the fewest probed nodes do."""


@dataclass(frozen=True)
class Probe:
    """One short run: the samples of one step over all ranks, and the times of its steps after warm-up."""

    nodes: int
    samples_per_step: float
    step_seconds: Sequence[float]

    @property
    def throughput(self) -> float:
        """Samples a second, by the median step: one slow step tells about the machine, not the program."""
        return self.samples_per_step / median(self.step_seconds)


@dataclass(frozen=True)
class Point:
    nodes: int
    throughput: float
    efficiency: float
    """Throughput of a node, over that at the fewest nodes probed."""
    measured: bool = True


@dataclass(frozen=True)
class Advice:
    point: Point
    goal: Goal
    words: str


@dataclass(frozen=True)
class Batch:
    """per_rank × accumulation × ranks is the global batch, whatever the number of ranks."""

    per_rank: int
    accumulation: int


def curve(probes: Sequence[Probe]) -> list[Point]:
    """One point for each node count, fewest first."""
    if not probes:
        raise BadRequest("There is no probe run to judge by", "Probe at least one number of nodes.")
    best = {one.nodes: 0.0 for one in sorted(probes, key=lambda probe: probe.nodes)}
    for probe in probes:
        best[probe.nodes] = max(best[probe.nodes], probe.throughput)
    fewest = next(iter(best))
    base = best[fewest] / fewest
    return [Point(nodes, speed, speed / nodes / base) for nodes, speed in best.items()]


def between(points: Sequence[Point], nodes: int) -> Point:
    """The curve at a count that was not probed, never beyond the probes.

    The time of a sample is taken as a part that nodes share and one that they do not: straight over 1/nodes.
    """
    lower = max(
        (one for one in points if one.nodes <= nodes), key=lambda one: one.nodes, default=None
    )
    upper = min(
        (one for one in points if one.nodes >= nodes), key=lambda one: one.nodes, default=None
    )
    if lower is None or upper is None:
        known = f"{points[0].nodes} to {points[-1].nodes}"
        raise BadRequest(f"{nodes} nodes were not probed", f"The probes tell about {known} nodes.")
    if lower.nodes == upper.nodes:
        return lower
    share = (1 / lower.nodes - 1 / nodes) / (1 / lower.nodes - 1 / upper.nodes)
    throughput = 1 / ((1 - share) / lower.throughput + share / upper.throughput)
    efficiency = throughput / nodes / (points[0].throughput / points[0].nodes)
    return Point(nodes, throughput, efficiency, measured=False)


def advise(
    points: Sequence[Point],
    goal: Goal,
    *,
    floor: float = 0.7,
    samples: float | None = None,
    waits: Mapping[int, float] | None = None,
    unit: str = "samples",
) -> Advice:
    """The number of nodes for a goal; with `samples` to train on and `waits` by nodes, soonest counts the queue too."""
    if goal is Goal.CHEAPEST:
        chosen = fewest_of(points, [one.efficiency for one in points])
    elif goal is Goal.EFFICIENCY:
        chosen = max(efficient(points, floor), key=lambda one: one.nodes)
    elif samples and waits:
        chosen = fewest_of(points, [1 / finish_seconds(one, samples, waits) for one in points])
    else:
        chosen = fewest_of(points, [one.throughput for one in points])
    words = advice_words(chosen, goal, floor, unit, counts_waits=bool(samples and waits))
    return Advice(chosen, goal, words)


def hold_batch(global_batch: int, ranks: int, most_per_rank: int) -> Batch:
    """The largest batch per rank that fits, with as many accumulated steps as keep the global batch exactly."""
    share, rest = divmod(global_batch, ranks)
    if rest:
        fitting = [n for n in range(1, global_batch + 1) if global_batch % n == 0][:12]
        raise BadRequest(
            f"A global batch of {global_batch} cannot be shared evenly by {ranks} ranks",
            f"Ranks that can: {', '.join(map(str, fitting))}; or choose another global batch.",
        )
    per_rank = max(n for n in range(1, min(share, most_per_rank) + 1) if share % n == 0)
    return Batch(per_rank, share // per_rank)


def efficient(points: Sequence[Point], floor: float) -> list[Point]:
    """Never empty: the fewest nodes are what the others are compared with."""
    if not 0 < floor <= 1:
        raise BadRequest(
            f"An efficiency of {floor:g} cannot be asked for", "Write a share such as 0.7."
        )
    return [one for one in points if one.efficiency >= floor]


def fewest_of(points: Sequence[Point], values: Sequence[float]) -> Point:
    """The fewest nodes whose value is, but for noise, the best."""
    enough = (1 - NOISE) * max(values)
    return next(one for one, value in zip(points, values, strict=True) if value >= enough)


def finish_seconds(point: Point, samples: float, waits: Mapping[int, float]) -> float:
    return waits.get(point.nodes, 0.0) + samples / point.throughput


def advice_words(
    point: Point, goal: Goal, floor: float, unit: str, *, counts_waits: bool = False
) -> str:
    speed = f"{_plain(point.throughput)} {unit}/s, efficiency {point.efficiency:.0%}"
    why = {
        Goal.SOONEST: "the soonest end" + ", with what each number waits" * counts_waits,
        Goal.CHEAPEST: "the fewest node-hours",
        Goal.EFFICIENCY: f"the most nodes at an efficiency of {floor:.0%} or more",
    }[goal]
    return f"{point.nodes} node{'s' if point.nodes > 1 else ''}: {why} ({speed})"


def _plain(speed: float) -> str:
    """Four digits are enough to compare, but never as 1.932e+04."""
    return f"{speed:.0f}" if speed >= 1000 else f"{speed:.4g}"
