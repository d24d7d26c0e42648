"""Rows of limits as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class LimitRow(TypedRow):
    """What a person or a project may use; None means unlimited."""

    kind: str
    subject: str
    owner: str
    """Who set it."""
    node_hours: float | None
    running_tasks: int | None
    storage_bytes: int | None
    updated: float

    @property
    def is_empty(self) -> bool:
        return self.node_hours is self.running_tasks is self.storage_bytes is None


@dataclass(frozen=True)
class ProjectNameRow(TypedRow):
    """A project as administrators see it: that it is there, not its work."""

    id: str
    name: str
