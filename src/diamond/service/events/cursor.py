"""The position of an event-stream client: one number for the owner's stream, and one for each watched log or curve."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field

from diamond.core.errors import BadRequest


@dataclass
class Cursor:
    number: int = 0
    logs: dict[int, int] = field(default_factory=dict)
    """Bytes seen, by log stream."""
    curves: dict[int, int] = field(default_factory=dict)
    """Points seen, by metric series."""
    watched: list[str] | None = None
    """The tasks whose logs and curves it names; None: unknown."""

    def encode(self) -> str:
        watched = [] if self.watched is None else [self.watched]
        text = json.dumps([self.number, _pairs(self.logs), _pairs(self.curves), *watched])
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
            {int(key): int(value) for key, value in logs},
            {int(key): int(value) for key, value in curves},
            [str(task) for task in watched[0]] if watched else None,
        )
    except (ValueError, TypeError, RecursionError, OverflowError):
        raise BadRequest(
            "This is not a position in the event stream",
            "Give back the last `id:`, or after=now, after=start.",
        ) from None


def _pairs(positions: dict[int, int]) -> list[list[int]]:
    return [[key, value] for key, value in positions.items()]
