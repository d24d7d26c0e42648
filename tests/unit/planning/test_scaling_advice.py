"""From probe runs to a number of nodes."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.core.errors import BadRequest
from diamond.planning.scaling import Goal, Probe, advise, between, curve, hold_batch
from diamond.planning.tuning import TriedSetting, gains

PROBES = [
    Probe(1, 64, [1.0, 1.0, 1.2]),
    Probe(2, 128, [1.1, 1.1, 9.0]),
    Probe(4, 256, [1.6, 1.6, 1.6]),
    Probe(8, 512, [3.15, 3.2, 3.3]),
]
POINTS = curve(PROBES)


def test_throughput_goes_by_the_median_step_and_efficiency_by_the_fewest_nodes() -> None:
    assert [round(one.throughput) for one in POINTS] == [64, 116, 160, 160]
    assert [round(one.efficiency, 2) for one in POINTS] == [1.0, 0.91, 0.62, 0.31]


@pytest.mark.parametrize(
    ("goal", "nodes"), [(Goal.SOONEST, 4), (Goal.CHEAPEST, 1), (Goal.EFFICIENCY, 2)]
)
def test_each_goal_has_its_number_of_nodes(goal: Goal, nodes: int) -> None:
    advice = advise(POINTS, goal)
    assert advice.point.nodes == nodes
    assert f"{nodes} node" in advice.words


def test_a_long_wait_for_many_nodes_makes_fewer_the_soonest() -> None:
    waits = {1: 0.0, 2: 10.0, 4: 4000.0, 8: 9000.0}
    chosen = advise(POINTS, Goal.SOONEST, samples=100_000, waits=waits)
    assert chosen.point.nodes == 2


def test_a_lower_floor_allows_more_nodes() -> None:
    assert advise(POINTS, Goal.EFFICIENCY, floor=0.6).point.nodes == 4
    with pytest.raises(BadRequest, match="cannot be asked for"):
        advise(POINTS, Goal.EFFICIENCY, floor=1.5)


def test_a_count_between_two_probes_is_read_off_the_curve_and_marked_as_not_measured() -> None:
    three = between(POINTS, 3)
    assert POINTS[2].efficiency < three.efficiency < POINTS[1].efficiency
    assert not three.measured
    assert between(POINTS, 4).measured


def test_what_is_shared_by_nodes_and_what_is_not_is_read_off_exactly_between_two_probes() -> None:
    law = {nodes: 0.1 + 0.9 / nodes for nodes in (1, 8, 3)}
    points = curve([Probe(nodes, 1.0, [law[nodes]]) for nodes in (1, 8)])
    assert between(points, 3).throughput == pytest.approx(1 / law[3])


def test_beyond_the_probes_nothing_is_told() -> None:
    with pytest.raises(BadRequest, match="16 nodes were not probed"):
        between(POINTS, 16)
    with pytest.raises(BadRequest, match="no probe"):
        curve([])


def test_the_global_batch_is_held_by_accumulating() -> None:
    assert hold_batch(256, ranks=4, most_per_rank=32).accumulation == 2
    assert hold_batch(256, ranks=8, most_per_rank=32).accumulation == 1
    with pytest.raises(BadRequest, match="evenly") as caught:
        hold_batch(256, ranks=3, most_per_rank=32)
    assert "1, 2, 4, 8" in caught.value.hint


@given(st.integers(1, 64), st.integers(1, 200), st.integers(1, 300))
def test_a_held_batch_is_exact_and_fits(ranks: int, share: int, most: int) -> None:
    batch = hold_batch(ranks * share, ranks, most)
    assert batch.per_rank * batch.accumulation * ranks == ranks * share
    assert batch.per_rank <= most


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=6))
def test_the_advised_nodes_are_within_noise_of_the_best(times: list[float]) -> None:
    points = curve([Probe(2**n, 64.0 * 2**n, [time]) for n, time in enumerate(times)])
    best = max(one.throughput for one in points)
    assert advise(points, Goal.SOONEST).point.throughput >= 0.97 * best
    frugal = max(one.throughput / one.nodes for one in points)
    cheap = advise(points, Goal.CHEAPEST).point
    assert cheap.throughput / cheap.nodes >= 0.97 * frugal * (1 - 1e-9)


LAWS: dict[str, Callable[[float], float]] = {
    "linear": lambda n: n,
    "amdahl": lambda n: 1 / (0.1 + 0.9 / n),
    "mostly serial": lambda n: 1 / (0.3 + 0.7 / n),
    "tree": lambda n: n / (1 + 0.1 * log2(n)),
    "slow links from 2": lambda n: n * (1 if n < 2 else 0.6),
    "slow links from 16": lambda n: n * (1 if n < 16 else 0.4),
    "worse beyond 6": lambda n: n / (1 + (n / 6) ** 2),
}


def noisy(nodes: int, speed: float, noise: Random) -> Probe:
    """Nine steps that differ by 5 %, the first of them far too slow."""
    steps = [nodes / speed * max(0.8, noise.gauss(1, 0.05)) for _ in range(9)]
    return Probe(nodes, nodes, [5 * steps[0], *steps[1:]])


@pytest.mark.parametrize("counts", [(1, 2, 4), (1, 4, 16), (1, 8)], ids=str)
@pytest.mark.parametrize("law", LAWS)
def test_by_noisy_probes_the_advice_is_within_a_tenth_of_the_best_that_was_probed(
    law: str, counts: tuple[int, ...]
) -> None:
    speed, noise = LAWS[law], Random(5)
    for _ in range(20):
        points = curve([noisy(n, speed(n), noise) for n in counts])
        soonest = advise(points, Goal.SOONEST).point.nodes
        assert speed(soonest) >= 0.9 * max(speed(n) for n in counts)
        cheapest = advise(points, Goal.CHEAPEST).point.nodes
        assert speed(cheapest) / cheapest >= 0.9 * max(speed(n) / n for n in counts)
        efficient = advise(points, Goal.EFFICIENCY).point.nodes
        assert speed(efficient) / efficient >= 0.9 * 0.7 * speed(1)


def test_a_failed_probe_leaves_advice_by_the_others() -> None:
    left = [probe for probe in PROBES if probe.nodes != 2]
    assert advise(curve(left), Goal.SOONEST).point.nodes == 4
    assert advise(curve(left), Goal.EFFICIENCY).point.nodes == 1


def test_tuning_shows_what_each_change_gave_and_which_failed() -> None:
    found = gains(
        100,
        [
            TriedSetting("workers=4", 101),
            TriedSetting("bf16", 180),
            TriedSetting("batch=512", 0, problem="out of memory"),
        ],
    )
    assert [one.change for one in found] == ["bf16", "workers=4", "batch=512"]
    assert [one.helps for one in found] == [True, False, False]
    assert found[1].words == "workers=4: no difference"
    assert "out of memory" in found[2].words
