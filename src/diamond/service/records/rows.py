"""Rows of imported crates and of links as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import JsonObject, TypedRow


@dataclass(frozen=True)
class ImportRow(TypedRow):
    """A crate of somebody else, as it was read."""

    id: str
    owner: str
    name: str
    digest: str
    bytes: int
    content: JsonObject
    created: float


@dataclass(frozen=True)
class LinkRow(TypedRow):
    """Lets anybody who has its secret read some records for a while."""

    id: str
    owner: str
    hash: str
    title: str
    tasks: list[str]
    options: JsonObject
    created: float
    expires: float
    uses: int = 0
    used: float | None = None
