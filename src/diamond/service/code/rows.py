"""Rows about stored code, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class RemovedCodeRow(TypedRow):
    """Code that its owner no longer stores here."""

    owner: str
    digest: str
    at: float
    by_rule: bool
    """By a rule of retention, not by hand."""


@dataclass(frozen=True)
class CodeUseRow(TypedRow):
    """The tasks of one project that ran a snapshot."""

    snapshot: str
    project: str
    tasks: int
    unfinished: int
    ended: float | None
    """When the last of them ended."""
    name: str
    """Of one of them."""
