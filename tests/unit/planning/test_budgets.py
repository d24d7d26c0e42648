"""No attempt starts that could pass the ceiling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.core.errors import BadRequest
from diamond.planning.budget import (
    Budget,
    NodeUsage,
    longest_within,
    max_nodes_within,
    may_follow_unasked,
    may_start,
    parse_budget,
)

HOUR = 3600.0


def test_an_attempt_that_fits_to_the_last_node_hour_may_start() -> None:
    verdict = may_start(Budget(20), NodeUsage(4, 3 * HOUR), spent=[NodeUsage(4, 2 * HOUR)])
    assert (verdict.may_start, verdict.cost, verdict.left) == (True, 12, 12)


def test_what_is_queued_counts_with_its_whole_limit() -> None:
    verdict = may_start(Budget(20), NodeUsage(4, 3 * HOUR), committed=[NodeUsage(4, 3 * HOUR)])
    assert not verdict.may_start
    assert "8 of 20 are left" in verdict.words


def test_a_budget_in_the_sites_units_uses_its_charge_rate() -> None:
    verdict = may_start(Budget(100, "SU"), NodeUsage(1, HOUR), units_per_node_hour=64)
    assert (verdict.may_start, verdict.cost, verdict.unit) == (True, 64, "SU")
    assert not may_start(Budget(100, "SU"), NodeUsage(2, HOUR), units_per_node_hour=64).may_start


def test_units_without_a_rate_are_refused_with_what_to_do() -> None:
    with pytest.raises(BadRequest, match="SU") as caught:
        may_start(Budget(100, "SU"), NodeUsage(1, HOUR))
    assert "node-hours" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "budget"),
    [("200 node-hours", Budget(200)), ("0.5 SU", Budget(0.5, "SU"))],
)
def test_a_budget_is_a_number_and_a_unit(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize("text", ["", "200", "node-hours", "-5 node-hours", "1e3 SU", "5 5"])
def test_anything_else_is_no_budget(text: str) -> None:
    with pytest.raises(BadRequest, match="is not a budget"):
        parse_budget(text)


def test_without_a_budget_the_fourth_follow_up_asks() -> None:
    assert [may_follow_unasked(done) for done in range(5)] == [True, True, True, False, False]


USES = st.lists(st.builds(NodeUsage, st.integers(1, 64), st.floats(0, 1e6)), max_size=5)


@given(st.floats(0, 1e5), USES, USES, st.builds(NodeUsage, st.integers(1, 64), st.floats(1, 1e6)))
def test_nothing_that_may_start_can_pass_the_ceiling(
    amount: float, spent: list[NodeUsage], committed: list[NodeUsage], attempt: NodeUsage
) -> None:
    verdict = may_start(Budget(amount), attempt, spent=spent, committed=committed)
    most = sum(use.node_hours for use in (*spent, *committed, attempt))
    assert not verdict.may_start or most <= amount + 1e-6


@given(st.floats(0, 1e5), st.integers(1, 64))
def test_the_longest_attempt_that_fits_may_start(left: float, nodes: int) -> None:
    longest = longest_within(left, nodes)
    assert may_start(Budget(left), NodeUsage(nodes, longest)).may_start


def test_a_budget_holds_so_many_nodes_for_one_attempt() -> None:
    assert max_nodes_within(Budget(80), 8 * 3600) == 10
    assert max_nodes_within(Budget(7.9), 8 * 3600) == 0
    assert max_nodes_within(Budget(100, "SU"), 3600, 25) == 4
