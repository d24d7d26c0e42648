"""Rows of images as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from diamond.runtimes.manifests import ImageManifest, manifest_data
from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow

_MANIFEST_FIELDS = frozenset(field.name for field in fields(ImageManifest))
_UNKNOWN: JsonObject = {
    "identity": "",
    "format": "",
    "runtime": "",
    "sha256": "",
    "size": 0,
    "platform": "",
    "file": "",
    "version": 1,
}


def stored_manifest(data: Mapping[str, Any]) -> ImageManifest:
    """A manifest from the database, where those of older versions may lack fields."""
    known = {
        name: value
        for name, value in data.items()
        if name in _MANIFEST_FIELDS and value is not None
    }
    return ImageManifest(**{**_UNKNOWN, **known})


MANIFEST = Codec(lambda stored: stored_manifest(stored or {}), manifest_data)
MAYBE_MANIFEST = Codec(
    lambda stored: stored_manifest(stored) if stored else None,
    lambda manifest: manifest_data(manifest) if manifest else {},
)


@dataclass(frozen=True)
class ImageRow(TypedRow):
    """An image of a person."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "manifest": MANIFEST,
        "accepted": Codec(lambda stored: stored or {}, dict),
    }

    id: str
    owner: str
    name: str | None
    identity: str
    platform: str
    recipe: JsonObject
    """As its agent reported it (images/recipe.py)."""
    manifest: ImageManifest
    build: str | None
    created: float
    updated: float
    accepted: dict[str, str] = field(default_factory=dict)
    """Files of others that its owner chose: by digest, the image whose file that was."""

    @property
    def called(self) -> str:
        """Its name, or the beginning of its digest."""
        return self.name or self.identity[:19]


@dataclass(frozen=True)
class CopyRow(TypedRow):
    """A file of an image on an endpoint: a place of one of its artifacts."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"manifest": MANIFEST}

    image: str
    endpoint: str
    format: str
    owner: str
    sha256: str
    manifest: ImageManifest
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

    CODECS: ClassVar[Mapping[str, Codec]] = {"manifest": MAYBE_MANIFEST}

    id: str
    owner: str
    kind: str
    image: str | None
    endpoint: str
    source: str | None
    reference: str
    name: str
    sha256: str
    manifest: ImageManifest | None
    words: str
    state: str
    bytes: int
    size: int
    message: str
    created: float
    started: float | None
    updated: float
