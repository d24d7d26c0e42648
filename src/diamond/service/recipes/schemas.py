"""Recipes: complete example jobs that come with Diamond."""

from __future__ import annotations

from pydantic import BaseModel

from diamond.service.platform.http.schemas import SpecData


class RecipeFile(BaseModel):
    path: str
    size: int
    text: str


class RecipeCard(BaseModel):
    name: str
    title: str
    summary: str
    tags: list[str]
    """Such as cpu, no-install, pytorch, notebook."""


class Recipe(RecipeCard):
    readme: str
    """Markdown."""
    spec: SpecData
    yaml: str
    files: list[RecipeFile]
