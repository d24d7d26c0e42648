"""Pruning rules: may a trial continue, by what it and the others have logged? Standard library only.

They decide as Optuna's pruners of the same names do; `tests/unit/studies/test_pruning.py` holds them against those.
Values are looked at one after another, so it does not matter whether they arrive one by one or many at once.
"""

from __future__ import annotations

import binascii
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diamond.studies.signed_rank import p_value

Steps = tuple[tuple[float, float], ...]
"""(resource, value), by rising resource; a value that is not finite is NaN."""


@dataclass(frozen=True)
class TrialCurve:
    """What a rule looks at."""

    number: int
    steps: Steps
    is_complete: bool = False
    rungs: tuple[float, ...] = ()
    """Its value at each rung that it has reached."""


@dataclass(frozen=True)
class Verdict:
    prune: bool = False
    words: str = ""
    rungs: tuple[float, ...] = ()
    """The trial's, with those it has just reached."""
    at: float | None = None
    """The resource at which it was decided."""


@dataclass(frozen=True)
class Pruner:
    """By name, with the options of its rule; see docs/studies.md."""

    name: str = "none"
    unit: str = "step"
    """`step`, or the name of a logged metric that counts, such as `epoch`."""
    min: float = 1
    max: float = 100
    factor: int = 3
    startup: int = 5
    warmup: float = 0
    interval: float = 1
    percentile: float = 25.0
    p: float = 0.1
    mode: str = "stop"
    """`promote`: trials wait at a rung, and the best continue from their checkpoint."""


KEEP = Verdict()


def judge(
    pruner: Pruner,
    trial: TrialCurve,
    others: Iterable[TrialCurve],
    *,
    maximize: bool,
    study: str,
    seen: int,
) -> Verdict:
    """Judge a trial by its values from index `seen` on; those before were judged already."""
    rule = _RULES.get(pruner.name)
    if rule is None or seen >= len(trial.steps):
        return Verdict(rungs=trial.rungs)
    return rule(_Case(pruner, trial, tuple(others), maximize, study, seen))


def rung_resource(pruner: Pruner, rung: int, bracket: int = 0) -> float:
    return float(pruner.min * pruner.factor ** (bracket + rung))


def rung_count(pruner: Pruner) -> int:
    """How many rungs are below the maximum."""
    count = 0
    while rung_resource(pruner, count) < pruner.max:
        count += 1
    return count


def reached_rungs(pruner: Pruner, study: str, number: int, steps: Steps) -> tuple[float, ...]:
    """The values at all rungs that a trial has passed, whether it was judged there or not."""
    if pruner.name not in ("asha", "hyperband"):
        return ()
    bracket = bracket_of(pruner, study, number) if pruner.name == "hyperband" else 0
    rungs: list[float] = []
    for resource, value in steps:
        while rung_resource(pruner, len(rungs), bracket) <= resource:
            if rung_resource(pruner, len(rungs), bracket) >= pruner.max or math.isnan(value):
                return tuple(rungs)
            rungs.append(value)
    return tuple(rungs)


def promotable(value: float, rivals: Sequence[float], factor: int, *, maximize: bool) -> bool:
    """Whether a value is among the best 1/factor; the best one always is. `rivals` includes it."""
    best = sorted(rivals, reverse=maximize)
    bar = best[max(len(rivals) // factor, 1) - 1]
    return value >= bar if maximize else value <= bar


@dataclass(frozen=True)
class _Case:
    pruner: Pruner
    trial: TrialCurve
    others: tuple[TrialCurve, ...]
    maximize: bool
    study: str
    seen: int

    @property
    def complete(self) -> list[TrialCurve]:
        return [other for other in self.others if other.is_complete]


def _halving(case: _Case, bracket: int = 0) -> Verdict:
    pruner, rungs = case.pruner, list(case.trial.rungs)
    for resource, value in case.trial.steps[case.seen :]:
        while rung_resource(pruner, len(rungs), bracket) <= resource:
            rung = len(rungs)
            if rung_resource(pruner, rung, bracket) >= pruner.max:
                break
            if math.isnan(value):
                return Verdict(True, "its value is not finite", tuple(rungs), resource)
            rungs.append(value)
            rivals = [other.rungs[rung] for other in case.others if len(other.rungs) > rung]
            rivals.append(value)
            if not promotable(value, rivals, pruner.factor, maximize=case.maximize):
                words = _rung_words(pruner, rung, bracket, value, rivals, case.maximize)
                return Verdict(True, words, tuple(rungs), resource)
    return Verdict(rungs=tuple(rungs))


def _rung_words(
    pruner: Pruner,
    rung: int,
    bracket: int,
    value: float,
    rivals: Sequence[float],
    maximize: bool,
) -> str:
    better = sum(other > value if maximize else other < value for other in rivals)
    at = rung_resource(pruner, rung, bracket)
    return f"at {pruner.unit} {at:g} it was number {better + 1} of {len(rivals)}"


def _hyperband(case: _Case) -> Verdict:
    bracket = bracket_of(case.pruner, case.study, case.trial.number)
    rivals = tuple(
        other
        for other in case.others
        if bracket_of(case.pruner, case.study, other.number) == bracket
    )
    return _halving(
        _Case(case.pruner, case.trial, rivals, case.maximize, case.study, case.seen), bracket
    )


def bracket_count(pruner: Pruner) -> int:
    return math.floor(math.log(pruner.max / pruner.min, pruner.factor) + 1e-9) + 1


def bracket_of(pruner: Pruner, study: str, number: int) -> int:
    """By a hash of the trial's number: brackets that start sooner get more trials."""
    count = bracket_count(pruner)
    shares = [
        math.ceil(count * pruner.factor**left / (left + 1)) for left in range(count - 1, -1, -1)
    ]
    place = binascii.crc32(f"{study}_{number}".encode()) % sum(shares)
    for bracket, share in enumerate(shares):
        place -= share
        if place < 0:
            return bracket
    raise AssertionError("shares cover every place")


def _percentile(case: _Case) -> Verdict:
    pruner = case.pruner
    percent = 50.0 if pruner.name == "median" else pruner.percentile
    complete = case.complete
    if len(complete) < max(pruner.startup, 1):
        return KEEP
    tables = [dict(other.steps) for other in complete]
    for index in range(case.seen, len(case.trial.steps)):
        steps = case.trial.steps[: index + 1]
        resource = steps[-1][0]
        if resource < pruner.warmup or not _is_first_in_interval(steps, pruner):
            continue
        finite = [value for _, value in steps if not math.isnan(value)]
        if not finite:
            return Verdict(True, "its value is not finite", at=resource)
        best = max(finite) if case.maximize else min(finite)
        rivals = sorted(
            table[resource]
            for table in tables
            if resource in table and not math.isnan(table[resource])
        )
        if not rivals:
            continue
        bar = _quantile(rivals, 100 - percent if case.maximize else percent)
        if best < bar if case.maximize else best > bar:
            named = "the median" if pruner.name == "median" else f"the best {percent:g} %"
            words = f"at {pruner.unit} {resource:g} its best value {best:.4g} was behind {named}, {bar:.4g}"
            return Verdict(True, words, at=resource)
    return KEEP


def _is_first_in_interval(steps: Steps, pruner: Pruner) -> bool:
    nearest = (steps[-1][0] - pruner.warmup) // pruner.interval * pruner.interval + pruner.warmup
    return len(steps) < 2 or steps[-2][0] < nearest


def _quantile(ordered: Sequence[float], percent: float) -> float:
    """With linear interpolation, as numpy's."""
    place = (len(ordered) - 1) * percent / 100
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _wilcoxon(case: _Case) -> Verdict:
    """Against the best complete trial, value by value: is this one worse, beyond chance?"""
    pruner, complete = case.pruner, case.complete
    if not complete:
        return KEEP
    best = _best_by_mean(complete, case.maximize)
    table = dict(best.steps)
    for index in range(case.seen, len(case.trial.steps)):
        steps = case.trial.steps[: index + 1]
        pairs = [(value, table[at]) for at, value in steps if at in table]
        pairs = [pair for pair in pairs if not any(map(math.isnan, pair))]
        if len(pairs) < max(2, pruner.startup):
            continue
        worse = [theirs - mine if case.maximize else mine - theirs for mine, theirs in pairs]
        p = p_value(worse)
        own = sum(mine for mine, _ in pairs) / len(pairs)
        theirs = sum(value for _, value in pairs) / len(pairs)
        behind = own < theirs if case.maximize else own > theirs
        if p < pruner.p and behind:
            words = f"worse than trial {best.number} over {len(pairs)} values (p = {p:.2g})"
            return Verdict(True, words, at=steps[-1][0])
    return KEEP


def _best_by_mean(trials: Sequence[TrialCurve], maximize: bool) -> TrialCurve:
    def mean(trial: TrialCurve) -> float:
        finite = [value for _, value in trial.steps if not math.isnan(value)]
        missing = -math.inf if maximize else math.inf
        return sum(finite) / len(finite) if finite else missing

    return max(trials, key=mean) if maximize else min(trials, key=mean)


_RULES = {
    "asha": _halving,
    "hyperband": _hyperband,
    "median": _percentile,
    "percentile": _percentile,
    "wilcoxon": _wilcoxon,
}
RULES = ("none", *_RULES)


def merge_repeats(curves: Sequence[Steps]) -> Steps:
    """The mean over repeats, at those resources that all of them have reached."""
    if len(curves) == 1:
        return curves[0]
    tables = [dict(curve) for curve in curves]
    shared = set(tables[0]).intersection(*tables[1:]) if tables else set()
    return tuple((at, sum(table[at] for table in tables) / len(tables)) for at in sorted(shared))


def saved_node_seconds(pruned: Sequence[float], complete: Sequence[float]) -> float:
    """By the node-seconds of pruned and complete trials. 0 before one is complete."""
    if not complete:
        return 0.0
    usual = sum(complete) / len(complete)
    return sum(max(0.0, usual - used) for used in pruned)
