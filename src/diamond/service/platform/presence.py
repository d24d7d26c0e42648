"""What this process remembers of the agents that call it."""

from __future__ import annotations

import time

# A held call may last 25 s, so what is written is never older than 30 s while an agent is there.
WRITE_EVERY_SECONDS = 5.0
# In a burst the commands of a tenth of a second go out together: each answer costs both sides some milliseconds.
GATHER_SECONDS = 0.1


class Presence:
    """When each endpoint was last written down as seen, and which of its held calls is the newest."""

    def __init__(self) -> None:
        self._written: dict[str, float] = {}
        self._turns: dict[str, object] = {}
        self._handed: dict[str, float] = {}

    def is_fresh(self, endpoint: str) -> bool:
        """Whether `last_seen` was written a moment ago."""
        return time.time() - self._written.get(endpoint, 0.0) < WRITE_EVERY_SECONDS

    def wrote(self, endpoint: str, at: float) -> None:
        self._written[endpoint] = at

    def forget(self, endpoint: str) -> None:
        self._written.pop(endpoint, None)

    def handed_over(self, endpoint: str) -> None:
        """It was given commands just now."""
        self._handed[endpoint] = time.monotonic()

    def seconds_to_gather(self, endpoint: str) -> float:
        """How long its next commands wait for others; 0 unless it was given some a moment ago."""
        passed = time.monotonic() - self._handed.get(endpoint, -GATHER_SECONDS)
        return max(0.0, GATHER_SECONDS - passed)

    def new_turn(self, endpoint: str) -> object:
        """Only the newest waiting call of an agent is answered; the connection of an older one may be gone."""
        turn = self._turns[endpoint] = object()
        return turn

    def has_turn(self, endpoint: str, turn: object) -> bool:
        return self._turns.get(endpoint) is turn
