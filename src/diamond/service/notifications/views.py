"""Notifications as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence

from diamond.service.notifications.rows import DeliveryRow, NotificationRow
from diamond.service.people.schemas import Delivery, Notification


def show_notification(row: NotificationRow, deliveries: Sequence[DeliveryRow]) -> Notification:
    shown = Notification.model_validate(row, from_attributes=True)
    shown.deliveries = [Delivery.model_validate(sent, from_attributes=True) for sent in deliveries]
    return shown
