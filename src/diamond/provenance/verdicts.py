"""How a second run compares with the first: file by file, then metric by metric."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from diamond.provenance.tolerance import Tolerance


class Level(StrEnum):
    IDENTICAL = "identical"
    """Every result of the first run is there, bit for bit."""
    WITHIN = "within-tolerance"
    """Files differ; the metrics agree within the tolerance."""
    DIFFERENT = "different"
    NOT_REPRODUCIBLE = "not-reproducible"
    """Something that the run needs is missing, or there is nothing to compare."""


@dataclass(frozen=True)
class Outcome:
    """What a run left."""

    state: str
    reason: str = ""
    files: Mapping[str, str] | None = None
    """Digests of its results by path; None: not known, as they are gone or too large to hash."""
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    """Last values. None: NaN or infinite."""
    why_no_files: str = ""


@dataclass(frozen=True)
class FileFinding:
    path: str
    finding: str
    """identical, differs, missing (only the first run has it) or new."""


@dataclass(frozen=True)
class MetricFinding:
    name: str
    first: float | None
    second: float | None
    difference: float | None
    allowed: float
    tolerance: str
    finding: str
    """equal, within, beyond, missing, or not compared: a time or a speed differs each time."""


@dataclass(frozen=True)
class Verdict:
    level: Level
    sentence: str
    files: tuple[FileFinding, ...] = ()
    metrics: tuple[MetricFinding, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def evidence(self) -> list[str]:
        """Short sentences for a record."""
        files = [f"{each.path}: {each.finding}" for each in self.files]
        metrics = [
            f"{each.name}: {each.first} and {each.second}, {each.finding}" for each in self.metrics
        ]
        return [self.sentence, *self.missing, *files, *metrics]


_VARIES = re.compile(
    r"(^|[/_.-])(time|times|seconds|secs|duration|eta|speed|throughput|fps|runtime|elapsed|timestamp|"
    r"samples_per_second|steps_per_second|tokens_per_second)($|[/_.-])|per_sec",
    re.IGNORECASE,
)


def not_reproducible(missing: Sequence[str]) -> Verdict:
    return Verdict(
        Level.NOT_REPRODUCIBLE, f"Not reproducible: {'; '.join(missing)}", missing=tuple(missing)
    )


def judge(first: Outcome, second: Outcome, tolerance: Tolerance) -> Verdict:
    if second.state == "failed" and second.reason in MISSING:
        return not_reproducible([MISSING[second.reason]])
    if first.state == "succeeded" and second.state != "succeeded":
        why = f" ({second.reason})" if second.reason else ""
        return Verdict(
            Level.DIFFERENT, f"The first run succeeded, the second ended {second.state}{why}"
        )
    files, metrics = _files(first, second), _metrics(first, second, tolerance)
    compared = [each for each in metrics if each.finding != NOT_COMPARED]
    if not files and not compared:
        return not_reproducible([_nothing(first, second)])
    level, sentence = _level(first, second, files, compared)
    return Verdict(level, sentence, tuple(files), tuple(metrics))


NOT_COMPARED = "not compared"
MISSING = {
    "data": "the data are not on the machine of the second run",
    "environment": "the environment could not be made for the second run",
    "code": "the code could not be fetched for the second run",
}
"""By the reason why the second run failed before its program started."""


def _files(first: Outcome, second: Outcome) -> list[FileFinding]:
    if first.files is None or second.files is None:
        return []
    known, again = first.files, second.files
    return [FileFinding(path, _finding(path, known, again)) for path in sorted({*known, *again})]


def _finding(path: str, known: Mapping[str, str], again: Mapping[str, str]) -> str:
    if path not in again:
        return "missing"
    if path not in known:
        return "new"
    return "identical" if known[path] == again[path] else "differs"


def _metrics(first: Outcome, second: Outcome, tolerance: Tolerance) -> list[MetricFinding]:
    names = sorted({*first.metrics, *second.metrics})
    return [_metric(name, first, second, tolerance) for name in names]


def _metric(name: str, first: Outcome, second: Outcome, tolerance: Tolerance) -> MetricFinding:
    a, b = first.metrics.get(name), second.metrics.get(name)
    bound = tolerance.of(name)
    allowed = bound.allowed(a) if a is not None else 0.0
    difference = abs(b - a) if a is not None and b is not None else None
    return MetricFinding(
        name,
        a,
        b,
        difference,
        allowed,
        bound.text,
        _agreement(name, first, second, difference, allowed),
    )


def _agreement(
    name: str, first: Outcome, second: Outcome, difference: float | None, allowed: float
) -> str:
    if _VARIES.search(name):
        return NOT_COMPARED
    if name not in first.metrics or name not in second.metrics:
        return "missing"
    if difference is None:
        return "equal" if first.metrics[name] == second.metrics[name] else "beyond"
    if difference == 0:
        return "equal"
    # Rounding in the subtraction itself must not decide.
    near = difference <= allowed or math.isclose(difference, allowed, rel_tol=1e-9)
    return "within" if near and allowed else "beyond"


def _level(
    first: Outcome,
    second: Outcome,
    files: Sequence[FileFinding],
    metrics: Sequence[MetricFinding],
) -> tuple[Level, str]:
    odd_files = [each for each in files if each.finding in ("differs", "missing")]
    odd_metrics = [each for each in metrics if each.finding in ("beyond", "missing")]
    if files and not odd_files and any(each.finding == "identical" for each in files):
        note = f"; {len(odd_metrics)} metrics differ" if odd_metrics else ""
        return Level.IDENTICAL, f"{_all_of(files)} identical, bit for bit{note}"
    if odd_metrics:
        return Level.DIFFERENT, _worst(odd_metrics, odd_files)
    if not metrics:
        return Level.DIFFERENT, f"{_paths(odd_files)}; there are no metrics to compare"
    if all(each.finding == "equal" for each in metrics) and not odd_files:
        why = first.why_no_files or second.why_no_files or "the runs left no files in artifacts/"
        every = (
            f"The metric {metrics[0].name} is"
            if len(metrics) == 1
            else f"All {len(metrics)} metrics are"
        )
        return Level.IDENTICAL, f"{every} equal; {why}"
    farthest = max(metrics, key=lambda each: (each.difference or 0.0) / (each.allowed or math.inf))
    rest = f"; {_paths(odd_files)}" if odd_files else ""
    return Level.WITHIN, f"All metrics agree within {farthest.tolerance}{rest}"


def _all_of(files: Sequence[FileFinding]) -> str:
    same = [each.path for each in files if each.finding == "identical"]
    return f"The result {same[0]} is" if len(same) == 1 else f"All {len(same)} results are"


def _worst(metrics: Sequence[MetricFinding], files: Sequence[FileFinding]) -> str:
    worst = max(metrics, key=_distance)
    if worst.difference is None:
        text = f"{worst.name} was {_number(worst.first)} and is {_number(worst.second)}"
    else:
        text = (
            f"{worst.name} was {_number(worst.first)} and is {_number(worst.second)}: "
            f"{worst.difference:.3g} apart, allowed {worst.allowed:.3g}"
        )
    return f"{text}; {_paths(files)}" if files else text


def _distance(finding: MetricFinding) -> float:
    if finding.difference is None:
        return math.inf
    return finding.difference / max(abs(finding.first or 0.0), 1e-12)


def _number(value: float | None) -> str:
    return "not a number" if value is None else f"{value:.6g}"


def _paths(files: Sequence[FileFinding]) -> str:
    shown = ", ".join(f"{each.path} {each.finding}" for each in files[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return f"{shown}{more}"


def _nothing(first: Outcome, second: Outcome) -> str:
    for each in (first, second):
        if each.why_no_files:
            return f"nothing to compare: {each.why_no_files}, and no metrics were logged"
    return "nothing to compare: the runs left no files in artifacts/ and logged no metrics"
