"""Notifications as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def show_notification(
    row: Mapping[str, Any], sending: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    names = ("id", "kind", "title", "text", "task", "endpoint", "at", "read")
    shown = ("channel", "state", "tries", "error")
    return {
        **{name: row[name] for name in names},
        "deliveries": [{name: one[name] for name in shown} for one in sending],
    }
