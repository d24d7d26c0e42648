"""Rows of results as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import JsonObject, TypedRow

WAITING, READY, FAILED = "waiting", "ready", "failed"


@dataclass(frozen=True)
class ResultRow(TypedRow):
    """Something in the run directory of a task that has a name."""

    task: str
    name: str
    owner: str
    path: str
    """Below the run directory."""
    kind: str
    """files, model or dataset."""
    format: str
    signature: JsonObject
    """Of a model: what goes in and comes out, as the program stated it."""
    state: str
    """WAITING for its digest, READY, or FAILED."""
    message: str
    scan: str
    """The scan that reads it."""
    tree: str
    """The digest of its manifest, once it is READY."""
    size: int
    files: int
    created: float
