"""Rows of tasks as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from diamond.core.code_facts import CodeFacts, code_facts_data, code_facts_from
from diamond.core.dependencies import Dependency, DependencyKind, DependencyState
from diamond.service.chains.rows import (
    ChainedTaskRow,
    attempts_from,
    attempts_json,
    chain_from,
    chain_json,
)
from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow
from diamond.service.tasks.goal_schemas import Prediction


def _as_stored(value: JsonObject) -> JsonObject:
    return value


def _prediction_from(stored: Any) -> Prediction | None:
    return None if stored is None else Prediction.model_validate(stored)


def _prediction_json(prediction: Prediction | None) -> JsonObject | None:
    return None if prediction is None else prediction.model_dump(mode="json", exclude_unset=True)


@dataclass(frozen=True)
class TaskRow(ChainedTaskRow):
    """One piece of a job that runs in one place."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "attempts": Codec(attempts_from, attempts_json),
        "chain": Codec(chain_from, chain_json),
        "order": Codec(_as_stored, _as_stored, "order_json"),
        "prediction": Codec(_prediction_from, _prediction_json),
        "tags": Codec(tuple, list),
    }

    job: str
    name: str
    endpoint_name: str
    native_state: str
    message: str
    exit_code: int | None
    signal: int | None
    as_of: float
    cancel_requested: bool
    node: str
    run_dir: str
    created: float
    updated: float
    ended: float | None
    retry_of: str | None
    digest: str
    code: JsonObject | None
    project: str
    prediction: Prediction | None
    node_seconds: float
    bytes: int
    unconfirmed: bool
    """It has ended, and its agent does not know yet that this is recorded."""
    history: int
    """How many lines its history has."""
    version: int
    depends: int = 0
    """How many things it depends on, or depended on: most tasks on none."""
    archived: float | None = None
    final_metrics: JsonObject | None = None
    tags: tuple[str, ...] = ()
    note: str = ""
    pilot: str = ""
    """The task of the pilot that it runs in; empty: a batch job of its own."""


@dataclass(frozen=True)
class JobRow(TypedRow):
    """What a person asked for."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"code": Codec(code_facts_from, code_facts_data)}

    id: str
    owner: str
    name: str
    spec: dict[str, Any]
    code: CodeFacts | None
    digest: str
    project: str
    assignment: str
    created: float


@dataclass(frozen=True)
class DependencyRow(TypedRow):
    """One thing that a task waits for before it may start."""

    task: str
    kind: str
    target: str
    owner: str
    state: str
    message: str
    created: float
    updated: float

    @property
    def value(self) -> Dependency:
        kind, state = DependencyKind(self.kind), DependencyState(self.state)
        return Dependency(kind, self.target, state, self.message)


@dataclass(frozen=True)
class DependencyProgressRow(DependencyRow):
    """With how far it is, if it is a transfer."""

    bytes: int | None = None
    size: int | None = None
    rate: float | None = None
    """Bytes a second, of late."""
    how: str | None = None
    """Which way it takes, in words."""

    @property
    def seconds_left(self) -> float | None:
        if self.state != DependencyState.WAITING.value or not self.rate or self.size is None:
            return None
        return max(self.size - (self.bytes or 0), 0) / self.rate


@dataclass(frozen=True)
class HistoryRow(TypedRow):
    """One line of a task's history."""

    task: str
    n: int
    owner: str
    at: float
    received: float
    type: str
    message: str
    data: JsonObject
