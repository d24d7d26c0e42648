"""Rows of artifacts as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import JsonObject, TypedRow


@dataclass(frozen=True)
class ArtifactRow(TypedRow):
    """Bytes that a person sent, built or was given. Two people who have the same bytes have a row each."""

    owner: str
    digest: str
    kind: str
    size: int
    is_complete: bool
    """Of a snapshot: its owner also has a row for each of its files."""
    created: float
    used: float
    """When it was last sent, asked for or named by a job."""


@dataclass(frozen=True)
class PlaceRow(TypedRow):
    """One place where an artifact is."""

    owner: str
    digest: str
    place: str
    subject: str
    """What it is part of: the id of an image, or ''."""
    path: str
    format: str
    detail: JsonObject
    """What its kind reports of it there: of an image, the manifest of its file."""
    at: float
