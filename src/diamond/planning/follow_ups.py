"""When to queue the next attempt of a chain, and what to do with nodes that arrive before they are needed.

Attempts of a chain are interchangeable: whichever gets nodes first continues from the newest checkpoint. So the planner
keeps a rhythm instead of predicting each start. An attempt queued one time limit after the previous one also starts one
limit after it, if the queue wait stays the same. Queued a cushion earlier, it still starts in time if the wait grows by
that cushion. While no program runs, more attempts are queued at growing intervals, because a new one may wait less.
Nodes that arrive early cost only a hand-over: the running program saves, exits and frees its own nodes. If it is about
to end anyway, the new nodes wait instead: where queue waits are short, a hand-over each time would cost more.

The fractions below are fractions of the time limit. `python -m bench planning DIR` replays them on real job logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from diamond.core.order import MOST_AHEAD
from diamond.planning.waits import Forecast

MOST_CUSHION = 0.4
"""Never queue earlier than this fraction of the limit: each hand-over gives up that much of an attempt."""
CUSHION_LESS = 5
"""... minus this many hand-overs, which weigh more in a short attempt."""
IDLE_HAND_OVERS, IDLE_SHARE, MOST_IDLE, IDLE_ALONE = 10, 0.05, 0.15, 0.2
"""See `max_idle_seconds`."""
CUSHION_ALONE = 0.15
"""The same for a program that cannot hand over: early nodes idle until it ends."""
LEAST_GAIN = 0.25
"""Nodes that would extend the program by less than this fraction are given back."""
FIRST_PATIENCE = 0.25
"""While no program runs, the minimum interval between submissions, as a fraction of the limit ..."""
PATIENCE = 0.25
"""... and as a fraction of the time since a program last ran."""
LEAST_BETWEEN_SECONDS = 600.0
"""While an attempt waits, another is queued behind it no sooner than this, however short the limit: sites count what is withdrawn."""
FEW = 10
"""With fewer past waits, their growth cannot be estimated."""


@dataclass(frozen=True)
class Chain:
    """What is known about a chain now. Times are seconds on one clock."""

    now: float
    limit_seconds: float
    """The time limit of each attempt."""
    work_seconds_left: float
    waiting_since: tuple[float, ...]
    """When each attempt that is still waiting was queued."""
    last_queued: float
    program_ends: float | None = None
    """When the running program loses its nodes; None while no program runs."""
    silent_since: float | None = None
    """When the last program ended, while none runs; None before the first start."""


@dataclass(frozen=True)
class FollowUpPolicy:
    """What the user, the program and the site allow."""

    hand_over_seconds: float
    """From the stop flag to the follow-up's first step: one save, one exit, one start."""
    most_waiting: int = 1
    """See `max_waiting_attempts`."""
    can_hand_over: bool = True
    """Whether the program saves and exits when the stop flag appears."""


class Arrival(Enum):
    """What an attempt does once it has nodes."""

    START = "start"
    """No other program runs."""
    HAND_OVER = "hand-over"
    """Ask the running program to save and exit now."""
    WAIT = "wait"
    """Let the nodes idle until the running program ends: cheaper than a hand-over."""
    GIVE_BACK = "give-back"
    """Give the nodes back: they would hardly extend the chain, or the work finishes without them."""


def max_waiting_attempts(ahead: bool | int, *, has_started: bool) -> int:
    """How many attempts may wait in the queue at once, from `continue: ahead`.

    If Diamond decides, it queues a second attempt when the first has waited for about one limit, or while no program
    runs. Before anything has started there is only one: nobody knows yet that more will be needed.
    """
    if ahead is True:
        return MOST_AHEAD if has_started else 1
    return max(1, ahead)


def next_submission_time(
    chain: Chain, early_seconds: float, policy: FollowUpPolicy
) -> float | None:
    """When to queue the next attempt. A time in the past means now, None means not for now.

    `early_seconds` is the `cushion`.
    """
    if chain.program_ends is None:
        return next_submission_while_idle(chain, policy)
    is_enough = chain.program_ends - chain.now >= chain.work_seconds_left
    if is_enough or len(chain.waiting_since) >= policy.most_waiting:
        return None
    rhythm = max(chain.limit_seconds, _least_between(chain))
    return chain.last_queued + rhythm - early_seconds


def must_withdraw(chain: Chain, policy: FollowUpPolicy) -> bool:
    """Whether the youngest waiting attempt must be withdrawn before queueing another; the oldest always stays."""
    return len(chain.waiting_since) >= policy.most_waiting


def decide_arrival(chain: Chain, policy: FollowUpPolicy) -> Arrival:
    """What an attempt of this chain should do with nodes that it gets now."""
    if chain.program_ends is None:
        return Arrival.START
    remaining = chain.program_ends - chain.now
    gain = chain.limit_seconds - remaining
    if chain.work_seconds_left <= remaining:
        return Arrival.GIVE_BACK
    if remaining <= max_idle_seconds(chain.limit_seconds, policy):
        return Arrival.WAIT
    if policy.can_hand_over and gain >= LEAST_GAIN * chain.limit_seconds:
        return Arrival.HAND_OVER
    return Arrival.GIVE_BACK


def cushion(limit_seconds: float, forecast: Forecast, policy: FollowUpPolicy) -> float:
    """How much earlier than the plain rhythm to queue: as much as the wait may grow, where that pays off.

    Nodes that arrive slightly early just wait. Nodes that arrive earlier cost a hand-over each, but save the time that
    a longer queue wait would have cost.
    """
    most, idle = max_cushion(limit_seconds, policy), max_idle_seconds(limit_seconds, policy)
    if forecast.samples < FEW or forecast.bound is None or forecast.typical is None:
        return most
    growth = min(most, max(2 * policy.hand_over_seconds, forecast.bound - forecast.typical))
    saved = forecast.expected_lateness(idle) - forecast.expected_lateness(growth)
    return growth if growth <= idle or saved > policy.hand_over_seconds else idle


def max_cushion(limit_seconds: float, policy: FollowUpPolicy) -> float:
    """If hand-overs are long compared with the limit, no more than nodes may idle."""
    if not policy.can_hand_over:
        return CUSHION_ALONE * limit_seconds
    most = MOST_CUSHION * limit_seconds - CUSHION_LESS * policy.hand_over_seconds
    return max(most, max_idle_seconds(limit_seconds, policy))


def max_idle_seconds(limit_seconds: float, policy: FollowUpPolicy) -> float:
    """How long nodes may wait for the running program to end instead of asking it to hand over.

    Ten hand-overs or a twentieth of the limit, whichever is longer, because time without a program costs more than idle
    nodes. At most 0.15 of the limit, or a fifth if the program cannot hand over.
    """
    idle = IDLE_ALONE * limit_seconds
    if policy.can_hand_over:
        usual = max(IDLE_HAND_OVERS * policy.hand_over_seconds, IDLE_SHARE * limit_seconds)
        idle = min(MOST_IDLE * limit_seconds, usual)
    return max(policy.hand_over_seconds, idle)


def first_cushion(limit_seconds: float, forecast: Forecast, policy: FollowUpPolicy) -> float:
    """The cushion for the first attempt, which may not need a follow-up at all.

    Unless waits exceed any cushion, its follow-up is queued late enough that no hand-over happens.
    """
    early = cushion(limit_seconds, forecast, policy)
    if forecast.bound is not None and forecast.bound > MOST_CUSHION * limit_seconds:
        return early
    return min(early, max_idle_seconds(limit_seconds, policy))


def next_submission_while_idle(chain: Chain, policy: FollowUpPolicy) -> float | None:
    """The first time far enough from the last submission, relative to how long no program has run."""
    if not chain.waiting_since:
        return chain.now
    if must_withdraw(chain, policy) and policy.most_waiting == 1:
        return None
    began = min(chain.waiting_since)
    if chain.silent_since is not None:
        began = max(began, chain.silent_since)
    by_silence = (chain.last_queued - PATIENCE * began) / (1 - PATIENCE)
    between = max(FIRST_PATIENCE * chain.limit_seconds, _least_between(chain))
    return max(chain.last_queued + between, by_silence)


def _least_between(chain: Chain) -> float:
    return LEAST_BETWEEN_SECONDS if chain.waiting_since else 0.0
