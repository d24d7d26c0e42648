"""Work, step time, checkpoints, limits and waits -> how many attempts, of what length, done when, at what cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, pstdev

from diamond.core.errors import BadRequest
from diamond.planning.follow_ups import Manners, cushion
from diamond.planning.waits import NOTHING_KNOWN, Forecast
from diamond.training.checkpoints.interval import (
    NODE_FAILS_AFTER_HOURS,
    SHORTEST_SECONDS,
    Cost,
    best_interval,
)

LEAST_SHARE = 0.25
"""Of the time for steps: what a hand-over leaves of an attempt in any case."""


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
    ahead: bool = False
    """Whether the next attempt is queued before the present one has ended."""
    hand_over_seconds: float = 60.0
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
    """Expected, with those that interruptions make necessary."""
    attempt_seconds: float
    """What each attempt asks for."""
    last_attempt_seconds: float
    """What the last one should take: it ends when the work is done."""
    save_every_seconds: float
    saves: int
    finish: Span
    node_hours: float
    """Expected, with start-ups, saves and what interruptions cost."""
    node_hours_at_most: float
    """What a budget must hold: no attempt starts unless its whole limit fits."""
    interruptions: float
    """Expected number."""
    lost_seconds: float
    """Expected to be trained again, start-ups included."""
    lost_at_most_seconds: float
    """By one interruption: everything since the last checkpoint."""
    waits: Forecast


@dataclass(frozen=True)
class Course:
    """The work cut into attempts, if nothing goes wrong."""

    attempts: int
    busy_seconds: float
    """Steps, start-ups and saves."""
    last_seconds: float
    save_every_seconds: float
    saves: int


@dataclass(frozen=True)
class Risk:
    """Interruptions, and what each costs."""

    expected: float
    seconds: float
    """To be trained again, with the start-up."""
    attempts: float
    """Further attempts: half a one in a long chain, as the fresh one has its whole limit before it; more where they are frequent."""

    @property
    def few(self) -> int:
        return round(max(0.0, self.expected - 2 * math.sqrt(self.expected)))

    @property
    def many(self) -> int:
        """One in twenty has more; none are counted where even one is that unlikely."""
        return round(self.expected + 2 * math.sqrt(self.expected))


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
    course = cut(work, place)
    risk = risk_of(work, place, course)
    lost = risk.expected * risk.seconds
    return ChainPlan(
        attempts=course.attempts + round(risk.expected * risk.attempts),
        attempt_seconds=place.limit_seconds,
        last_attempt_seconds=course.last_seconds,
        save_every_seconds=course.save_every_seconds,
        saves=course.saves,
        finish=finish_span(place, course, risk),
        node_hours=place.nodes * (course.busy_seconds + lost) / 3600,
        node_hours_at_most=place.nodes * seconds_at_most(place, course, risk) / 3600,
        interruptions=risk.expected,
        lost_seconds=lost,
        lost_at_most_seconds=course.save_every_seconds + work.startup_seconds,
        waits=place.forecast,
    )


def cut(work: Work, place: Place) -> Course:
    """Follow-ups that come early end an attempt by a hand-over, so it takes more of them; never the first, as nobody knows yet that there is more to do."""
    every, usable = save_interval(work, place), usable_seconds(work, place.limit_seconds)
    saves_between = every < usable  # each attempt saves at its end anyway
    training = work.seconds * (1 + work.save_seconds / every * saves_between)
    each = max(usable - handed_over_seconds(place), LEAST_SHARE * usable)
    follow_ups = max(0, math.ceil((training - usable) / each - 1e-9))
    rest = training - (usable + (follow_ups - 1) * each if follow_ups else 0)
    around = work.startup_seconds + work.save_seconds
    return Course(
        attempts=1 + follow_ups,
        busy_seconds=training + (1 + follow_ups) * around,
        last_seconds=min(place.limit_seconds, rest + around),
        save_every_seconds=min(every, usable),
        saves=math.floor(work.seconds / every) * saves_between + 1 + follow_ups,
    )


def handed_over_seconds(place: Place) -> float:
    """What a follow-up that comes as early as it is queued takes from an attempt: by a hand-over, or by waiting on its nodes."""
    if not place.ahead:
        return 0.0
    return cushion(place.limit_seconds, place.forecast, Manners(place.hand_over_seconds))


def risk_of(work: Work, place: Place, course: Course) -> Risk:
    """An attempt ends at its limit or by an interruption: by how much that shortens it follows from chance."""
    per_second = place.nodes / (place.node_fails_after_hours * 3600)
    expected = course.busy_seconds * per_second
    hits = per_second * place.limit_seconds
    shortened = -math.expm1(-hits) / hits
    return Risk(
        expected,
        seconds=course.save_every_seconds / 2 + work.startup_seconds,
        attempts=max((1 / shortened - 1) / hits, 1 / course.attempts),
    )


def seconds_at_most(place: Place, course: Course, risk: Risk) -> float:
    """Either every attempt takes its whole limit, or the last one, which must be free before it starts."""
    used = course.busy_seconds + max(risk.many, risk.expected) * risk.seconds
    attempts = course.attempts + math.ceil(risk.many * risk.attempts)
    return max(used, min(attempts * place.limit_seconds, used + place.limit_seconds))


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
            f"An attempt of {limit_seconds:.0f} s is too short: {work.startup_seconds:.0f} s pass before the first step, "
            f"a step takes {work.step_seconds:.4g} s and {free:.0f} s are kept for the last save",
            f"Ask for a walltime of more than {limit_seconds - usable + work.step_seconds:.0f} s, or make steps, start-up, "
            "checkpoint and continue.lead shorter.",
        )
    return usable


def finish_span(place: Place, course: Course, risk: Risk) -> Span:
    """Soonest: short waits and few interruptions. Latest: long waits and many."""
    few = fresh_waits(place, course, risk, risk.few) * short_wait(place.forecast)
    many = late_waits(place, course, fresh_waits(place, course, risk, risk.many))
    return Span(
        few + course.busy_seconds + risk.few * risk.seconds,
        max(few, many) + course.busy_seconds + risk.many * risk.seconds,
    )


def fresh_waits(place: Place, course: Course, risk: Risk, interruptions: int) -> int:
    """Waits that begin when nothing runs: the first, one after each interruption, and one for every attempt that is not queued ahead."""
    if place.ahead:
        return 1 + interruptions
    return course.attempts + math.ceil(interruptions * risk.attempts)


def short_wait(forecast: Forecast) -> float:
    """A quarter of all waits is shorter."""
    return forecast.spread[len(forecast.spread) // 4] if forecast.spread else 0.0


def late_waits(place: Place, course: Course, fresh: int) -> float:
    """One wait at its bound, the others at their mean and twice what chance adds to their sum; then late follow-ups.

    Replayed on three job logs, 88 to 98 of 100 chains that queue nothing ahead end before that.
    """
    forecast = place.forecast
    if forecast.bound is None or not forecast.spread:
        return 0.0
    chance = 2 * pstdev(forecast.spread) * math.sqrt(fresh - 1)
    in_all = forecast.bound + (fresh - 1) * fmean(forecast.spread) + chance
    return min(in_all, fresh * forecast.bound) + late_follow_ups(place, course)


def late_follow_ups(place: Place, course: Course) -> float:
    """Each surprise that the bound allows for costs what the cushion does not cover."""
    forecast = place.forecast
    if not place.ahead or forecast.bound is None or forecast.typical is None:
        return 0.0
    surprises = math.ceil((course.attempts - 1) * (1 - forecast.quantile))
    early = cushion(place.limit_seconds, forecast, Manners(place.hand_over_seconds))
    return surprises * max(0.0, forecast.bound - forecast.typical - early)
