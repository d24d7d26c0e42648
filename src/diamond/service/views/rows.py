from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import JsonObject, TypedRow


@dataclass(frozen=True)
class ViewRow(TypedRow):
    """What a page shows, under a name."""

    id: str
    owner: str
    project: str
    """Its members see the view too; '' for its owner alone."""
    page: str
    name: str
    query: JsonObject
    created: float
    updated: float
