"""How short the gaps of a chain are, and how few nodes are idle, when real queues are replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
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
from bench.swf import Log, logs_in, read_log
from diamond.core.order import MOST_AHEAD, Continue, Order, Resources
from diamond.planning.waits import ENOUGH, PastWait, is_similar, similar
from diamond.service.chains.grants import DEFAULT_HAND_OVER_SECONDS, manners_of

FULL_COUNT = 1000
MOST_GAP, MOST_IDLE = 0.4, 0.3
SHARES = {"median": 0.5, "90th percentile": 0.9}
SOME = 10
"""One chain in this many is also tried in other ways, which explain the policy and have no bar."""
NOTES = [
    f"Each chain does {LIMITS_OF_WORK} limits of program time, with as many attempts as that takes, for every way of queueing. "
    "An attempt has its nodes for one limit from when the queue provides them. The wait before the first program does not count as a gap.",
    f"A hand-over is assumed to take {DEFAULT_HAND_OVER_SECONDS:.0f} s (save, exit, start; the service's default unless the spec sets `lead`), at most an eighth of the limit. Nothing trains meanwhile, so it counts both as gap and as idle. "
    "The predecessor's nodes are released, not idle; the lost time shows in the number of attempts queued.",
    "The wait at a moment is the wait of the real job nearest in submit time, in the same queue (the class's most common), with size and limit within 2×. "
    "The planner only sees jobs that started before that moment. All use the same policy and setting: what a spec with `continue:` and without `ahead` gets from the service's and the agent's own functions.",
    f"Rows with a dash and a way of queueing use every {SOME}th chain.",
    "One follow-up at best: the gap of a planner that knows all waits in advance and hands over for free, but has one attempt in the queue at a time "
    "(on a grid of a fiftieth of a limit). If this is above the bar, no policy with one follow-up can hold it, so several must be allowed to wait.",
    "In a replay, a resubmission gets the wait of another real job; a real queue may give it the same wait again, so the gain from further attempts in a gap is an upper estimate.",
    "These are CPU machines of their time: good for the shape of waits, not for GPU-hours.",
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
        return f"{self.name} ({self.size} procs × {hours(self.limit)})"


def measure(options: Options) -> Findings:
    findings = Findings()
    if options.logs is None:
        findings.note(
            "Not measured: name a folder of SWF logs, as in `python -m bench planning DIR`."
        )
        return findings
    asked = [(path, word) for path in logs_in(options.logs) for word in SHARES]
    with ProcessPoolExecutor() as pool:
        count = options.samples(FULL_COUNT)
        for one in [pool.submit(replay_log, path, word, count) for path, word in asked]:
            merge(findings, one.result())
    findings.notes[:0] = NOTES
    return findings


def merge(findings: Findings, one: Findings) -> None:
    findings.rows += one.rows
    findings.notes += [note for note in one.notes if note not in findings.notes]


def replay_log(path: Path, word: str, count: int) -> Findings:
    """One kind of chain, in its own process, which reads the log itself because millions of jobs are slow to pass on."""
    findings, log = Findings(), read_log(path)
    thanks = f"{len(log.jobs)} jobs; thanks to {log.thanks or 'its givers'}"
    findings.note("; ".join([f"{log.name}: {thanks}", *log.remarks]) + ".")
    kind = kind_of(log, word) if log.jobs else None
    if kind is None:
        findings.add(f"{log.name} {word}", "no job has a wait, a size and a limit")
    elif not kind.jobs:
        findings.add(kind.words, "no job of the log is like that")
    else:
        merge(findings, replay(kind, beginnings(log, count)))
    return findings


def kind_of(log: Log, word: str) -> Kind:
    size = int(percentile([job.nodes for job in log.jobs], SHARES[word]))
    limit = percentile([job.limit_seconds for job in log.jobs], SHARES[word])
    queue = commonest_queue(log.jobs, size, limit)
    jobs = similar(log.jobs, queue=queue, nodes=size, limit_seconds=limit)
    return Kind(f"{log.name} {word}", size, limit, sorted(jobs, key=lambda job: job.submitted))


def commonest_queue(jobs: list[PastWait], size: int, limit: float) -> str:
    alike = (
        job.queue
        for job in jobs
        if is_similar(job.nodes, size) and is_similar(job.limit_seconds, limit)
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
    """What service and agent do with a spec with `continue:`."""
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
    add_bar(findings, f"{kind.words}: gap", ours.gap, late.gap, MOST_GAP, "submit when it ends")
    other = "submit when the predecessor starts"
    add_bar(findings, f"{kind.words}: idle", ours.idle, early.idle, MOST_IDLE, other)
    findings.add("- jobs like that", alike_words(kind))
    count = late.attempts / LIMITS_OF_WORK
    queued = f"{ours.attempts / count:.1f} a chain, at most {ours.waited_at_most} at once"
    findings.add("- attempts queued", queued)


def add_bar(
    findings: Findings, what: str, ours: float, naive: float, most: float, other: str
) -> None:
    """If the other way has zero, only zero is as good."""
    words = f"none, as by {other}"
    if naive:
        words = f"{ours / naive:.2f} of {other} ({hours(naive)} in all)"
    elif ours:
        words = f"{hours(ours)} in all, where {other} has none"
    findings.add(what, words, f"≤ {most}", ratio(ours, naive) <= most)


def alike_words(kind: Kind) -> str:
    waits = [job.waited for job in kind.jobs]
    half, most = percentile(waits, 0.5), percentile(waits, 0.9)
    told = f"{len(waits)}; half wait up to {hours(half)}, 90 % up to {hours(most)}"
    if len(waits) < ENOUGH:
        told += f"; fewer than {ENOUGH} tell little"
    lasted = kind.jobs[-1].submitted - kind.jobs[0].submitted
    if LIMITS_OF_WORK * kind.limit > lasted:
        told += "; chains outlast them, and then get the last one's wait"
    return told


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
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.{int(seconds < 360_000)}f} h"


CLAIM = Claim("planning", "Chains of attempts on real queues: gaps and idle nodes", measure)
