"""One run as the table reads it: a task, or a run that was imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.platform.database.rows import JsonObject, TypedRow
from diamond.service.platform.packed_metrics import PackedMetrics

TASK = "diamond"


@dataclass(slots=True)
class RunRow:
    """Not frozen: ten thousand are made for one answer, and a frozen one takes four times as long."""

    id: str
    source: str
    """`diamond`, or the tool it was imported from."""
    name: str
    state: str
    reason: str
    exit_code: int | None
    endpoint: str
    owner: str
    project: str
    created: float
    started: float | None
    ended: float | None
    node_seconds: float
    retry_of: str
    tags: list[str]
    facts: dict[str, Any]
    metrics: PackedMetrics


@dataclass(frozen=True)
class ImportedRow(TypedRow):
    """A run of MLflow or W&B, as it was when it was imported. Nothing changes it; importing it again replaces it."""

    id: str
    owner: str
    project: str
    source: str
    key: str
    """Its id in the tool it comes from."""
    name: str
    experiment: str
    state: str
    tags: list[str]
    created: float
    started: float | None
    ended: float | None
    facts: JsonObject
    metrics: bytes
    digest: str
    """Of what was imported: the same again changes nothing."""
    imported: float
