"""How short the gaps of a chain are, and how little idles, when real queues are replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from bench.best import least_gap
from bench.claim import Claim, Findings, Options
from bench.numbers import percentile
from bench.replay import (
    LIMITS_OF_WORK,
    Outcome,
    Policy,
    Queue,
    planned,
    when_it_ends,
    when_it_starts,
)
from bench.swf import Log, read_logs
from diamond.core.order import MOST_AHEAD, Continue, Order, Resources
from diamond.planning.waits import PastWait, is_alike, similar
from diamond.service.grants import DEFAULT_HAND_OVER_SECONDS, manners_of

FULL_COUNT = 1000
MOST_GAP, MOST_IDLE = 0.4, 0.3
SHARES = {"median": 0.5, "90th percentile": 0.9}
SOME = 10
"""Of so many chains one is also tried in the other ways: they tell more about the policy, and have no bar."""
NOTES = [
    f"Each chain does {LIMITS_OF_WORK} limits of program time, whatever number of attempts that takes, under every way of queueing. "
    "Nodes are given for one limit from when the queue gives them. The wait before the first program is in no way's gap.",
    f"A hand-over is taken to last {DEFAULT_HAND_OVER_SECONDS:.0f} s (save, exit, start; what the service reckons with unless the spec's `lead` says otherwise), an eighth of the limit at most; nothing trains meanwhile, so it counts both as gap and as idle. "
    "The predecessor's nodes are released, not idle; the time given up shows in the number of attempts queued.",
    "Wait at a moment: that of the real job nearest in submit time, same queue (the class's commonest), size and limit within 2×. "
    "The planner sees only jobs that started before that moment. One policy, one setting, for all: what a spec with `continue:` gets that says nothing about `ahead`, by the service's and the agent's own functions.",
    f"The rows with a dash and a way of queueing are of every {SOME}th chain.",
    "One follow-up at best: the gap of a planner that knows all waits beforehand and hands over at no cost, but has one attempt in the queue at a time "
    "(exact but for a grid of a fiftieth of a limit). Where this is above the bar, no policy with one follow-up can hold it, so several must be allowed to wait.",
    "Replaying gives a resubmission the wait of another real job; a real queue may give it the same wait again, so the gain from further attempts in a gap is an upper estimate.",
    "CPU machines of their time: good for the shape of waits, not for GPU-hours.",
]

Way = Callable[[Queue, float], Outcome]


@dataclass(frozen=True)
class Kind:
    """The jobs of a log that a chain of one size and limit is compared with."""

    name: str
    size: int
    limit: float
    jobs: list[PastWait]

    @property
    def words(self) -> str:
        return f"{self.name} ({self.size} procs × {self.limit / 3600:.1f} h)"


def measure(options: Options) -> Findings:
    findings = Findings()
    if options.logs is None:
        findings.note(
            "Not measured: name a folder of SWF logs, as in `python -m bench planning DIR`."
        )
        return findings
    with ProcessPoolExecutor() as pool:
        coming = list(asked(pool, findings, options.logs, options.samples(FULL_COUNT)))
        for one in coming:
            findings.rows += one.result().rows
    findings.notes[:0] = NOTES
    return findings


def asked(
    pool: Executor, findings: Findings, folder: Path, count: int
) -> Iterator[Future[Findings]]:
    """A kind of chains at a time on each core."""
    for log in read_logs(folder):
        findings.note(f"{log.name}: {len(log.jobs)} jobs; thanks to {log.thanks or 'its givers'}.")
        for kind in kinds(log):
            if kind.jobs:
                yield pool.submit(replay, kind, beginnings(log, count))
            else:
                findings.note(f"{kind.words}: no job of the log is like that.")


def kinds(log: Log) -> Iterator[Kind]:
    for word, share in SHARES.items():
        if not log.jobs:
            return
        size = int(percentile([job.nodes for job in log.jobs], share))
        limit = percentile([job.limit_seconds for job in log.jobs], share)
        queue = commonest_queue(log.jobs, size, limit)
        jobs = similar(log.jobs, queue=queue, nodes=size, limit_seconds=limit)
        yield Kind(f"{log.name} {word}", size, limit, sorted(jobs, key=lambda job: job.submitted))


def commonest_queue(jobs: list[PastWait], size: int, limit: float) -> str:
    alike = (
        job.queue
        for job in jobs
        if is_alike(job.nodes, size) and is_alike(job.limit_seconds, limit)
    )
    return next((queue for queue, _ in Counter(alike).most_common(1)), "")


def replay(kind: Kind, begins: list[float]) -> Findings:
    findings, queue = Findings(), Queue(kind.jobs, kind.limit)
    late, early = total(when_it_ends, queue, begins), total(when_it_starts, queue, begins)
    ours = total(way(default_policy(kind.limit)), queue, begins)
    add_bars(findings, kind, ours, late, early)
    some = begins[::SOME]
    late, early = total(when_it_ends, queue, some), total(when_it_starts, queue, some)
    findings.add("- submit when the predecessor starts", words(early, late, early, len(some)))
    best = ratio(sum(least_gap(queue, begin) for begin in some), late.gap)
    findings.add("- one follow-up at best, if every wait were known", f"gap {best:.2f}")
    for name, policy in variants(kind.limit).items():
        other = total(way(policy), queue, some)
        findings.add(f"- {name}", words(other, late, early, len(some)))
    return findings


def default_policy(limit: float, *, ahead: int = True, hand_over: int = 0) -> Policy:
    """What service and agent make of a spec with `continue:`."""
    resume = Continue(on=["wall-time"], lead_seconds=hand_over, ahead=ahead)
    minutes = max(1, round(limit / 60))
    order = Order("chain", resources=Resources(walltime_minutes=minutes), resume=resume)
    return lambda has_started: manners_of(order, has_started=has_started)


def variants(limit: float) -> dict[str, Policy]:
    usual = default_policy(limit)
    return {
        "ahead: 1": default_policy(limit, ahead=1),
        "ahead: 4": default_policy(limit, ahead=4),
        "ahead: 12": default_policy(limit, ahead=MOST_AHEAD),
        "no hand-over, nodes idle": lambda started: replace(usual(started), can_hand_over=False),
        "hand-over of 2 min": default_policy(limit, hand_over=120),
        "hand-over of 5 min": default_policy(limit, hand_over=300),
    }


def add_bars(findings: Findings, kind: Kind, ours: Outcome, late: Outcome, early: Outcome) -> None:
    gap, idle = ratio(ours.gap, late.gap), ratio(ours.idle, early.idle)
    of_gap = f"{gap:.2f} of submit when it ends ({hours(late.gap)})"
    of_idle = f"{idle:.2f} of submit when the predecessor starts ({hours(early.idle)})"
    findings.add(f"{kind.words}: gap", of_gap, f"≤ {MOST_GAP}", gap <= MOST_GAP)
    findings.add(f"{kind.words}: idle", of_idle, f"≤ {MOST_IDLE}", idle <= MOST_IDLE)
    count = late.attempts / LIMITS_OF_WORK
    queued = f"{ours.attempts / count:.1f} a chain, at most {ours.waited_at_most} at once"
    findings.add("- attempts queued", queued)


def beginnings(log: Log, count: int) -> list[float]:
    """Spread evenly over the log."""
    first, last = log.jobs[0].submitted, log.jobs[-1].submitted
    return [first + (last - first) * (turn + 0.5) / count for turn in range(count)]


def total(one: Way, queue: Queue, begins: list[float]) -> Outcome:
    return sum((one(queue, begin) for begin in begins), Outcome())


def way(policy: Policy) -> Way:
    return lambda queue, begin: planned(queue, begin, policy)


def words(other: Outcome, late: Outcome, early: Outcome, count: int) -> str:
    gap, idle = ratio(other.gap, late.gap), ratio(other.idle, early.idle)
    return f"gap {gap:.2f}, idle {idle:.2f}, {other.attempts / count:.1f} attempts"


def ratio(ours: float, other: float) -> float:
    return ours / other if other else float(ours > 0)


def hours(seconds: float) -> str:
    return f"{seconds / 3600:.0f} h in all"


CLAIM = Claim("planning", "Chains of attempts on real queues: gaps and idle nodes", measure)
