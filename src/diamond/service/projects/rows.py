"""Rows of projects as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class ProjectRow(TypedRow):
    """People who see one another's work."""

    id: str
    owner: str
    name: str
    title: str
    created: float
    archived: float | None
    course: Any
    endpoints: Any


@dataclass(frozen=True)
class MemberRow(TypedRow):
    """A person in a project."""

    project: str
    owner: str
    role: str
    created: float
    name: str
    email: str


@dataclass(frozen=True)
class ShareRow(TypedRow):
    """One thing shown to a person, a project or everyone."""

    kind: str
    thing: str
    with_kind: str
    with_id: str
    owner: str
    created: float
    name: str


@dataclass(frozen=True)
class SharedJobRow(TypedRow):
    """A job of another person that is shared."""

    kind: str
    thing: str
    name: str
    by: str
    created: float
    task: str | None
