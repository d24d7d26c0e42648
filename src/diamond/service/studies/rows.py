"""Rows of studies as frozen values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from diamond.compose.raw_spec import RawSpec
from diamond.core.code_facts import CodeFacts, code_facts_data, code_facts_from
from diamond.core.order import Resources
from diamond.core.task import FINAL_WORDS
from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow, value_from
from diamond.studies.decisions import FINAL, Streak, TrialState
from diamond.studies.optuna_mirror import MirrorTrial
from diamond.studies.plan import StudyPlan, dimension_from, plan_from, plan_json
from diamond.studies.pruning import Steps, TrialCurve
from diamond.studies.space import Dimension, Value

RUNNING, PAUSED, DONE, CANCELLED = "running", "paused", "done", "cancelled"
SAMPLED, ADDED, IMPORTED, ASKED = "sampler", "added", "imported", "asked"
"""Where a point came from; `asked`: somebody tries it outside of Diamond, and tells its value."""
CONSTRAINT = "constraint"
"""The cause of a pruned trial of a tuning study: its metric fell behind. What it has logged is not the objective."""


@dataclass(frozen=True)
class Counts:
    """Trials by state."""

    waiting: int = 0
    running: int = 0
    stopping: int = 0
    paused: int = 0
    complete: int = 0
    pruned: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Inputs:
    """What trials have in common, if their results are to be compared."""

    image: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    """By name, the digest of its version, or the path."""
    endpoint: str = ""
    """Where the first trial had these."""
    node_hours: float = 0.0
    """What one task may use at most."""
    cores: int = 1
    memory_mb: int = 0
    gpus: int = 0

    @property
    def trial(self) -> Resources:
        """What one trial takes of a node."""
        return Resources(
            cpus_per_task=self.cores, memory_mb=self.memory_mb, gpus_per_node=self.gpus
        )


def _steps_from(stored: Sequence[Sequence[float | None]]) -> Steps:
    return tuple(
        (float(at or 0), math.nan if value is None else float(value)) for at, value in stored
    )


def _steps_json(steps: Steps) -> list[list[float | None]]:
    return [[at, value if math.isfinite(value) else None] for at, value in steps]


def _space_json(space: Sequence[Dimension]) -> list[JsonObject]:
    return [asdict(dimension) for dimension in space]


def _space_from(stored: Sequence[Mapping[str, Any]]) -> tuple[Dimension, ...]:
    return tuple(dimension_from(each) for each in stored)


@dataclass(frozen=True)
class StudyRow(TypedRow):
    CODECS: ClassVar[Mapping[str, Codec]] = {
        "code": Codec(code_facts_from, code_facts_data),
        "plan": Codec(plan_from, plan_json),
        "counts": Codec(lambda data: value_from(Counts, data), asdict),
        "streak": Codec(lambda data: value_from(Streak, data), asdict),
        "inputs": Codec(lambda data: value_from(Inputs, data), asdict),
        "warnings": Codec(tuple, list),
    }

    id: str
    owner: str
    project: str
    name: str
    state: str
    message: str
    spec: RawSpec
    code: CodeFacts | None
    plan: StudyPlan
    counts: Counts
    streak: Streak
    warnings: tuple[str, ...]
    inputs: Inputs
    asked: int
    best: int | None
    """The number of the best trial, with one objective."""
    open: int
    node_seconds: float
    saved_seconds: float
    created: float
    updated: float
    ended: float | None
    version: int = 1


@dataclass(frozen=True)
class TrialRow(TypedRow):
    CODECS: ClassVar[Mapping[str, Codec]] = {
        "space": Codec(_space_from, _space_json),
        "values": Codec(tuple, list),
        "steps": Codec(_steps_from, _steps_json),
        "rungs": Codec(tuple, list),
    }

    study: str
    number: int
    owner: str
    state: str
    params: dict[str, Value]
    space: tuple[Dimension, ...]
    values: tuple[float, ...]
    spread: float | None
    steps: Steps
    judged: float | None
    """The resource up to which the pruner has looked at its values."""
    rungs: tuple[float, ...]
    cause: str
    message: str
    origin: str
    attributes: JsonObject
    endpoint: str
    task: str
    """The newest."""
    reruns: int
    node_seconds: float
    created: float
    started: float | None
    ended: float | None
    revision: int = 1

    @property
    def is_open(self) -> bool:
        return self.state not in FINAL

    @property
    def is_complete(self) -> bool:
        return self.state == TrialState.COMPLETE.value

    @property
    def new_steps(self) -> int:
        """How many of its values the pruner has not looked at."""
        if self.judged is None:
            return len(self.steps)
        return sum(at > self.judged for at, _ in self.steps)

    @property
    def _is_cut_off(self) -> bool:
        """Pruned while its objective was known."""
        return self.state == TrialState.PRUNED.value and self.cause != CONSTRAINT

    def curve(self) -> TrialCurve:
        return TrialCurve(self.number, self.steps, self.is_complete, self.rungs)

    def mirrored(self, space: Sequence[Dimension]) -> MirrorTrial:
        return MirrorTrial(
            self.number,
            self.params,
            self.space or space,
            is_open=self.is_open,
            values=self.values if self.is_complete else (),
            steps=self.steps if self._is_cut_off else (),
            attributes=self.attributes,
        )


@dataclass(frozen=True)
class TrialTask(TypedRow):
    """A task of a trial, with what a round needs to know about it."""

    task: str
    study: str
    trial: int
    repeat: int
    n: int
    state: str
    reason: str
    message: str
    exit_code: int | None
    endpoint: str
    endpoint_name: str
    cancel_requested: bool
    started: float | None
    ended: float | None
    updated: float
    """When the service last heard of it: much later than `ended`, if one of them was away."""
    node_seconds: float
    pilot: str = ""
    """In which it runs; empty: it is a batch job of its own."""

    @property
    def has_ended(self) -> bool:
        return self.state in FINAL_WORDS


@dataclass(frozen=True)
class PilotFacts:
    """What a round needs to know of a pilot."""

    each: int
    """Trials on each of its nodes at the same time."""
    slots: int = 0
    """Trials at the same time, while it takes more."""
    failure: str = ""
    """Why it failed, if it did so by itself."""
