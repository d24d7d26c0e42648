"""Answers of the service as frozen values; fields of a newer service are kept in `raw`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from diamond.core.task import FINAL_WORDS

Made = TypeVar("Made")


@dataclass(frozen=True)
class Task:
    id: str = ""
    job: str = ""
    name: str = ""
    kind: str = "run"
    owner: str = ""
    endpoint: str = ""
    state: str = ""
    phase: str = ""
    native_state: str = ""
    native_id: str = ""
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    signal: int | None = None
    as_of: float | None = None
    created: float | None = None
    updated: float | None = None
    started: float | None = None
    ended: float | None = None
    node: str = ""
    attempt: str = ""
    attempts: list[dict[str, Any]] = field(default_factory=list)
    chain: dict[str, Any] = field(default_factory=dict)
    """State of the chain of attempts: budget, checkpoint, whether it asks to continue."""
    retry_of: str = ""
    cancel_requested: bool = False
    run_dir: str = ""
    cleaned: float | None = None
    """When `diamond clean` removed its run directory."""
    archived: float | None = None
    """When its logs and curves were removed from the service."""
    final_metrics: dict[str, Any] = field(default_factory=dict)
    """Of an archived task: the last, smallest and largest value of each metric."""
    tags: list[str] = field(default_factory=list)
    note: str = ""
    version: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_WORDS


@dataclass(frozen=True)
class Job:
    """A submitted job. After `run`, `tasks` are complete; elsewhere they have only an id."""

    id: str = ""
    name: str = ""
    created: float | None = None
    owner: str = ""
    spec: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    tasks: list[Task] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def task(self) -> Task:
        """The newest task."""
        return self.tasks[0]


@dataclass(frozen=True)
class Endpoint:
    id: str = ""
    name: str = ""
    owner: str = ""
    state: str = ""
    carrier: str = ""
    host: str = ""
    user: str = ""
    agent_version: str = ""
    last_seen: float | None = None
    since: float | None = None
    default: bool = False
    stays: str = ""
    revive: str = ""
    outdated: str = ""
    profile: dict[str, Any] = field(default_factory=dict)
    created: float | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def model_from_json(cls: type[Made], data: Mapping[str, Any]) -> Made:
    """Build a value from JSON: unknown fields are only in `raw`, null means the default."""
    known = {known_field.name for known_field in fields(cls)} - {"raw"}  # type: ignore[arg-type]
    given = {key: value for key, value in data.items() if key in known and value is not None}
    return cls(**given, raw=dict(data))  # type: ignore[call-arg]


def job_from_json(data: Mapping[str, Any], tasks: list[Mapping[str, Any]] | None = None) -> Job:
    """A job with its tasks, newest first; without `tasks` they have only their ids."""
    listed = tasks if tasks is not None else [{"id": task} for task in data.get("tasks") or []]
    built = [model_from_json(Task, task) for task in listed]
    return replace(model_from_json(Job, {**data, "tasks": None}), tasks=built, raw=dict(data))
