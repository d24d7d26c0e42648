"""Rows of models as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow

_TAGS = Codec(lambda stored: tuple((stored or "").split()), " ".join)
"""One text with a space between tags, so that both databases search it."""


@dataclass(frozen=True)
class ModelRow(TypedRow):
    """A name under which a person collects versions of a model."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"tags": _TAGS}

    id: str
    owner: str
    name: str
    description: str
    license: str
    intended_use: str
    card: str
    """As somebody wrote it; '' shows the one that is written from the record."""
    tags: tuple[str, ...]
    newest: int
    """The highest number of its versions."""
    created: float
    updated: float
    kept_on: str = ""
    """The endpoint that keeps its copies; '': this service does."""


@dataclass(frozen=True)
class VersionRow(TypedRow):
    """Files that never change, by the digest of their manifest."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"tags": _TAGS}

    model: str
    number: int
    owner: str
    tree: str
    """The digest of its manifest, in hex."""
    size: int
    files: int
    task: str | None
    """The run that made it."""
    result: str
    """Which of the results of that run it is."""
    format: str
    """What loads it: `safetensors`, `torch`, `transformers`, `lightning` …, or ''."""
    signature: JsonObject
    """Names, types and shapes of inputs and outputs, as the program stated them."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Last values when the version was made: they stay when the task's curves are archived."""
    curves: dict[str, list[list[float]]] = field(default_factory=dict)
    """Steps and values of its metrics in few points, kept for the picture on its card."""
    note: str = ""
    tags: tuple[str, ...] = ()
    created: float = 0.0
    created_by: str = ""


@dataclass(frozen=True)
class AliasRow(TypedRow):
    """A word that points to one version, until somebody moves it."""

    model: str
    alias: str
    owner: str
    version: int
    moved_by: str
    at: float


@dataclass(frozen=True)
class AliasMoveRow(TypedRow):
    """Who moved an alias when, from which version to which; None: it pointed nowhere."""

    id: int
    model: str
    owner: str
    alias: str
    before: int | None
    version: int | None
    moved_by: str
    at: float


@dataclass(frozen=True)
class PushRow(TypedRow):
    """A folder on its way to become a version: a scan or an upload, whose id it bears."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"tags": _TAGS}

    id: str
    owner: str
    model: str
    """The name; made with its first version."""
    tree: str
    """'' until its files are hashed."""
    source: str
    """For people: where the folder is."""
    format: str
    signature: JsonObject
    note: str
    tags: tuple[str, ...]
    version: int | None
    """Once it is one."""
    created: float
