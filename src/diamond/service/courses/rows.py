"""Rows of courses as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class AssignmentRow(TypedRow):
    """Work that a course sets."""

    id: str
    owner: str
    project: str
    name: str
    title: str
    text: str
    spec: Any
    code: Any
    due: float | None
    created: float


@dataclass(frozen=True)
class CourseTaskRow(TypedRow):
    """A run in a course."""

    id: str
    owner: str
    job: str
    state: str
    reason: str
    message: str
    created: float
    ended: float | None
    assignment: str
