"""Rows of datasets as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from diamond.core.data_messages import Origin
from diamond.core.decoding import decode, encode
from diamond.service.platform.database.rows import Codec, TypedRow
from diamond.service.trees.rows import MAYBE_ORIGIN
from diamond.service.trees.scans import ImportAsked

_MAYBE_IDS = Codec(
    lambda stored: None if stored is None else tuple(stored),
    lambda ids: None if ids is None else list(ids),
)

_MAYBE_ASKED = Codec(
    lambda stored: None if stored is None else decode(ImportAsked, stored),
    lambda asked: None if asked is None else encode(asked),
)


@dataclass(frozen=True)
class DatasetRow(TypedRow):
    """A name of a person's for data; the data are its versions."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"endpoints": _MAYBE_IDS}

    id: str
    owner: str
    name: str
    description: str
    license: str
    project: str
    endpoints: tuple[str, ...] | None
    """Ids of the endpoints that it may be on; None: no limit."""
    layout: str
    last: int
    """The number of the last version that was added: none is given twice."""
    created: float
    updated: float


@dataclass(frozen=True)
class VersionRow(TypedRow):
    """One version, which never changes."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"origin": MAYBE_ORIGIN}

    dataset: str
    n: int
    owner: str
    tree: str
    """The digest of its manifest, in hex."""
    files: int
    bytes: int
    source: str
    created: float
    origin: Origin | None = None
    """What its source was, where it was fetched from one."""

    @property
    def name(self) -> str:
        return f"v{self.n}"


@dataclass(frozen=True)
class AdditionRow(TypedRow):
    """Files that are on their way to become a version."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"asked": _MAYBE_ASKED}

    id: str
    """Of the scan or transfer that does it, and that knows how far it is."""
    owner: str
    dataset: str
    kind: str
    """scan (in place on an endpoint), upload (from a person's computer) or import (from a URL)."""
    endpoint: str
    source: str
    created: float
    version: int = 0
    """The number that the content has, once it has ended well."""
    is_new: bool = False
    """Whether this content made a new version; else the dataset had it."""
    asked: ImportAsked | None = None
    """Of an import: how its source is read."""


@dataclass(frozen=True)
class UseRow(TypedRow):
    """A task that reads a version."""

    dataset: str
    n: int
    task: str
    name: str
    """What the task calls it: `$DIAMOND_DATA/NAME`."""
    owner: str
