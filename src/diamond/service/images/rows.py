"""Rows of images as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class ImageRow(TypedRow):
    """An image of a person."""

    id: str
    owner: str
    name: str | None
    identity: str
    platform: str
    recipe: Any
    record: Any
    build: str | None
    accepted: Any
    created: float
    updated: float


@dataclass(frozen=True)
class CopyRow(TypedRow):
    """A file of an image on an endpoint."""

    image: str
    endpoint: str
    format: str
    owner: str
    sha256: str
    record: Any
    at: float


@dataclass(frozen=True)
class RequestRow(TypedRow):
    """Which build was started for an environment on an endpoint."""

    owner: str
    endpoint: str
    key: str
    build: str
    image: str | None


@dataclass(frozen=True)
class TransferRow(TypedRow):
    """An image on its way to an endpoint, or to or from a registry."""

    id: str
    owner: str
    kind: str
    image: str | None
    endpoint: str
    source: str | None
    reference: str
    name: str
    sha256: str
    record: Any
    words: str
    state: str
    bytes: int
    size: int
    message: str
    created: float
    started: float | None
    updated: float
