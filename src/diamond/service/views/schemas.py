from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from diamond.service.platform.http.schemas import Body

ViewPage = Literal["runs", "tasks"]
ViewText = Annotated[str, StringConstraints(max_length=400)]
ViewQuery = dict[
    Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,32}$")],
    ViewText | bool | int | float | Annotated[list[ViewText], Field(max_length=100)] | None,
]
"""The search of the page's address: columns, filters, order."""


class ViewBody(Body):
    """A view with this name is replaced."""

    page: ViewPage
    name: str = Field(min_length=1, max_length=80)
    query: ViewQuery = Field(max_length=32)
    project: str = Field(default="", max_length=200)
    """Its members see the view too."""


class View(BaseModel):
    id: str
    page: ViewPage
    name: str
    query: ViewQuery
    project: str
    """Name of the project whose members see it."""
    is_own: bool
    updated: float
