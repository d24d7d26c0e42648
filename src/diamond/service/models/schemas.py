"""Models as the API takes and shows them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, JsonValue

from diamond.service.platform.http.schemas import NAME_PATTERN, Body

ModelName = Annotated[str, Field(pattern=NAME_PATTERN, max_length=100)]
Tag = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,49}$")]
Tags = Annotated[list[Tag], Field(max_length=50)]
AliasWord = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]


class Alias(BaseModel):
    """A word that points to one version, until somebody moves it."""

    alias: str
    version: int
    moved_by: str
    """The name of who moved it last."""
    at: float


class AliasMove(BaseModel):
    """A line of the history: who moved an alias when."""

    alias: str
    before: int | None
    """The version it pointed to; null: it was new."""
    version: int | None
    """The version it points to since; null: it was removed."""
    moved_by: str
    at: float


class ModelVersion(BaseModel):
    """Files that never change."""

    model: str
    """The model's name."""
    number: int
    digest: str
    """`sha256:` of the manifest of its files."""
    size: int
    files: int
    task: str | None
    """The run that made it; null for one that came from elsewhere."""
    result: str
    format: str
    signature: dict[str, JsonValue]
    metrics: dict[str, float]
    note: str
    tags: list[str]
    aliases: list[str]
    created: float
    created_by: str


class Model(BaseModel):
    """A name with versions."""

    id: str
    owner: str
    owner_name: str
    is_own: bool
    name: str
    description: str
    license: str
    intended_use: str
    tags: list[str]
    created: float
    updated: float
    newest: ModelVersion | None
    aliases: list[Alias]


class ModelCard(BaseModel):
    """A card in Markdown."""

    text: str
    is_edited: bool
    """False: it is written from the record and follows it."""


class NewModel(Body):
    name: ModelName
    description: str = Field(default="", max_length=2000)
    license: str = Field(default="", max_length=100)
    intended_use: str = Field(default="", max_length=5000)
    tags: Tags = []


class ChangeModel(Body):
    """Fields that are left out stay as they are."""

    name: ModelName | None = None
    description: str | None = Field(default=None, max_length=2000)
    license: str | None = Field(default=None, max_length=100)
    intended_use: str | None = Field(default=None, max_length=5000)
    tags: Tags | None = None
    card: str | None = Field(default=None, max_length=100_000)
    """'' goes back to the card that is written from the record."""


class NewVersion(Body):
    """A result of a task, or files by their digest."""

    task: str = Field(default="", max_length=64)
    result: str = Field(default="artifacts", max_length=100)
    """Which result of the task."""
    digest: str = Field(default="", max_length=80)
    """Instead of a task: files that were pushed."""
    format: str = Field(default="", pattern=r"^[a-z0-9._-]{0,32}$")
    note: str = Field(default="", max_length=2000)
    tags: Tags = []


class ChangeVersion(Body):
    note: str | None = Field(default=None, max_length=2000)
    tags: Tags | None = None


class SetAlias(Body):
    version: int = Field(ge=1)
