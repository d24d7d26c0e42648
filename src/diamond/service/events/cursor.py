"""The position of an event-stream client: one number for the owner's stream, and one for each watched log or curve."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field

from diamond.core.errors import BadRequest

MOST_LOGS = 128
MOST_CURVES = 256
"""Positions beyond these are left out of the id: it comes with every event and goes back in a header or an address."""


@dataclass
class Cursor:
    number: int = 0
    logs: dict[int, int] = field(default_factory=dict)
    """Bytes seen, by log stream."""
    curves: dict[int, int] = field(default_factory=dict)
    """Points seen, by metric series."""
    watched: list[str] | None = None
    """The tasks whose logs and curves it names; None: unknown."""
    knows_logs: bool = True
    knows_curves: bool = True
    """Whether the positions were few enough to be named; a reader that comes back starts at the end of the others."""

    def encode(self) -> str:
        watched = [] if self.watched is None else [self.watched]
        logs = _pairs(self.logs) if len(self.logs) <= MOST_LOGS else None
        curves = _pairs(self.curves) if len(self.curves) <= MOST_CURVES else None
        text = json.dumps([self.number, logs, curves, *watched], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(text: str) -> Cursor:
    """A cursor of ours, or a plain event number."""
    if text.isascii() and text.isdigit():
        return Cursor(int(text[:18]))
    try:
        padded = text + "=" * (-len(text) % 4)
        number, logs, curves, *watched = json.loads(
            base64.b64decode(padded, altchars=b"-_", validate=True)
        )
        return Cursor(
            int(number),
            {int(key): int(value) for key, value in logs or ()},
            {int(key): int(value) for key, value in curves or ()},
            [str(task) for task in watched[0]] if watched else None,
            logs is not None,
            curves is not None,
        )
    except (ValueError, TypeError, RecursionError, OverflowError):
        raise BadRequest(
            "This is not a position in the event stream",
            "Give back the last `id:`, or after=now, after=start.",
        ) from None


def _pairs(positions: dict[int, int]) -> list[list[int]]:
    return [[key, value] for key, value in positions.items()]
