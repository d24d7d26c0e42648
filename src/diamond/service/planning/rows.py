"""Rows of planning as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class ScaleRow(TypedRow):
    """Probe runs that belong together, and what they measured."""

    id: str
    owner: str
    name: str
    kind: str
    state: str
    message: str
    job: str
    for_task: str
    endpoint: str
    endpoint_name: str
    fits: str
    wanted: Any
    probes: Any
    result: Any
    created: float
    updated: float
    ended: float | None
    version: int
