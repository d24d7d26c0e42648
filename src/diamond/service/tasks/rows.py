"""Rows of tasks as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from diamond.core.code_facts import CodeFacts, code_facts_data, code_facts_from
from diamond.service.platform.database.rows import Codec, TypedRow


@dataclass(frozen=True)
class TaskRow(TypedRow):
    """One piece of a job that runs in one place."""

    id: str
    owner: str
    job: str
    name: str
    kind: str
    endpoint: str
    endpoint_name: str
    state: str
    phase: str
    native_state: str
    reason: str
    message: str
    exit_code: int | None
    signal: int | None
    as_of: float
    cancel_requested: bool
    attempt: str
    attempts: Any
    chain: Any
    node: str
    run_dir: str
    created: float
    updated: float
    started: float | None
    ended: float | None
    cleaned: float | None
    retry_of: str | None
    awaits: str | None
    order: Any
    digest: str
    code: Any
    project: str
    prediction: Any
    node_seconds: float
    bytes: int
    untold: bool
    history: int
    version: int


@dataclass(frozen=True)
class JobRow(TypedRow):
    """What a person asked for."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "code": Codec(code_facts_from, code_facts_data),
    }

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
class HistoryRow(TypedRow):
    """One line of a task's history."""

    task: str
    n: int
    owner: str
    at: float
    received: float
    type: str
    message: str
    data: Any
