"""An agent that nobody needs ends after some hours; its crontab line, or its owner's next sign-in, brings it back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from diamond.agent.disk import mark

SHORT_SECONDS = 60.0
"""How long an agent that its table started stays, if it ended for lack of work before: long enough to hear of new work."""


@dataclass
class Resting:
    """`hours` as the machine's files say; 0: it never ends by itself."""

    keep: Path
    hours: Callable[[], float]
    by_table: bool
    """Started by a crontab rather than by a person."""
    clock: Callable[[], float] = time.monotonic
    _needed_at: float = 0.0
    _was_resting: bool = False

    def __post_init__(self) -> None:
        self._needed_at = self.clock()
        self._was_resting = self._file.exists()
        if not self.by_table:
            self.needed()

    def needed(self) -> None:
        """There is work, or a question."""
        self._needed_at = self.clock()
        if self._was_resting:
            self._was_resting = False
            self._file.unlink(missing_ok=True)

    def is_over(self) -> bool:
        """Whether it should end now; written down, so that the next one started by a table only has a look."""
        hours = self.hours()
        if not hours:
            return False
        patience = min(SHORT_SECONDS, 3600 * hours) if self._was_resting else 3600 * hours
        if self.clock() - self._needed_at < patience:
            return False
        mark(self._file)
        return True

    @property
    def _file(self) -> Path:
        return self.keep / "resting"
