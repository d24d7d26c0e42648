"""Artifacts: bytes with a digest, a kind, a size and the places where they are. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Tuple

SERVICE = "service"
"""The place that is the service itself; every other place is the id of an endpoint."""
PREFIX = "sha256:"


class ArtifactKind(str, Enum):
    FILE = "file"
    """A file of somebody's code, or the changes since its commit."""
    SNAPSHOT = "snapshot"
    """The list of the files of a folder of code (code/snapshots.py)."""
    IMAGE = "image"
    """The file of an image, or its virtual environment."""
    TREE = "tree"
    """Files named by the digest of their manifest (docs/internals/data.md)."""


@dataclass(frozen=True)
class Artifact:
    digest: str
    """A sha256 in hex; of a virtual environment, of the list of its packages."""
    kind: ArtifactKind
    size: int


@dataclass(frozen=True)
class Snapshot:
    """What a snapshot takes: the bytes of its list, and of every file in it."""

    artifact: Artifact
    files: Tuple[Artifact, ...]


def plain_digest(digest: str) -> str:
    return digest[len(PREFIX) :] if digest.startswith(PREFIX) else digest
