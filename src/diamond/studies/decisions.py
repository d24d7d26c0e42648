"""What to do with a study and each of its trials, by what is known now. No I/O."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from diamond.core.task import FINAL_WORDS, Reason
from diamond.studies.packing import lead
from diamond.studies.plan import Objective, StudyPlan
from diamond.studies.pruning import Steps

MOST_RERUNS = 5
"""Ends of one trial that were not its own; then the study asks."""
SAME_CAUSE = 3
"""Ends in a row with the same cause that pause a study."""
LATE_SECONDS = 30.0
"""How long after its end was heard of the last lines of a task may arrive."""
MOST_STEPS = 1000
"""Values kept of a trial; its task's curves have the rest."""


class TrialState(StrEnum):
    WAITING = "waiting"
    """Asked, and not started yet, or to be started again."""
    RUNNING = "running"
    STOPPING = "stopping"
    """Pruned or stopped by hand; its tasks have not ended yet."""
    PAUSED = "paused"
    """At a rung, until it is promoted."""
    COMPLETE = "complete"
    PRUNED = "pruned"
    FAILED = "failed"


FINAL = frozenset({TrialState.COMPLETE.value, TrialState.PRUNED.value, TrialState.FAILED.value})
NOT_ITS_OWN = frozenset(
    reason.value
    for reason in (
        Reason.PREEMPTED,
        Reason.NODE_LOST,
        Reason.LOST,
        Reason.WALL_TIME,
        Reason.BY_SITE,
        Reason.DEADLINE,
        Reason.CONTINUE_LIMIT,
        Reason.NO_PROGRESS,
        Reason.WITHDRAWN,
    )
)
"""Ends that say nothing about the point."""
NOT_STARTED = frozenset(
    reason.value
    for reason in (
        Reason.REFUSED,
        Reason.ENVIRONMENT,
        Reason.CODE,
        Reason.DATA,
        Reason.SECRET,
        Reason.DISK,
        Reason.POLICY,
        Reason.BUDGET,
        Reason.DEPENDENCY,
        Reason.SITE_LIMIT,
        Reason.PILOT_CLOSED,
    )
)
"""Ends before the program ran."""


@dataclass(frozen=True)
class TaskFacts:
    """A task of a trial."""

    state: str
    reason: str = ""
    exit_code: int | None = None
    message: str = ""
    is_flagged: bool = False
    """It was given the stop flag before it ended."""
    ended: float | None = None
    """When its end was heard of."""
    with_pilot: bool = False
    """It ended, or never began, because its pilot's allocation ended."""

    @property
    def has_ended(self) -> bool:
        return self.state in FINAL_WORDS


class Act(StrEnum):
    WAIT = "wait"
    COMPLETE = "complete"
    PRUNE = "prune"
    """It has ended as pruned."""
    FAIL = "fail"
    AGAIN = "again"
    """The same point once more."""
    PAUSE = "pause"
    """It has stopped at its rung."""


@dataclass(frozen=True)
class Ending:
    act: Act
    cause: str = ""
    words: str = ""
    is_shared: bool = False
    """Its pilot's allocation ended, and with it all that ran there: one cause, not many."""


WAIT = Ending(Act.WAIT)


def judge_task(
    task: TaskFacts, *, is_stopping: bool, at_rung: bool, has_value: bool, now: float
) -> Ending:
    """What the end of a task means for its trial."""
    if not task.has_ended:
        return WAIT
    if task.state == "succeeded" and not (is_stopping and task.is_flagged):
        return _succeeded(task, has_value=has_value, now=now)
    if is_stopping and (task.state == "cancelled" or task.is_flagged):
        return Ending(Act.PAUSE if at_rung else Act.PRUNE)
    if task.state == "cancelled" and task.reason != Reason.BY_SITE.value:
        return Ending(Act.PRUNE, Reason.BY_PERSON.value, task.message or "its task was cancelled")
    if task.reason in NOT_ITS_OWN or task.reason in NOT_STARTED:
        return Ending(Act.AGAIN, task.reason, task.message, task.with_pilot)
    code = f" {task.exit_code}" if task.exit_code else ""
    return Ending(Act.FAIL, f"{task.reason}{code}", task.message)


def _succeeded(task: TaskFacts, *, has_value: bool, now: float) -> Ending:
    if has_value:
        return Ending(Act.COMPLETE)
    if now - (task.ended or now) < LATE_SECONDS:
        return WAIT
    return Ending(Act.FAIL, "no-value", "it ended well, but never logged the objective")


def thinned(steps: Steps) -> Steps:
    """At most MOST_STEPS, with the first and the last."""
    while len(steps) > MOST_STEPS:
        steps = (*steps[:-1][::2], steps[-1])
    return steps


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


@dataclass(frozen=True)
class Streak:
    """Ends in a row with the same cause."""

    cause: str = ""
    count: int = 0

    def after(self, ending: Ending) -> Streak:
        if ending.act is Act.WAIT or ending.act is Act.PAUSE or ending.is_shared:
            return self
        if ending.act in (Act.COMPLETE, Act.PRUNE):
            return Streak()
        return Streak(ending.cause, self.count + 1 if ending.cause == self.cause else 1)

    @property
    def asks(self) -> bool:
        return self.count >= SAME_CAUSE


MOST_AHEAD = 500
"""Trials that agents hold for later, over all endpoints."""
AHEAD_TOGETHER = 32
"""So many of them are made in one round: each takes milliseconds, in which nothing else is decided."""


def trials_ahead(plan: StudyPlan, lasted: Sequence[float], slots: int = 0) -> int:
    """How many trials agents get beyond those that run, by how long trials `lasted`; one for each slot before one ended.
    `slots`: of pilots, where the next trials wait for room."""
    if not plan.ahead_minutes:
        return lead(slots, lasted) if slots else 0
    recent = sorted(lasted[-50:])
    if not recent:
        return plan.parallel
    usual = max(recent[len(recent) // 2], 0.1)
    wanted = math.ceil(plan.parallel * 60 * plan.ahead_minutes / usual)
    return max(plan.parallel, min(wanted, MOST_AHEAD))


def slots_at(names: Sequence[str], name: str, parallel: int) -> int:
    """An endpoint's share of the slots; each has at least one."""
    known = sorted(set(names))
    share, rest = divmod(parallel, len(known))
    return max(1, share + (known.index(name) < rest))


def free_slots(plan: StudyPlan, *, busy: int, ahead: int = 0) -> int:
    """How many more tasks may be made; a trial takes a slot for each of its repeats."""
    return max(0, plan.parallel + ahead - busy)


def best_trial(
    objective: Objective, complete: Iterable[tuple[int, float]]
) -> tuple[int, float] | None:
    """The first of the best."""
    best: tuple[int, float] | None = None
    for number, value in complete:
        if best is None or objective.is_better(value, best[1]):
            best = number, value
    return best


def pareto_front(
    objectives: Sequence[Objective], points: Mapping[int, Sequence[float]]
) -> list[int]:
    """Numbers of the points that no other point beats in one objective without losing in another."""
    signed = {
        number: tuple(-v if o.maximize else v for o, v in zip(objectives, values, strict=True))
        for number, values in points.items()
    }
    front: list[int] = []
    kept: list[tuple[float, ...]] = []
    for number in sorted(signed, key=lambda each: (signed[each], each)):
        mine = signed[number]
        beaten = any(
            all(a <= b for a, b in zip(other, mine, strict=True)) and other != mine
            for other in kept
        )
        if not beaten:
            front.append(number)
            kept.append(mine)
    return sorted(front)


@dataclass(frozen=True)
class TrialQueue:
    """An endpoint among those of a study."""

    name: str
    is_online: bool
    waiting: int
    """Trials of the study in its queue."""
    running: int


def choose_queue(places: Sequence[TrialQueue]) -> str:
    """Where the next trial is expected to start first: online, with the shortest queue for what runs there."""
    best = min(
        enumerate(places),
        key=lambda item: (
            not item[1].is_online,
            item[1].waiting / max(1, item[1].running),
            item[1].waiting + item[1].running if not item[1].waiting else 0,
            item[0],
        ),
    )
    return best[1].name
