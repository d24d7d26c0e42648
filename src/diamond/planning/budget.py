"""Budgets: may one more attempt start without passing the limit, in node-hours or the site's own unit?"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from diamond.core.errors import BadRequest

NODE_HOURS = "node-hours"
UNASKED_FOLLOW_UPS = 3
"""Without a budget, a task asks its owner after this many follow-ups."""
_BUDGET = re.compile(r"(\d+(?:\.\d+)?)\s+([A-Za-z][A-Za-z0-9 _-]{0,39})")


@dataclass(frozen=True)
class Budget:
    amount: float
    unit: str = NODE_HOURS


@dataclass(frozen=True)
class NodeUsage:
    """The nodes that an attempt or probe occupies, and for how long (actual, or at most)."""

    nodes: int
    seconds: float

    @property
    def node_hours(self) -> float:
        return self.nodes * self.seconds / 3600


@dataclass(frozen=True)
class BudgetVerdict:
    may_start: bool
    cost: float
    """The most that the attempt can cost."""
    left: float
    """Remaining budget after everything spent and everything that queued and running attempts may still spend."""
    unit: str
    words: str
    """The verdict as a sentence for the user."""


def parse_budget(text: str) -> Budget:
    """Reads '200 node-hours' or '500 SU'."""
    match = _BUDGET.fullmatch(text.strip())
    if not match:
        raise BadRequest(
            f"{text!r} is not a budget",
            "Write a number and a unit, such as '200 node-hours', or the site's own unit, such as '500 SU'.",
        )
    return Budget(float(match.group(1)), match.group(2))


def may_start(
    budget: Budget,
    attempt: NodeUsage,
    *,
    spent: Iterable[NodeUsage] = (),
    committed: Iterable[NodeUsage] = (),
    units_per_node_hour: float | None = None,
) -> BudgetVerdict:
    """Whether an attempt fits even if it and everything queued or running (`committed`) use their full time limits."""
    rate = rate_of(budget, units_per_node_hour)
    cost = rate * attempt.node_hours
    left = budget.amount - rate * sum(use.node_hours for use in (*spent, *committed))
    fits = cost <= left + 1e-9
    return BudgetVerdict(fits, cost, left, budget.unit, verdict_words(budget, cost, left, fits))


def may_follow_unasked(follow_ups: int) -> bool:
    """Without a budget: whether the next follow-up may start without asking the owner."""
    return follow_ups < UNASKED_FOLLOW_UPS


def max_nodes_within(
    budget: Budget, seconds: float, units_per_node_hour: float | None = None
) -> int:
    """The largest node count for which one attempt of this length fits the budget."""
    cost_per_node = rate_of(budget, units_per_node_hour) * seconds / 3600
    return int(budget.amount / cost_per_node + 1e-9) if cost_per_node else sys.maxsize


def longest_within(budget_left: float, nodes: int, units_per_node_hour: float = 1.0) -> float:
    """The longest attempt, in seconds, that still fits; 0 when nothing is left."""
    return max(0.0, budget_left / (nodes * units_per_node_hour) * 3600)


def rate_of(budget: Budget, units_per_node_hour: float | None) -> float:
    """Budget units per node-hour. A site's own unit needs the site's charge rate."""
    if budget.unit == NODE_HOURS:
        return 1.0
    if units_per_node_hour is None:
        raise BadRequest(
            f"The price of a node-hour in {budget.unit} is not known here",
            "Give the budget in node-hours, or set the rate: diamond endpoint set NAME charge='{\"PARTITION\": RATE}'",
        )
    return units_per_node_hour


def verdict_words(budget: Budget, cost: float, left: float, fits: bool) -> str:
    amounts = f"{cost:.4g} of the remaining {max(0.0, left):.4g} {budget.unit}"
    if fits:
        return f"The attempt may use {amounts}."
    of_all = f" of {budget.amount:.4g}" if left < budget.amount else ""
    return f"The attempt could use {cost:.4g} {budget.unit}, but only {max(0.0, left):.4g}{of_all} are left."
