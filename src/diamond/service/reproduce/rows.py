from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import JsonObject, TypedRow

RUNNING, JUDGED = "running", "judged"


@dataclass(frozen=True)
class ReproductionRow(TypedRow):
    """A task that runs another one again."""

    task: str
    owner: str
    original: str
    endpoint: str
    """Where it runs."""
    state: str
    asked: JsonObject
    """{"tolerance": […]}"""
    evidence: JsonObject
    """Digests of the original's results, as they were when the reproduction began: {"files", "why"}."""
    verdict: JsonObject | None
    created: float
    judged: float | None
