"""Rows of the platform's own tables as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import JsonObject, TypedRow


@dataclass(frozen=True)
class EventRow(TypedRow):
    """One numbered event of an owner's stream."""

    owner: str
    n: int
    kind: str
    subject: str
    data: JsonObject
    at: float


@dataclass(frozen=True)
class AuditRow(TypedRow):
    """Who did what."""

    n: int
    owner: str
    at: float
    name: str
    action: str
    about: dict[str, str]
    outcome: str
    address: str
    credential: str
