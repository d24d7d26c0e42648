"""Rows of limits as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class LimitRow(TypedRow):
    """What a person or a project may use."""

    kind: str
    subject: str
    owner: str
    node_hours: float | None
    running_tasks: int | None
    storage_bytes: int | None
    updated: float


@dataclass(frozen=True)
class OwnedProjectRow(TypedRow):
    """A project with the name of its owner."""

    id: str
    owner: str
    name: str
    title: str
    created: float
    archived: float | None
    course: Any
    endpoints: Any
    owner_name: str
