"""Artifacts as the API shows them."""

from __future__ import annotations

from pydantic import BaseModel

from diamond.core.artifacts import ArtifactKind


class ArtifactPlace(BaseModel):
    """Where the bytes are."""

    endpoint: str
    """Its name; '' is the service itself."""
    path: str = ""
    format: str = ""
    at: float
    """Since when, or when the endpoint last reported it."""


class Artifact(BaseModel):
    """Bytes by their digest: the code of a job, or a file of an image."""

    digest: str
    """`sha256:` and 64 letters; of a virtual environment, of the list of its packages."""
    kind: ArtifactKind
    size: int
    created: float
    used: float
    places: list[ArtifactPlace] = []
