"""Throughput and efficiency from probe runs, and the best node count for a goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from diamond.core.errors import BadRequest

NOISE = 0.03
"""Throughputs within this margin count as equal; fewer nodes win."""


class Goal(Enum):
    """What the recommended node count should optimize."""

    SOONEST = "soonest"
    """Finish earliest, including queue waits where they are known."""
    CHEAPEST = "cheapest"
    """Use the fewest node-hours."""
    EFFICIENCY = "efficiency"
    """The largest node count that keeps a given efficiency."""


@dataclass(frozen=True)
class Probe:
    """One short run: samples per step over all ranks, and its step times after warm-up."""

    nodes: int
    samples_per_step: float
    step_seconds: Sequence[float]

    @property
    def throughput(self) -> float:
        """Samples per second by the median step, so that one slow step does not count."""
        return self.samples_per_step / median(self.step_seconds)


@dataclass(frozen=True)
class Point:
    nodes: int
    throughput: float
    efficiency: float
    """Throughput per node, relative to the smallest node count probed."""
    measured: bool = True


@dataclass(frozen=True)
class Advice:
    point: Point
    goal: Goal
    words: str


@dataclass(frozen=True)
class Batch:
    """per_rank × accumulation × ranks is the global batch."""

    per_rank: int
    accumulation: int


def curve(probes: Sequence[Probe]) -> list[Point]:
    """One point per node count, smallest first."""
    if not probes:
        raise BadRequest("There are no probe results", "Probe at least one node count.")
    best = {tried.nodes: 0.0 for tried in sorted(probes, key=lambda probe: probe.nodes)}
    for probe in probes:
        best[probe.nodes] = max(best[probe.nodes], probe.throughput)
    fewest = next(iter(best))
    base = best[fewest] / fewest
    return [Point(nodes, speed, speed / nodes / base) for nodes, speed in best.items()]


def between(points: Sequence[Point], nodes: int) -> Point:
    """The curve at a node count that was not probed, within the probed range.

    Time per sample is modelled as a parallel and a serial part, linear in 1/nodes.
    """
    lower = max(
        (point for point in points if point.nodes <= nodes),
        key=lambda point: point.nodes,
        default=None,
    )
    upper = min(
        (point for point in points if point.nodes >= nodes),
        key=lambda point: point.nodes,
        default=None,
    )
    if lower is None or upper is None:
        known = f"{points[0].nodes} to {points[-1].nodes}"
        raise BadRequest(
            f"{nodes} nodes is outside the probed range", f"The probes cover {known} nodes."
        )
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
    """The best node count for a goal. With `samples` and `waits` per node count, `soonest` includes queue waits."""
    if goal is Goal.CHEAPEST:
        chosen = fewest_of(points, [point.efficiency for point in points])
    elif goal is Goal.EFFICIENCY:
        chosen = max(efficient(points, floor), key=lambda point: point.nodes)
    elif samples and waits:
        chosen = fewest_of(points, [1 / finish_seconds(point, samples, waits) for point in points])
    else:
        chosen = fewest_of(points, [point.throughput for point in points])
    text = advice_words(chosen, goal, floor, unit, counts_waits=bool(samples and waits))
    return Advice(chosen, goal, text)


def hold_batch(global_batch: int, ranks: int, most_per_rank: int) -> Batch:
    """The largest batch per rank that fits, with enough accumulation to keep the global batch exactly."""
    share, rest = divmod(global_batch, ranks)
    if rest:
        valid = [n for n in range(1, global_batch + 1) if global_batch % n == 0][:12]
        raise BadRequest(
            f"A global batch of {global_batch} cannot be divided evenly among {ranks} ranks",
            f"Valid rank counts: {', '.join(map(str, valid))}; or choose another global batch.",
        )
    per_rank = max(n for n in range(1, min(share, most_per_rank) + 1) if share % n == 0)
    return Batch(per_rank, share // per_rank)


def efficient(points: Sequence[Point], floor: float) -> list[Point]:
    """Never empty: the smallest node count is the reference."""
    if not 0 < floor <= 1:
        raise BadRequest(
            f"{floor:g} is not a valid efficiency",
            "Give a number above 0 and at most 1, such as 0.7.",
        )
    return [point for point in points if point.efficiency >= floor]


def fewest_of(points: Sequence[Point], values: Sequence[float]) -> Point:
    """The smallest node count whose value is the best, within noise."""
    enough = (1 - NOISE) * max(values)
    return next(point for point, value in zip(points, values, strict=True) if value >= enough)


def finish_seconds(point: Point, samples: float, waits: Mapping[int, float]) -> float:
    return waits.get(point.nodes, 0.0) + samples / point.throughput


def advice_words(
    point: Point, goal: Goal, floor: float, unit: str, *, counts_waits: bool = False
) -> str:
    speed = f"{_plain(point.throughput)} {unit}/s, efficiency {point.efficiency:.0%}"
    why = {
        Goal.SOONEST: "earliest finish" + ", queue waits included" * counts_waits,
        Goal.CHEAPEST: "fewest node-hours",
        Goal.EFFICIENCY: f"the largest node count that keeps {floor:.0%} efficiency",
    }[goal]
    return f"{point.nodes} node{'s' if point.nodes > 1 else ''}: {why} ({speed})"


def _plain(speed: float) -> str:
    """Four significant digits, without exponents such as 1.932e+04."""
    return f"{speed:.0f}" if speed >= 1000 else f"{speed:.4g}"
