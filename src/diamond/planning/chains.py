"""Work, step time, checkpoints, limits and waits -> how many attempts, of what length, done when, at what cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from diamond.core.errors import BadRequest
from diamond.planning.followup import Manners, cushion
from diamond.planning.waits import NOTHING_KNOWN, Forecast
from diamond.training.checkpoints.interval import (
    NODE_FAILS_AFTER_HOURS,
    SHORTEST_SECONDS,
    Cost,
    best_interval,
)

MARGIN = 1.1
"""The last attempt asks for a tenth more than it should need: steps are not all alike."""
WHOLE_SECONDS = 60.0
"""Batch systems count limits in minutes."""


@dataclass(frozen=True)
class Work:
    """What is to be trained, as measured, probed or said."""

    steps: int
    step_seconds: float
    save_seconds: float = 0.0
    """What one checkpoint costs the training."""
    save_bytes: int = 0
    """How large it is; 0 where nobody said."""
    startup_seconds: float = 0.0
    """From the nodes to the first step: environment, data, loading the checkpoint."""
    lead_seconds: float = 0.0
    """How long before its limit an attempt is asked to save and end."""

    @property
    def seconds(self) -> float:
        return self.steps * self.step_seconds

    def kept_free(self, limit_seconds: float) -> float:
        """At the end of an attempt; the stop flag never comes before half of the limit has passed."""
        return max(self.save_seconds, min(self.lead_seconds, limit_seconds / 2))


@dataclass(frozen=True)
class Place:
    """Where it would run."""

    nodes: int
    limit_seconds: float
    """The longest that one attempt may ask for."""
    forecast: Forecast = NOTHING_KNOWN
    node_fails_after_hours: float = NODE_FAILS_AFTER_HOURS
    save_every_seconds: float | None = None
    """What the person asked for in place of the optimum."""
    write_budget: float = 0.0
    """Bytes per second that the site wants to see at most from one job; 0 if nothing was said."""


@dataclass(frozen=True)
class Span:
    """Seconds from now: if all goes well, and as late as one should reckon with."""

    soonest: float
    latest: float


@dataclass(frozen=True)
class ChainPlan:
    attempts: int
    attempt_seconds: float
    """What each attempt asks for, but for the last."""
    last_attempt_seconds: float
    save_every_seconds: float
    saves: int
    finish: Span
    node_hours: float
    """Expected, with start-ups, saves and what interruptions cost."""
    node_hours_at_most: float
    """If every attempt uses all that it asked for; never under what is expected."""
    interruptions: float
    """Expected number."""
    lost_seconds: float
    """Expected to be trained again, start-ups included."""
    lost_at_most_seconds: float
    """By one interruption: everything since the last checkpoint."""
    waits: Forecast


def epochs_as_steps(epochs: float, samples: int, global_batch: int) -> int:
    """The last batch of an epoch counts in full, as data loaders have it."""
    if samples < 1 or global_batch < 1 or epochs <= 0:
        raise BadRequest(
            f"{epochs:g} epochs of {samples} samples in batches of {global_batch} are no work",
            "Give epochs, samples and batch as numbers above zero.",
        )
    return math.ceil(epochs * math.ceil(samples / global_batch))


def plan_chain(work: Work, place: Place) -> ChainPlan:
    """Raises `BadRequest` when one attempt is too short to get anything done."""
    every = save_interval(work, place)
    usable = usable_seconds(work, place.limit_seconds)
    saves_between = every < usable  # each attempt saves at its end anyway
    training = work.seconds * (1 + work.save_seconds / every * saves_between)
    attempts = max(1, math.ceil(training / usable - 1e-9))
    free = work.kept_free(place.limit_seconds)
    last = training - (attempts - 1) * usable + work.startup_seconds + free
    busy = training + attempts * (work.startup_seconds + work.save_seconds)
    interruptions = busy * place.nodes / (place.node_fails_after_hours * 3600)
    apart = min(every, usable)
    lost = interruptions * (apart / 2 + work.startup_seconds)
    last_limit = min(place.limit_seconds, whole_minutes(last * MARGIN))
    asked = (attempts - 1) * place.limit_seconds + last_limit
    return ChainPlan(
        attempts=attempts,
        attempt_seconds=place.limit_seconds if attempts > 1 else last_limit,
        last_attempt_seconds=last_limit,
        save_every_seconds=apart,
        saves=math.floor(work.seconds / every) * saves_between + attempts,
        finish=finish_span(work, place, attempts=attempts, busy=busy, lost=lost),
        node_hours=place.nodes * (busy + lost) / 3600,
        node_hours_at_most=place.nodes * max(asked, busy + lost) / 3600,
        interruptions=interruptions,
        lost_seconds=lost,
        lost_at_most_seconds=apart + work.startup_seconds,
        waits=place.forecast,
    )


def soonest(work: Work, places: Iterable[Place]) -> tuple[Place, ChainPlan]:
    """The place whose middle of the expected finish is earliest: a shorter limit may wait less, and pays by more attempts."""
    plans = [(place, plan_chain(work, place)) for place in places]
    if not plans:
        raise BadRequest("There is no place to plan for", "Name at least one partition and limit.")
    return min(plans, key=lambda one: one[1].finish.soonest + one[1].finish.latest)


def save_interval(work: Work, place: Place) -> float:
    """Young's and Daly's optimum by the same cost as inside the job, never under ten minutes unless asked."""
    if place.save_every_seconds is not None:
        return place.save_every_seconds
    fails_after = place.node_fails_after_hours * 3600 / place.nodes
    cost = Cost(work.save_seconds, work.save_bytes, 0.0, place.write_budget)
    return max(SHORTEST_SECONDS, best_interval(cost.seconds, fails_after))


def usable_seconds(work: Work, limit_seconds: float) -> float:
    """Time for steps in one attempt, between its start-up and the stop flag before its last save."""
    free = work.kept_free(limit_seconds)
    usable = limit_seconds - work.startup_seconds - free
    if usable < max(work.step_seconds, 1e-6):
        raise BadRequest(
            f"An attempt of {limit_seconds:.0f} s is too short: {work.startup_seconds:.0f} s pass before the first step "
            f"and {free:.0f} s are kept for the last save",
            "Ask for a longer walltime, or make start-up, checkpoint and continue.lead shorter.",
        )
    return usable


def finish_span(work: Work, place: Place, *, attempts: int, busy: float, lost: float) -> Span:
    """Soonest: the typical wait once, no gap, no interruption. Latest: see `late_waits`, and twice the expected loss."""
    typical = place.forecast.typical or 0.0
    waits = late_waits(work, place, attempts - 1)
    return Span(typical + busy, max(typical, waits) + busy + 2 * lost)


def late_waits(work: Work, place: Place, follow_ups: int) -> float:
    """The first wait at its bound, and each surprise that the bound allows for costs what the cushion does not cover."""
    forecast = place.forecast
    if forecast.bound is None or forecast.typical is None:
        return 0.0
    surprises = math.ceil(follow_ups * (1 - forecast.quantile))
    early = cushion(place.limit_seconds, forecast, Manners(work.save_seconds))
    return forecast.bound + surprises * max(0.0, forecast.bound - forecast.typical - early)


def whole_minutes(seconds: float) -> float:
    return WHOLE_SECONDS * math.ceil(seconds / WHOLE_SECONDS - 1e-9)
