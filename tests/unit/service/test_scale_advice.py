"""The advice that is drawn from probes: with waits, within a budget, and with what a person should know of it."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.core.errors import DiamondError
from diamond.service.planning.advice import TooDear, advice_of, advice_within, is_whole

HOUR = 3600.0


def probe(nodes: int, step_seconds: float | None, **more: Any) -> dict[str, Any]:
    told = {"state": "measured" if step_seconds else "failed", "step_seconds": step_seconds}
    label = f"{nodes} node{'s' * (nodes > 1)}"
    held = {"label": label, "samples_per_step": 64.0, "params": {"batch": 64 // nodes}, "words": ""}
    return {"nodes": nodes, **held, **told, **more}


PROBES = [probe(1, 0.5), probe(2, 0.275), probe(4, 0.2)]


def scale(probes: list[dict[str, Any]], goal: str = "soonest", **wanted: Any) -> dict[str, Any]:
    told = {"goal": goal, "unit": "samples", "between": [], "minutes": 60, "rate": None}
    made = {"wanted": {**told, **wanted}, "probes": probes}
    return {**made, "result": {"advice": advice_of(made, probes)}}


def test_soonest_counts_what_each_number_of_nodes_waits() -> None:
    made = scale(PROBES)
    assert advice_of(made, PROBES)["nodes"] == 4
    long = {1: 0.0, 2: 600.0, 4: HOUR}
    advice = advice_of(made, PROBES, waits=long)
    assert (advice["nodes"], advice["params"]) == (2, {"batch": 32})
    assert "queue waits included" in advice["words"]
    assert advice_of(made, PROBES, waits=dict.fromkeys((1, 2, 4), 60.0))["nodes"] == 4


@pytest.mark.parametrize(
    ("budget", "nodes"),
    [(None, 4), ("4 node-hours", 4), ("3.9 node-hours", 2), ("1 node-hours", 1)],
)
def test_no_more_is_advised_than_the_budget_holds_for_one_attempt(
    budget: str | None, nodes: int
) -> None:
    advice = advice_within(scale(PROBES), budget, 60)
    assert advice["nodes"] == nodes
    assert ("as many as the budget holds" in advice["words"]) == (nodes < 4)


def test_a_budget_that_holds_nothing_that_was_measured_is_said_to_be_too_small() -> None:
    with pytest.raises(TooDear, match="does not hold one attempt on 2 nodes"):
        advice_within(scale([probe(1, None), *PROBES[1:]]), "1.5 node-hours", 60)


def test_a_sites_unit_goes_by_its_rate() -> None:
    assert advice_within(scale(PROBES, rate=10.0), "25 SU", 60)["nodes"] == 2


def test_probes_that_told_nothing_are_named() -> None:
    part = [PROBES[0], probe(2, None), probe(4, None)]
    assert not is_whole(part)
    assert advice_of(scale(part), part)["words"].endswith("; 2 nodes and 4 nodes told nothing")
    with pytest.raises(DiamondError, match="No probe told a pace"):
        advice_of({"wanted": {}}, [probe(1, None)])


def test_a_doubt_about_ranks_goes_with_every_advice_of_more_than_one_node() -> None:
    assert advice_of(scale(PROBES, doubt="if so"), PROBES)["words"].endswith("; if so")
    cheap = advice_of(scale(PROBES, goal="cheapest", doubt="if so"), PROBES)
    assert cheap["nodes"] == 1
    assert "if so" not in cheap["words"]
