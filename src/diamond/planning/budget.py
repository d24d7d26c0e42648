"""A ceiling for what a task may spend, in node-hours or in the site's own units: may one more attempt start?"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from diamond.core.errors import BadRequest

NODE_HOURS = "node-hours"
UNASKED_FOLLOW_UPS = 3
"""Without a budget, a task asks its person after so many follow-ups."""
_BUDGET = re.compile(r"(\d+(?:\.\d+)?)\s+([A-Za-z][A-Za-z0-9 _-]{0,39})")


@dataclass(frozen=True)
class Budget:
    amount: float
    unit: str = NODE_HOURS


@dataclass(frozen=True)
class Use:
    """One attempt or probe: what it holds and for how long, or may at most."""

    nodes: int
    seconds: float

    @property
    def node_hours(self) -> float:
        return self.nodes * self.seconds / 3600


@dataclass(frozen=True)
class Verdict:
    may_start: bool
    cost: float
    """What the attempt may cost at most."""
    left: float
    """Of the budget, after all that was spent and may still be spent by what is queued or runs."""
    unit: str
    words: str
    """For a person."""


def parse_budget(text: str) -> Budget:
    """Reads '200 node-hours' or '500 SU'."""
    match = _BUDGET.fullmatch(text.strip())
    if not match:
        raise BadRequest(
            f"{text!r} is no budget",
            "Write a number and a unit: 200 node-hours, or the site's own unit, such as 500 SU.",
        )
    return Budget(float(match.group(1)), match.group(2))


def may_start(
    budget: Budget,
    attempt: Use,
    *,
    spent: Iterable[Use] = (),
    committed: Iterable[Use] = (),
    units_per_node_hour: float | None = None,
) -> Verdict:
    """Whether an attempt fits, even if it and all that is queued or runs (`committed`) use their whole limits."""
    rate = rate_of(budget, units_per_node_hour)
    cost = rate * attempt.node_hours
    left = budget.amount - rate * sum(use.node_hours for use in (*spent, *committed))
    fits = cost <= left + 1e-9
    return Verdict(fits, cost, left, budget.unit, verdict_words(budget, cost, left, fits))


def may_follow_unasked(follow_ups: int) -> bool:
    """Without a budget: whether the next follow-up may start before the person has said yes."""
    return follow_ups < UNASKED_FOLLOW_UPS


def most_nodes(budget: Budget, seconds: float, units_per_node_hour: float | None = None) -> int:
    """Of which one attempt that takes all of these seconds fits."""
    a_node = rate_of(budget, units_per_node_hour) * seconds / 3600
    return int(budget.amount / a_node + 1e-9) if a_node else sys.maxsize


def longest_within(budget_left: float, nodes: int, units_per_node_hour: float = 1.0) -> float:
    """Seconds that an attempt may ask for so that it fits; 0 when nothing is left."""
    return max(0.0, budget_left / (nodes * units_per_node_hour) * 3600)


def rate_of(budget: Budget, units_per_node_hour: float | None) -> float:
    """What a node-hour takes from the budget; a site's unit needs the site's charge rate."""
    if budget.unit == NODE_HOURS:
        return 1.0
    if units_per_node_hour is None:
        raise BadRequest(
            f"What a node-hour costs in {budget.unit} is not known here",
            "Give the budget in node-hours, or the rate: diamond endpoint set NAME charge='{\"PARTITION\": RATE}'",
        )
    return units_per_node_hour


def verdict_words(budget: Budget, cost: float, left: float, fits: bool) -> str:
    amounts = f"{cost:.4g} of the {max(0.0, left):.4g} {budget.unit} that are left"
    if fits:
        return f"The attempt may use {amounts}."
    of_all = f" of {budget.amount:.4g}" if left < budget.amount else ""
    return f"The attempt could use {cost:.4g} {budget.unit}, but {max(0.0, left):.4g}{of_all} are left."
