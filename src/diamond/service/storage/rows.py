"""Rows of storage rules, and what is stored, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class StorageRuleRow(TypedRow):
    """A rule foreveryone, a person or a project."""

    kind: str
    subject: str
    owner: str
    """Who set it."""
    days: int | None
    """So long after its end, a task keeps its logs and curves; None: this rule archives nothing."""
    quota: int | None
    """Bytes that a person may store in the service; None: any number."""
    updated: float


@dataclass(frozen=True)
class StoredRow(TypedRow):
    """Bytes of a person in the service."""

    owner: str
    code: int = 0
    logs: int = 0
    curves: int = 0

    @property
    def total(self) -> int:
        return self.code + self.logs + self.curves


@dataclass(frozen=True)
class EndedTaskRow(TypedRow):
    """A task whose logs and curves are still here."""

    id: str
    owner: str
    project: str
    ended: float


@dataclass(frozen=True)
class NamedTaskRow(TypedRow):
    id: str
    name: str
    ended: float | None
