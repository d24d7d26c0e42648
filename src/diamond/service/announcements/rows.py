"""Rows of announcements as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class AnnouncementRow(TypedRow):
    """A message of an administrator to everyone."""

    id: str
    owner: str
    text: str
    level: str
    starts: float | None
    ends: float | None
    created: float
    by: str
    """The name of its owner."""
