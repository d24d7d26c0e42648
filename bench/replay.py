"""Replay chains of attempts against a real queue's history, with three ways to queue the next attempt.

An attempt has its nodes for one limit from the moment the queue provides them, so time spent idle before its program
starts is lost. All ways do the same work: ten limits of program time, with as many attempts as that takes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from diamond.planning.follow_ups import (
    Arrival,
    Chain,
    FollowUpPolicy,
    cushion,
    decide_arrival,
    first_cushion,
    must_withdraw,
    next_submission_time,
)
from diamond.planning.waits import NOTHING_KNOWN, Forecast, PastWait, WaitHistory

Policy = Callable[[bool], FollowUpPolicy]
"""How many may wait and what a hand-over costs, by whether a program has started."""
LIMITS_OF_WORK = 10
GIVING_BACK_SECONDS = 60.0
"""How long nodes are idle until an unneeded attempt is gone."""


class Queue:
    """The waits of one class of jobs: the actual ones, and what was known at each moment."""

    def __init__(self, jobs: Sequence[PastWait], limit_seconds: float) -> None:
        self.limit = limit_seconds
        self._submitted = [job.submitted for job in jobs]
        self._waited = [job.waited for job in jobs]
        by_start = sorted(jobs, key=lambda job: job.started)
        self._started = [job.started for job in by_start]
        self._forecasts = forecasts(job.waited for job in by_start)

    def wait(self, now: float) -> float:
        """The wait of the job nearest in submit time."""
        after = bisect_left(self._submitted, now)
        near = range(max(0, after - 1), min(after + 1, len(self._submitted)))
        return self._waited[min(near, key=lambda i: abs(self._submitted[i] - now))]

    def forecast(self, now: float) -> Forecast:
        """Only from jobs that started before now."""
        return self._forecasts[bisect_left(self._started, now)]


def forecasts(waits_by_start: Iterable[float]) -> list[Forecast]:
    """What was known after none, one, two … starts."""
    known, told = WaitHistory(), [NOTHING_KNOWN]
    for waited in waits_by_start:
        known.add(waited)
        told.append(known.forecast())
    return told


@dataclass
class Outcome:
    """Seconds of one chain; idle is per node."""

    gap: float = 0.0
    idle: float = 0.0
    attempts: int = 0
    waited_at_most: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        most = max(self.waited_at_most, other.waited_at_most)
        attempts = self.attempts + other.attempts
        return Outcome(self.gap + other.gap, self.idle + other.idle, attempts, most)


def when_it_ends(queue: Queue, begin: float) -> Outcome:
    """The next attempt is queued when the one before has ended."""
    one, now = Outcome(attempts=LIMITS_OF_WORK), begin + queue.wait(begin)
    for _ in range(LIMITS_OF_WORK - 1):
        now += queue.limit
        one.gap += queue.wait(now)
        now += queue.wait(now)
    return one


def when_it_starts(queue: Queue, begin: float) -> Outcome:
    """The next attempt is queued when the program of the one before starts, and its nodes idle until that ends."""
    given = started = begin + queue.wait(begin)
    one, work = Outcome(attempts=1), 0.0
    while (work := work + given + queue.limit - started) < LIMITS_OF_WORK * queue.limit:
        ended, given = given + queue.limit, started + queue.wait(started)
        one.gap += max(0.0, given - ended)
        one.idle += max(0.0, ended - given)
        started = max(given, ended)
        one.attempts += 1
    return one


def planned(queue: Queue, begin: float, policy: Policy) -> Outcome:
    """The next attempt is queued as `diamond.planning` says."""
    return Replay(queue, policy, begin).run()


@dataclass
class Replay:
    """One chain under the planner."""

    queue: Queue
    policy: Policy
    now: float
    waiting: list[tuple[float, float]] = field(default_factory=list)
    """(gets its nodes, was queued), for each attempt in the queue."""
    last_queued: float = 0.0
    program: tuple[float, float] | None = None
    """(started, loses its nodes); during a hand-over, the start is in the future."""
    silent_since: float | None = None
    work: float = 0.0
    early: float = 0.0
    """The cushion, as sent at the last start."""
    outcome: Outcome = field(default_factory=Outcome)

    def run(self) -> Outcome:
        self.manners = self.policy(False)
        self.ask_forecast()
        self.submit()
        while not self.is_done():
            self.now = self.next_moment()
            self.end_program()
            if not self.is_done():
                self.give_nodes()
                self.ask_planner()
        return self.outcome

    def is_done(self) -> bool:
        return self.work_left() <= 1e-6

    def work_left(self) -> float:
        done = self.work + (max(0.0, self.now - self.program[0]) if self.program else 0.0)
        return LIMITS_OF_WORK * self.queue.limit - done

    def next_moment(self) -> float:
        moments = [given for given, _ in self.waiting]
        if self.program:
            moments += [self.program[1], max(self.now, self.program[0]) + self.work_left()]
        due = self.due()
        if due is not None:
            moments.append(max(due, self.now))
        return min(moments)

    def end_program(self) -> None:
        if self.program and self.program[1] <= self.now:
            self.work += self.program[1] - self.program[0]
            self.silent_since, self.program = self.program[1], None

    def give_nodes(self) -> None:
        for given, queued in sorted(self.waiting):
            if given <= self.now:
                self.waiting.remove((given, queued))
                self.take_nodes()

    def take_nodes(self) -> None:
        chosen = decide_arrival(self.chain(), self.manners)
        until = self.now + self.queue.limit
        self.ask_forecast()
        if chosen is Arrival.START:
            self.outcome.gap += self.now - (self.silent_since or self.now)
            self.program, self.silent_since = (self.now, until), None
            self.manners = self.policy(True)
        elif chosen is Arrival.GIVE_BACK:
            self.outcome.idle += GIVING_BACK_SECONDS
        elif chosen is Arrival.WAIT:
            self.follow(self.ends(), until)
        else:
            self.outcome.gap += self.manners.hand_over_seconds
            self.follow(self.now, until, switching=self.manners.hand_over_seconds)

    def follow(self, ended: float, until: float, switching: float = 0.0) -> None:
        assert self.program
        self.work += max(0.0, ended - self.program[0])
        self.outcome.idle += ended - self.now + switching
        self.program = (max(ended + switching, self.program[0]), until)

    def ends(self) -> float:
        assert self.program
        return self.program[1]

    def ask_planner(self) -> None:
        due = self.due()
        if due is None or due > self.now:
            return
        if must_withdraw(self.chain(), self.manners):
            self.waiting.remove(max(self.waiting, key=lambda one: one[1]))
        self.submit()

    def due(self) -> float | None:
        return next_submission_time(self.chain(), self.early, self.manners)

    def ask_forecast(self) -> None:
        """Once per start, as the service sends it to the agent; for the first, it is unknown whether a follow-up is needed."""
        expected = self.queue.forecast(self.now)
        wanted = first_cushion if not self.work else cushion
        self.early = wanted(self.queue.limit, expected, self.manners)

    def submit(self) -> None:
        self.waiting.append((self.now + self.queue.wait(self.now), self.now))
        self.last_queued = self.now
        self.outcome.attempts += 1
        self.outcome.waited_at_most = max(self.outcome.waited_at_most, len(self.waiting))

    def chain(self) -> Chain:
        return Chain(
            now=self.now,
            limit_seconds=self.queue.limit,
            work_seconds_left=self.work_left(),
            waiting_since=tuple(queued for _, queued in self.waiting),
            last_queued=self.last_queued,
            program_ends=self.program[1] if self.program else None,
            silent_since=self.silent_since,
        )
