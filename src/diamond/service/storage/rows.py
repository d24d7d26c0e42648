"""Rows of storage rules, and what is stored, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class StorageRuleRow(TypedRow):
    """A rule for everyone, a person or a project."""

    kind: str
    subject: str
    owner: str
    """Who set it."""
    days: int | None
    """So long after its end, a task keeps its logs and curves; None: this rule archives nothing."""
    quota: int | None
    """Bytes that a person may store in the service; None: any number."""
    updated: float
    code_days: int | None = None
    """So long after the end of the last task that used it, code is removed; None: this rule removes none."""


@dataclass(frozen=True)
class StoredRow(TypedRow):
    """Bytes of a person in the service."""

    owner: str
    code: int = 0
    logs: int = 0
    curves: int = 0
    copies: int = 0
    """Of results, models and datasets that the service keeps."""

    @property
    def total(self) -> int:
        return self.code + self.logs + self.curves + self.copies


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
