"""When to queue the next attempt of a chain, and what to do with nodes that come before they are needed.

Attempts of a chain are alike: whichever gets nodes first goes on from the newest checkpoint. So the planner keeps a
rhythm instead of foretelling each start. An attempt queued one limit after the last also starts one limit after it if
the wait stays as it is; queued a cushion sooner it still comes in time if the wait has grown by that cushion. When no
program runs, further attempts go out, at distances that grow with the silence: a fresh one may find a shorter wait.
Nodes that come early cost nothing but the hand-over: the predecessor saves, exits and frees its own. Shortly before the
predecessor's end they wait instead: where waits are short, a hand-over each time would cost more than the waits do.

The shares below are of the time limit, so they have no unit; `python -m bench planning DIR` replays them on real logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from diamond.core.order import MOST_AHEAD
from diamond.planning.waits import Forecast

MOST_CUSHION = 0.4
"""No earlier than this share of the limit: every hand-over gives up so much of an attempt."""
CUSHION_LESS = 5
"""... less so many hand-overs: in a short attempt each of them weighs more."""
IDLE_HAND_OVERS, IDLE_SHARE, MOST_IDLE, IDLE_ALONE = 10, 0.05, 0.15, 0.2
"""See `may_idle`."""
CUSHION_ALONE = 0.15
"""No earlier than this for a program that cannot hand over: its nodes idle as long as they are early."""
LEAST_GAIN = 0.25
"""Nodes that would carry the program less far beyond its present end are given back."""
FIRST_PATIENCE = 0.25
"""While no program runs, the share of the limit between two queueings at least."""
PATIENCE = 0.25
"""... and the share of the silence so far."""
FEW = 10
"""Fewer waits tell nothing about how they may grow."""


@dataclass(frozen=True)
class Chain:
    """What is known about a chain now. Times are seconds of one clock."""

    now: float
    limit_seconds: float
    """What each attempt asks for."""
    work_seconds_left: float
    waiting_since: tuple[float, ...]
    """When each attempt that still waits was queued."""
    last_queued: float
    program_ends: float | None = None
    """When the nodes of the running program are taken away; None while none runs."""
    silent_since: float | None = None
    """When the last program ended, while none runs; None before the first."""


@dataclass(frozen=True)
class Manners:
    """What the person, her program and her site allow."""

    hand_over_seconds: float
    """From the stop flag to the follow-up's first step: one save, one exit, one start."""
    most_waiting: int = 1
    """See `may_wait`."""
    can_hand_over: bool = True
    """Whether the program saves and leaves when the stop flag appears."""


class Arrival(Enum):
    """What an attempt does that got its nodes."""

    START = "start"
    """No other program runs."""
    HAND_OVER = "hand-over"
    """The running program is asked to save and leave, now."""
    WAIT = "wait"
    """The nodes idle until the running program's end: cheaper than a hand-over."""
    GIVE_BACK = "give-back"
    """They would carry the chain hardly further than the running program does, or its work is done before."""


def may_wait(ahead: bool | int, *, has_started: bool) -> int:
    """How many attempts may wait at once, by `continue: ahead`.

    Where it is left to Diamond the rhythm decides: a second one goes out when the first has waited for about a limit, or
    while no program runs. But not before anything has started: until then nobody knows that there is more to do.
    """
    if ahead is True:
        return MOST_AHEAD if has_started else 1
    return max(1, ahead)


def next_queueing(chain: Chain, early_seconds: float, manners: Manners) -> float | None:
    """When to queue the next attempt; a time that has passed means now, None not at all as things stand.

    `early_seconds` is the `cushion`.
    """
    if chain.program_ends is None:
        return next_in_silence(chain, manners)
    is_enough = chain.program_ends - chain.now >= chain.work_seconds_left
    if is_enough or len(chain.waiting_since) >= manners.most_waiting:
        return None
    return chain.last_queued + chain.limit_seconds - early_seconds


def must_withdraw(chain: Chain, manners: Manners) -> bool:
    """Whether the youngest waiting attempt makes place for the fresh one; the oldest always stays."""
    return len(chain.waiting_since) >= manners.most_waiting


def arrive(chain: Chain, manners: Manners) -> Arrival:
    """What to do with nodes that an attempt of this chain gets now."""
    if chain.program_ends is None:
        return Arrival.START
    remaining = chain.program_ends - chain.now
    gain = chain.limit_seconds - remaining
    if chain.work_seconds_left <= remaining:
        return Arrival.GIVE_BACK
    if remaining <= may_idle(chain.limit_seconds, manners):
        return Arrival.WAIT
    if manners.can_hand_over and gain >= LEAST_GAIN * chain.limit_seconds:
        return Arrival.HAND_OVER
    return Arrival.GIVE_BACK


def cushion(limit_seconds: float, forecast: Forecast, manners: Manners) -> float:
    """How much sooner than by the bare rhythm: what the wait may grow by, where being so early pays.

    Nodes that come a little early simply wait. Those that come earlier cost a hand-over each, and spare what the wait
    would have been longer than the little.
    """
    most, little = most_cushion(limit_seconds, manners), may_idle(limit_seconds, manners)
    if forecast.samples < FEW or forecast.bound is None or forecast.typical is None:
        return most
    growth = min(most, max(2 * manners.hand_over_seconds, forecast.bound - forecast.typical))
    spared = forecast.expected_lateness(little) - forecast.expected_lateness(growth)
    return growth if growth <= little or spared > manners.hand_over_seconds else little


def most_cushion(limit_seconds: float, manners: Manners) -> float:
    """Where hand-overs are not short compared with the limit, no more than what nodes may idle."""
    if not manners.can_hand_over:
        return CUSHION_ALONE * limit_seconds
    most = MOST_CUSHION * limit_seconds - CUSHION_LESS * manners.hand_over_seconds
    return max(most, may_idle(limit_seconds, manners))


def may_idle(limit_seconds: float, manners: Manners) -> float:
    """How long nodes wait for the running program's end rather than ask it to hand over.

    Ten hand-overs, or a twentieth of the limit: time without a program weighs more than nodes that idle. 0.15 of the
    limit at most; a fifth where there is no other way.
    """
    idle = IDLE_ALONE * limit_seconds
    if manners.can_hand_over:
        little = max(IDLE_HAND_OVERS * manners.hand_over_seconds, IDLE_SHARE * limit_seconds)
        idle = min(MOST_IDLE * limit_seconds, little)
    return max(manners.hand_over_seconds, idle)


def first_cushion(limit_seconds: float, forecast: Forecast, manners: Manners) -> float:
    """The same for the first attempt, of which nobody knows whether it needs a follow-up.

    Unless waits are longer than any cushion covers, that one is queued so late that it hands over to nobody.
    """
    early = cushion(limit_seconds, forecast, manners)
    if forecast.bound is not None and forecast.bound > MOST_CUSHION * limit_seconds:
        return early
    return min(early, may_idle(limit_seconds, manners))


def next_in_silence(chain: Chain, manners: Manners) -> float | None:
    """The first moment that is far enough from the last queueing, compared with the silence until then."""
    if not chain.waiting_since:
        return chain.now
    if must_withdraw(chain, manners) and manners.most_waiting == 1:
        return None
    began = min(chain.waiting_since)
    if chain.silent_since is not None:
        began = max(began, chain.silent_since)
    by_silence = (chain.last_queued - PATIENCE * began) / (1 - PATIENCE)
    return max(chain.last_queued + FIRST_PATIENCE * chain.limit_seconds, by_silence)
