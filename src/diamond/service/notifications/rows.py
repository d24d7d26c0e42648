"""Rows of notifications as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class NotificationRow(TypedRow):
    """Something that a person is notified of."""

    id: str
    owner: str
    key: str
    kind: str
    title: str
    text: str
    task: str
    endpoint: str
    in_page: bool
    at: float
    read: float | None


@dataclass(frozen=True)
class DeliveryRow(TypedRow):
    """One mail or webhook call of a notification."""

    id: int
    owner: str
    notification: str
    channel: str
    state: str
    tries: int
    due: float
    error: str


@dataclass(frozen=True)
class DueRow(TypedRow):
    """A notification that is due on one channel."""

    id: str
    owner: str
    key: str
    kind: str
    title: str
    text: str
    task: str
    endpoint: str
    in_page: bool
    at: float
    read: float | None
    channel: str
    tries: int
    delivery: int
