"""What a batch system says of its jobs and of itself, in Diamond's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import List, Optional

_RANGE = r"\d+(?:-\d+)?"


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
    """As the batch system writes them: `n1`, `n[1-3,07]`. See `node_names`."""
    submitted_at: float = 0.0
    """Job ids restart in a rebuilt cluster: an id counts only with its submit time."""
    name: str = ""
    limit_seconds: float = 0.0
    """The job's time limit as it stands now; 0: not known, or none."""


def node_names(said: str) -> List[str]:
    """`n[1-3,07],m1` as n1, n2, n3, n07, m1; a list of another kind is left as it is."""
    parts = re.findall(rf"([^,\[\]]+)(?:\[({_RANGE}(?:,{_RANGE})*)\])?", said)
    return [f"{name}{number}" for name, numbers in parts for number in _numbers(numbers)]


def _numbers(said: str) -> List[str]:
    ranges = [part.partition("-") for part in said.split(",")]
    return [
        str(number).zfill(len(first)) if first else ""
        for first, _, last in ranges
        for number in range(int(first or 0), int(last or first or 0) + 1)
    ]
