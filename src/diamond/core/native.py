"""What a batch system says of its jobs and of itself, in Diamond's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class NativeStatus:
    """One job as its batch system sees it. `status` and `reason` as in `events.Observed`."""

    status: str
    native_state: str
    reason: str = ""
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    message: str = ""
    """Why it waits or how it ended, in words."""
    held: bool = False
    restarts: int = 0
    nodes: str = ""
    submitted_at: float = 0.0
    """Job ids restart in a rebuilt cluster: an id counts only with its submit time."""
    name: str = ""
    limit_seconds: float = 0.0
    """The job's time limit as it stands now; 0: not known, or none."""
