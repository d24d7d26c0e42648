"""Rows of notifications as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from diamond.service.people.schemas import Channel
from diamond.service.platform.database.rows import TypedRow

DeliveryState = Literal["waiting", "sent", "failed"]


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
class NewDelivery(TypedRow):
    """A mail or webhook call of a notification that is still to be sent."""

    owner: str
    notification: str
    channel: Channel
    due: float
    state: DeliveryState = "waiting"
    tries: int = 0
    error: str = ""


@dataclass(frozen=True)
class DeliveryRow(TypedRow):
    """A mail or webhook call of a notification."""

    id: int
    owner: str
    notification: str
    channel: Channel
    state: DeliveryState
    tries: int
    due: float
    error: str


@dataclass(frozen=True)
class DueRow(NotificationRow):
    """A notification that is due on one channel."""

    channel: Channel
    tries: int
    delivery: int
