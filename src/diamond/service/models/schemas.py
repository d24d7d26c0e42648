"""Models as the API takes and shows them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, JsonValue

from diamond.service.code.schemas import CodeFacts
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


class Safety(BaseModel):
    """Whether the files of a version outlive the clean-up of a cluster."""

    state: Literal["kept", "copying", "on-endpoint", "purged-soon", "lost"]
    message: str
    seconds_left: float | None = None
    purged: float | None = None
    """When the site removes the last copy."""
    places: list[str]
    """Names of the endpoints where it is; `service` is this service."""


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
    has_curves: bool
    """Whether there is a picture of its curves."""
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
    kept_on: str
    """The endpoint that keeps its copies; '': this service does."""
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
    kept_on: str | None = Field(default=None, max_length=100)
    """An endpoint of yours that is not purged; '' is this service."""
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


class NewPush(Body):
    """A folder that becomes a version: uploaded by the caller, or read where it is on an endpoint."""

    digest: str = Field(default="", max_length=80)
    """Of the manifest that was sent (POST /datasets/manifests/…): the caller uploads the files."""
    endpoint: str = Field(default="", max_length=100)
    path: str = Field(default="", max_length=4096)
    """Instead of a digest: a folder or file on that endpoint."""
    source: str = Field(default="", max_length=500)
    """For people: where the uploaded folder lay."""
    format: str = Field(default="", pattern=r"^[a-z0-9._-]{0,32}$")
    signature: dict[str, JsonValue] = Field(default_factory=dict)
    note: str = Field(default="", max_length=2000)
    tags: Tags = []


class Push(BaseModel):
    """How far a push is."""

    id: str
    model: str
    source: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    message: str
    bytes: int
    size: int
    seconds_left: float | None
    round: int
    """Of an upload: the round whose files the service wants now."""
    version: int | None
    """The version that it became."""


class PieceWanted(BaseModel):
    next: int
    """The number of the piece that is wanted next."""


class Tuning(BaseModel):
    """A job that continues from a version, ready to be edited and submitted."""

    spec: dict[str, JsonValue]
    """Of the run that made it, with the version as `data.weights`."""
    code: CodeFacts | None
    task: str | None
    """That run, if the caller may see it."""
    reference: str
    """`model:NAME@v3`"""
