"""What a job sees of its machine and of itself: lines of `facts.jsonl` in the folder of its run, decoded by type."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Dict, Iterable, List, Optional

from diamond.core.decoding import Count, Hex, Inside, Kind, Line, MaybeWord, decode
from diamond.core.errors import BadRequest

FILE = "facts.jsonl"
STREAM = "facts"
MOST_BYTES = 512 << 10
"""Of one run; what comes after that is not read."""
MOST_NAMES = 2000
MOST_RESULTS = 50
"""Named by one run."""
MOST_SUGGESTED = 200
ResultName = Annotated[
    str, Kind(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", "a name (letters, digits, ., _ and -)")
]
Identifier = Annotated[str, Kind(r"[A-Za-z_][A-Za-z0-9_]{0,63}", "the name of a param")]
SpaceKind = Annotated[str, Kind(r"float|int|choice", "float, int or choice")]
ResultKind = Annotated[str, Kind(r"files|model|dataset", "files, model or dataset")]
Version = Annotated[str, Kind(r"[^\x00-\x1f\x7f\ud800-\udfff]{0,200}", "a version")]
Setting = Annotated[str, Kind(r"[^\x00-\x1f\x7f\ud800-\udfff/]{0,200}", "a value without a path")]


@dataclass(frozen=True)
class SeenGpu:
    name: Line
    memory_mb: Count = 0


@dataclass(frozen=True)
class NamedResult:
    """Something in the run directory that the program calls a result."""

    name: ResultName
    path: Inside
    kind: ResultKind = "files"
    format: MaybeWord = ""
    signature: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Suggested:
    """A dimension that the program of a trial has named, and the value that it has drawn."""

    name: Identifier
    kind: SpaceKind
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: Optional[float] = None
    choices: List[Any] = field(default_factory=list)
    value: Any = None


@dataclass(frozen=True)
class JobFacts:
    host: Line = ""
    nodes: Line = ""
    """As the batch system writes them."""
    cpu: Line = ""
    cores: Count = 0
    """That the job may use on its first node."""
    memory_mb: Count = 0
    """Of that node."""
    gpus: List[SeenGpu] = field(default_factory=list)
    driver: Line = ""
    cuda: Line = ""
    kernel: Line = ""
    system: Line = ""
    architecture: Line = ""
    python: Line = ""
    libraries: Dict[str, Version] = field(default_factory=dict)
    packages: Dict[str, Version] = field(default_factory=dict)
    seeds: Dict[str, Setting] = field(default_factory=dict)
    settings: Dict[str, Setting] = field(default_factory=dict)
    inputs: Dict[Line, Hex] = field(default_factory=dict)
    """Digests of the files of small data, by name and path: era5/2020.nc."""
    results: List[NamedResult] = field(default_factory=list)
    suggested: List[Suggested] = field(default_factory=list)


def read_facts(line: bytes) -> Optional[JobFacts]:
    """None for a line that is not one."""
    try:
        facts = decode(JobFacts, json.loads(line))
    except (BadRequest, ValueError, RecursionError):
        return None
    many = (
        facts.libraries,
        facts.packages,
        facts.seeds,
        facts.settings,
        facts.gpus,
        facts.inputs,
    )
    if len(facts.suggested) > MOST_SUGGESTED:
        return None
    return None if any(len(value) > MOST_NAMES for value in many) else facts


def merge(seen: Iterable[JobFacts]) -> JobFacts:
    """Later lines replace earlier ones; names are collected."""
    values: Dict[str, object] = {}
    for facts in seen:
        for column in fields(JobFacts):
            value = getattr(facts, column.name)
            known = values.get(column.name)
            if column.name == "results" and isinstance(known, list):
                values[column.name] = [*known, *value][-MOST_RESULTS:]
            elif isinstance(known, dict) and isinstance(value, dict):
                values[column.name] = {**known, **value}
            elif value or column.name not in values:
                values[column.name] = value
    return JobFacts(**values)  # type: ignore[arg-type]
