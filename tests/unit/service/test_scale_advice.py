"""The advice that follows from probes: with waits, within a budget, and with its caveats."""

from __future__ import annotations

import pytest

from diamond.core.errors import DiamondError
from diamond.service.planning.advice import BudgetTooSmall, advice_of, advice_within, is_whole
from diamond.service.planning.rows import (
    ProbeRow,
    ScaleResult,
    ScaleRow,
    ScaleSettings,
    UnprobedSize,
)

HOUR = 3600.0


def probe(nodes: int, step_seconds: float | None) -> ProbeRow:
    return ProbeRow(
        label=f"{nodes} node{'s' * (nodes > 1)}",
        nodes=nodes,
        ranks=nodes,
        minutes=10,
        spec={},
        params={"batch": 64 // nodes},
        changed="",
        samples_per_step=64.0,
        state="measured" if step_seconds else "failed",
        step_seconds=step_seconds,
    )


PROBES = [probe(1, 0.5), probe(2, 0.275), probe(4, 0.2)]


def settings(
    goal: str = "soonest",
    rate: float | None = None,
    doubt: str = "",
    between: tuple[UnprobedSize, ...] = (),
) -> ScaleSettings:
    return ScaleSettings(
        partition="",
        goal=goal,
        steps=30,
        unit="samples",
        node_hours_at_most=1.0,
        notes=(),
        between=between,
        together=False,
        budget=None,
        rate=rate,
        doubt=doubt,
        minutes=60,
    )


def scale(probes: list[ProbeRow], rate: float | None = None) -> ScaleRow:
    wanted = settings(rate=rate)
    return ScaleRow(
        id="s1",
        owner="ada",
        name="digits",
        kind="nodes",
        state="done",
        message="",
        job="j1",
        for_task="",
        endpoint="e1",
        endpoint_name="alpha",
        fits="",
        settings=wanted,
        probes=tuple(probes),
        result=ScaleResult(advice_of(wanted, probes)),
        created=0.0,
        updated=0.0,
        ended=None,
        version=1,
    )


def test_soonest_counts_what_each_number_of_nodes_waits() -> None:
    made = settings()
    assert advice_of(made, PROBES).nodes == 4
    long = {1: 0.0, 2: 600.0, 4: HOUR}
    advice = advice_of(made, PROBES, waits=long)
    assert (advice.nodes, advice.params) == (2, {"batch": 32})
    assert "queue waits included" in advice.words
    assert advice_of(made, PROBES, waits=dict.fromkeys((1, 2, 4), 60.0)).nodes == 4


@pytest.mark.parametrize(
    ("budget", "nodes"),
    [(None, 4), ("4 node-hours", 4), ("3.9 node-hours", 2), ("1 node-hours", 1)],
)
def test_no_more_is_advised_than_the_budget_holds_for_one_attempt(
    budget: str | None, nodes: int
) -> None:
    advice = advice_within(scale(PROBES), budget, 60)
    assert advice.nodes == nodes
    assert ("the most that the budget allows" in advice.words) == (nodes < 4)


def test_a_budget_that_holds_nothing_that_was_measured_is_said_to_be_too_small() -> None:
    with pytest.raises(BudgetTooSmall, match="too small for one attempt on 2 nodes"):
        advice_within(scale([probe(1, None), *PROBES[1:]]), "1.5 node-hours", 60)


def test_a_sites_unit_goes_by_its_rate() -> None:
    assert advice_within(scale(PROBES, rate=10.0), "25 SU", 60).nodes == 2


def test_probes_without_a_measurement_are_named() -> None:
    part = [PROBES[0], probe(2, None), probe(4, None)]
    assert not is_whole(part)
    assert advice_of(settings(), part).words.endswith("; no measurement on 2 nodes and 4 nodes")
    with pytest.raises(DiamondError, match="No probe measured a step time"):
        advice_of(settings(), [probe(1, None)])


def test_a_doubt_about_ranks_goes_with_every_advice_of_more_than_one_node() -> None:
    assert advice_of(settings(doubt="if so"), PROBES).words.endswith("; if so")
    cheap = advice_of(settings(goal="cheapest", doubt="if so"), PROBES)
    assert cheap.nodes == 1
    assert "if so" not in cheap.words
