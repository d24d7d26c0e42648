"""How far a chain of attempts may go by itself: by its budget, or after three follow-ups by its person's word. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from diamond.core.events import NotAllowed
from diamond.core.order import Order, order_from
from diamond.core.task import Reason
from diamond.planning.budget import (
    UNASKED_FOLLOW_UPS,
    Budget,
    NodeUsage,
    longest_within,
    may_start,
    parse_budget,
    rate_of,
)
from diamond.planning.follow_ups import (
    Chain,
    FollowUpPolicy,
    cushion,
    first_cushion,
    max_waiting_attempts,
    next_submission_time,
)
from diamond.planning.waits import Forecast

DEFAULT_HAND_OVER_SECONDS = 60.0
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Spending:
    """What a chain has used and may still use, in node-hours; and its ceiling, if it has one."""

    spent: list[NodeUsage]
    committed: list[NodeUsage]
    budget: Budget | None = None
    rate: float = 1.0

    @property
    def node_hours(self) -> float:
        return sum(use.node_hours for use in self.spent)

    @property
    def node_hours_committed(self) -> float:
        return sum(use.node_hours for use in self.committed)

    @property
    def left(self) -> float:
        """Of the budget, if all that is queued or runs uses its whole limit."""
        assert self.budget is not None
        return max(0.0, self.budget.amount - self.used)

    @property
    def used(self) -> float:
        """In the budget's unit."""
        return self.rate * (self.node_hours + self.node_hours_committed)


def first_chain(order: Order, charges: Mapping[str, float] | None) -> dict[str, Any]:
    """The column `chain` of a new task; what a node-hour costs is settled here."""
    return {"budget": budget_data(order.budget, order, charges), "allowed": None}


def budget_data(
    text: str, order: Order, charges: Mapping[str, float] | None
) -> dict[str, Any] | None:
    if not text:
        return None
    budget = parse_budget(text)
    rate = rate_of(budget, (charges or {}).get(order.placement.partition))
    return {**asdict(budget), "rate": rate}


def spending(chain: Mapping[str, Any], order: Order, attempts: Iterable[Entry]) -> Spending:
    entries = list(attempts)
    ended = [one for one in entries if one.get("ended") is not None]
    spent = [NodeUsage(order.resources.nodes, _lasted(one)) for one in ended]
    alive = [_at_most(order, one) for one in entries if one.get("ended") is None]
    given = chain.get("budget")
    if not given:
        return Spending(spent, alive)
    return Spending(spent, alive, Budget(given["amount"], given["unit"]), given["rate"])


def node_seconds(order: Mapping[str, Any], attempts: Iterable[Entry]) -> float:
    """Used by the attempts that have ended."""
    nodes = int((order.get("resources") or {}).get("nodes") or 1)
    return nodes * sum(_lasted(one) for one in attempts if one.get("ended") is not None)


def node_hours_at_most(order: Mapping[str, Any]) -> float:
    """Of one attempt that takes its whole limit."""
    resources = order.get("resources") or {}
    return int(resources.get("nodes") or 1) * float(resources.get("walltime_minutes") or 60) / 60


def refusal(
    chain: Mapping[str, Any], order_data: Mapping[str, Any], attempts: list[Entry]
) -> NotAllowed | None:
    """Why the next attempt may not begin now; None if it may."""
    order = order_from(dict(order_data))
    used = spending(chain, order, attempts)
    if used.budget is not None:
        verdict = may_start(
            used.budget,
            _whole(order),
            spent=used.spent,
            committed=used.committed,
            units_per_node_hour=used.rate,
        )
        if verdict.may_start:
            return None
        return NotAllowed(reason=Reason.BUDGET.value, message=verdict.words)
    made = _made(attempts)
    if made < allowed_attempts(chain):
        return None
    words = f"{made} attempts were made and it has no budget: it goes on when you allow it"
    return NotAllowed(reason=Reason.CONTINUE_LIMIT.value, message=words, ask=True)


def allowed_attempts(chain: Mapping[str, Any]) -> int:
    """Without a budget: how many attempts may begin before its person is asked."""
    return int(chain.get("allowed") or 1 + UNASKED_FOLLOW_UPS)


def granted_until(
    chain: Mapping[str, Any], order_data: Mapping[str, Any], attempts: list[Entry]
) -> int:
    """The highest number that the agent may give to an attempt without asking; follow-ups given back do not count.

    Where a requeue or a longer limit has used up what was set aside for a follow-up, it is below that one's number.
    """
    order = order_from(dict(order_data))
    used, waiting = spending(chain, order, attempts), _follow_ups(attempts)
    if used.budget is None:
        more = allowed_attempts(chain) - _made(attempts)
    else:
        more = _fit(used, order)
        if more < 0 and waiting:
            return int(waiting[max(more, -len(waiting))]["number"]) - 1
    most = min(more, order.resume.max_attempts - _made(attempts))
    return highest_number(attempts) + max(0, most)


def most_seconds(chain: Mapping[str, Any], order: Mapping[str, Any]) -> dict[str, int]:
    """For the batch scripts: how long all jobs of the task may last together; nothing where there is no budget."""
    given = chain.get("budget")
    if not given or not given["rate"]:
        return {}
    nodes = int((order.get("resources") or {}).get("nodes") or 1)
    return {"most_seconds": int(longest_within(given["amount"], nodes, given["rate"]) + 1e-3)}


def highest_number(attempts: Iterable[Entry]) -> int:
    return max(int(one["number"]) for one in attempts)


def queue_after_seconds(
    order: Order,
    forecast: Forecast,
    *,
    queued: float,
    started: float,
    is_first: bool = False,
    can_hand_over: bool = True,
) -> float | None:
    """How long after the start of an attempt the follow-up should be queued; None: not before the end.

    A number of attempts that may wait, set by the person, counts from the first one on.
    """
    limit = 60.0 * order.resources.walltime_minutes
    manners = manners_of(order, can_hand_over=can_hand_over)
    wanted = first_cushion if is_first and order.resume.ahead <= 1 else cushion
    early = wanted(limit, forecast, manners)
    chain = Chain(
        now=started,
        limit_seconds=limit,
        work_seconds_left=math.inf,
        waiting_since=(),
        last_queued=queued,
        program_ends=started + limit,
    )
    at = next_submission_time(chain, early, manners)
    return None if at is None else max(0.0, at - started)


def cushion_seconds(order: Order, forecast: Forecast, *, can_hand_over: bool = True) -> float:
    """How much sooner than one limit after the last queueing the next one comes."""
    limit = 60.0 * order.resources.walltime_minutes
    return cushion(limit, forecast, manners_of(order, can_hand_over=can_hand_over))


def manners_of(
    order: Order, *, has_started: bool = True, can_hand_over: bool = True
) -> FollowUpPolicy:
    most = max_waiting_attempts(order.resume.ahead, has_started=has_started)
    return FollowUpPolicy(hand_over_seconds(order), most_waiting=most, can_hand_over=can_hand_over)


def hand_over_seconds(order: Order) -> float:
    """From the stop flag to the next attempt's first step: what the person reserves for a save tells it best."""
    limit = 60.0 * order.resources.walltime_minutes
    return min(order.resume.lead_seconds or DEFAULT_HAND_OVER_SECONDS, limit / 8)


def _fit(used: Spending, order: Order) -> int:
    """How many whole attempts the budget still has room for; below 0: how many too many are queued."""
    assert used.budget is not None
    cost = used.rate * _whole(order).node_hours
    if not cost:
        return order.resume.max_attempts
    return math.floor((used.budget.amount - used.used) / cost + 1e-9)


def _follow_ups(attempts: list[Entry]) -> list[Entry]:
    """Those that wait behind the present attempt, by number."""
    alive = sorted(
        (one for one in attempts if one.get("ended") is None), key=lambda one: int(one["number"])
    )
    return [one for one in alive[1:] if one.get("started") is None]


def _made(attempts: list[Entry]) -> int:
    return sum(one.get("reason") != Reason.WITHDRAWN.value for one in attempts)


def _whole(order: Order) -> NodeUsage:
    return NodeUsage(order.resources.nodes, 60.0 * order.resources.walltime_minutes)


def _at_most(order: Order, entry: Entry) -> NodeUsage:
    """What an attempt that has not ended may take: its limit as it is now, after the runs that the site has ended."""
    limit = float(entry.get("limit_seconds") or 60.0 * order.resources.walltime_minutes)
    return NodeUsage(order.resources.nodes, _of_runs(entry, until_last=True) + limit)


def _lasted(entry: Entry) -> float:
    if len(entry.get("runs") or []) > 1:
        return _of_runs(entry) + _waited(entry)
    began = [at for at in (entry.get("arrived"), entry.get("started")) if at is not None]
    return max(0.0, float(entry["ended"]) - float(began[0])) if began else 0.0


def _waited(entry: Entry) -> float:
    """With nodes, before its first run."""
    if entry.get("arrived") is None:
        return 0.0
    return max(0.0, float(entry["runs"][0]["started"]) - float(entry["arrived"]))


def _of_runs(entry: Entry, *, until_last: bool = False) -> float:
    """The seconds of its runs; one whose end was not seen lasts until the next begins, at most."""
    runs = entry.get("runs") or []
    begins = [float(run["started"]) for run in runs]
    following = [*begins[1:], float(entry.get("ended") or 0.0)]
    ends = [float(run.get("ended") or then) for run, then in zip(runs, following, strict=False)]
    lasted = [max(0.0, end - begin) for begin, end in zip(begins, ends, strict=True)]
    return sum(lasted[:-1] if until_last else lasted)
