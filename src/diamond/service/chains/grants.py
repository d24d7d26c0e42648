"""How far a chain of attempts may continue by itself: by its budget, or for three follow-ups until its owner allows more. Pure."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from diamond.core.events import NotAllowed
from diamond.core.order import Continue, Order, Resources
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
from diamond.service.chains.rows import AttemptRow, BudgetRow, ChainRow

DEFAULT_HAND_OVER_SECONDS = 60.0


@dataclass(frozen=True)
class Spending:
    """What a chain has used and may still use, in node-hours; and its budget, if it has one."""

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


def first_chain(order: Order, charges: Mapping[str, float] | None) -> ChainRow:
    """The chain of a new task; what a node-hour costs is settled here."""
    return ChainRow(budget=budget_of(order.budget, order, charges))


def budget_of(text: str, order: Order, charges: Mapping[str, float] | None) -> BudgetRow | None:
    if not text:
        return None
    budget = parse_budget(text)
    rate = rate_of(budget, (charges or {}).get(order.placement.partition))
    return BudgetRow(budget.amount, budget.unit, rate)


def spending(chain: ChainRow, resources: Resources, attempts: Iterable[AttemptRow]) -> Spending:
    known = list(attempts)
    nodes = resources.nodes
    spent = [NodeUsage(nodes, _lasted(attempt)) for attempt in known if attempt.ended is not None]
    alive = [_at_most(resources, attempt) for attempt in known if attempt.ended is None]
    budget = chain.budget
    if budget is None:
        return Spending(spent, alive)
    return Spending(spent, alive, Budget(budget.amount, budget.unit), budget.rate)


def node_seconds(resources: Resources, attempts: Iterable[AttemptRow]) -> float:
    """Used by the attempts that have ended."""
    ended = (_lasted(attempt) for attempt in attempts if attempt.ended is not None)
    return resources.nodes * sum(ended)


def node_hours_at_most(resources: Resources) -> float:
    """Of one attempt that takes its whole limit."""
    return resources.nodes * resources.walltime_minutes / 60


def node_hours_with_follow_ups(
    chain: ChainRow, resources: Resources, resume: Continue, attempts: Sequence[AttemptRow]
) -> float:
    """Of attempts that have not ended, and of those that the agent may make without asking."""
    alive = spending(chain, resources, attempts).node_hours_committed
    if not resume.ahead:
        return alive
    more = granted_until(chain, resources, resume, attempts) - highest_number(attempts)
    return alive + max(0, more) * node_hours_at_most(resources)


def refusal(chain: ChainRow, order: Order, attempts: Sequence[AttemptRow]) -> NotAllowed | None:
    """Why the next attempt may not begin now; None if it may."""
    used = spending(chain, order.resources, attempts)
    return _over_budget(used, order) or _over_limit(chain, used, order) or _asks(chain, attempts)


def allowed_attempts(chain: ChainRow) -> int:
    """Without a budget: how many attempts may begin before the owner is asked."""
    return chain.allowed or 1 + UNASKED_FOLLOW_UPS


def granted_until(
    chain: ChainRow, resources: Resources, resume: Continue, attempts: Sequence[AttemptRow]
) -> int:
    """The highest number that the agent may give to an attempt without asking; withdrawn follow-ups do not count.

    Where a requeue or a longer limit has used up what was set aside for a follow-up, it is below that one's number.
    """
    used, waiting = spending(chain, resources, attempts), _follow_ups(attempts)
    paid = _fit(used, resources, resume.max_attempts)
    if chain.limit_hours is not None:
        paid = min(paid, _fit_limit(chain.limit_hours, used, resources))
    if paid < 0 and waiting:
        return waiting[max(paid, -len(waiting))].number - 1
    allowed = resume.max_attempts if used.budget else allowed_attempts(chain)
    most = min(paid, min(allowed, resume.max_attempts) - _made(attempts))
    return highest_number(attempts) + max(0, most)


def most_seconds(chain: ChainRow, resources: Resources) -> int | None:
    """For the batch scripts: how long all jobs of the task may last together; None without a budget and a limit."""
    budget, paid = chain.budget, []
    if budget is not None and budget.rate:
        paid.append(longest_within(budget.amount, resources.nodes, budget.rate))
    if chain.limit_hours is not None:
        paid.append(longest_within(chain.limit_hours, resources.nodes))
    return int(min(paid) + 1e-3) if paid else None


def highest_number(attempts: Iterable[AttemptRow]) -> int:
    return max((attempt.number for attempt in attempts), default=0)


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

    A number of attempts that may wait, set in the spec, counts from the first one on.
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
    """From the stop flag to the next attempt's first step: what the spec reserves for a save is the best estimate."""
    limit = 60.0 * order.resources.walltime_minutes
    return min(order.resume.lead_seconds or DEFAULT_HAND_OVER_SECONDS, limit / 8)


def _over_budget(used: Spending, order: Order) -> NotAllowed | None:
    if used.budget is None:
        return None
    verdict = may_start(
        used.budget,
        _whole(order.resources),
        spent=used.spent,
        committed=used.committed,
        units_per_node_hour=used.rate,
    )
    if verdict.may_start:
        return None
    return NotAllowed(reason=Reason.BUDGET.value, message=verdict.words)


def _over_limit(chain: ChainRow, used: Spending, order: Order) -> NotAllowed | None:
    """It asks: there is room again when other work has ended, or somebody raises the limit."""
    if chain.limit_hours is None or _fit_limit(chain.limit_hours, used, order.resources) > 0:
        return None
    left = max(0.0, chain.limit_hours - used.node_hours - used.node_hours_committed)
    message = (
        f"your limits leave {left:.4g} node-hours and the next attempt may take "
        f"{node_hours_at_most(order.resources):.4g}: resume it when there is room"
    )
    return NotAllowed(reason=Reason.CONTINUE_LIMIT.value, message=message, ask=True)


def _asks(chain: ChainRow, attempts: Sequence[AttemptRow]) -> NotAllowed | None:
    made = _made(attempts)
    if chain.budget is not None or made < allowed_attempts(chain):
        return None
    message = f"{made} attempts were made and it has no budget: it continues when you allow it"
    return NotAllowed(reason=Reason.CONTINUE_LIMIT.value, message=message, ask=True)


def _fit(used: Spending, resources: Resources, most: int) -> int:
    """How many whole attempts the budget still has room for; below 0: how many too many are queued."""
    if used.budget is None:
        return most
    return _whole_attempts(
        used.budget.amount - used.used, used.rate * node_hours_at_most(resources)
    )


def _fit_limit(limit_hours: float, used: Spending, resources: Resources) -> int:
    """The same for what limits leave."""
    left = limit_hours - used.node_hours - used.node_hours_committed
    return _whole_attempts(left, node_hours_at_most(resources))


def _whole_attempts(left: float, cost: float) -> int:
    return math.floor(left / cost + 1e-9) if cost else sys.maxsize


def _follow_ups(attempts: Iterable[AttemptRow]) -> list[AttemptRow]:
    """Those that wait behind the present attempt, by number."""
    alive = sorted(
        (attempt for attempt in attempts if attempt.ended is None), key=lambda each: each.number
    )
    return [attempt for attempt in alive[1:] if attempt.started is None]


def _made(attempts: Iterable[AttemptRow]) -> int:
    return sum(attempt.reason != Reason.WITHDRAWN.value for attempt in attempts)


def _whole(resources: Resources) -> NodeUsage:
    return NodeUsage(resources.nodes, 60.0 * resources.walltime_minutes)


def _at_most(resources: Resources, attempt: AttemptRow) -> NodeUsage:
    """What an attempt that has not ended may take: its limit as it is now, after the runs that the site has ended."""
    limit = attempt.limit_seconds or 60.0 * resources.walltime_minutes
    return NodeUsage(resources.nodes, _of_runs(attempt, until_last=True) + limit)


def _lasted(attempt: AttemptRow) -> float:
    """Of an attempt that has ended."""
    if len(attempt.runs) > 1:
        return _of_runs(attempt) + _waited(attempt)
    began = attempt.arrived if attempt.arrived is not None else attempt.started
    return 0.0 if began is None else max(0.0, (attempt.ended or 0.0) - began)


def _waited(attempt: AttemptRow) -> float:
    """With nodes, before its first run."""
    if attempt.arrived is None:
        return 0.0
    return max(0.0, (attempt.runs[0].started or 0.0) - attempt.arrived)


def _of_runs(attempt: AttemptRow, *, until_last: bool = False) -> float:
    """The seconds of its runs; one whose end was not seen lasts until the next begins, at most."""
    begins = [run.started or 0.0 for run in attempt.runs]
    following = [*begins[1:], attempt.ended or 0.0]
    ends = [run.ended or then for run, then in zip(attempt.runs, following, strict=False)]
    lasted = [max(0.0, end - begin) for begin, end in zip(begins, ends, strict=True)]
    return sum(lasted[:-1] if until_last else lasted)
