"""What this process remembers of the agents that call it."""

from __future__ import annotations

import time

# A held call may last 25 s, so what is written is never older than 30 s while an agent is there.
WRITE_EVERY_SECONDS = 5.0


class Presence:
    """When each endpoint was last written down as seen, and which of its held calls is the newest."""

    def __init__(self) -> None:
        self._written: dict[str, float] = {}
        self._turns: dict[str, object] = {}

    def is_fresh(self, endpoint: str) -> bool:
        """Whether `last_seen` was written a moment ago."""
        return time.time() - self._written.get(endpoint, 0.0) < WRITE_EVERY_SECONDS

    def wrote(self, endpoint: str, at: float) -> None:
        self._written[endpoint] = at

    def forget(self, endpoint: str) -> None:
        self._written.pop(endpoint, None)

    def new_turn(self, endpoint: str) -> object:
        """Only the newest waiting call of an agent is answered; the connection of an older one may be gone."""
        turn = self._turns[endpoint] = object()
        return turn

    def has_turn(self, endpoint: str, turn: object) -> bool:
        return self._turns.get(endpoint) is turn
