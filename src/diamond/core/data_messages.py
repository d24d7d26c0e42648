"""What an agent sends about trees (docs/internals/data.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional

from diamond.core.decoding import (
    Count,
    Hex,
    Id,
    Layout,
    Line,
    MaybeHex,
    MaybeLayout,
    MaybeWord,
    SmallCount,
    TransferState,
    Word,
)

MOST_NAMED = 100
"""Changed or unreadable files that one report names."""


@dataclass(frozen=True)
class Origin:
    """What a source was when data was fetched from it."""

    kind: Word
    """web, s3, git or hub."""
    address: Line
    revision: Line = ""
    """A commit, an ETag, or a digest of a list of objects."""
    modified: Line = ""
    """When it last changed, as the source says it."""
    is_same: bool = False
    """As it was for the newest version."""


@dataclass(frozen=True)
class DataReport:
    """How a scan or a transfer is going."""

    name: Id
    """Of the scan or the transfer."""
    act: Word
    """What this endpoint does for it (core/data_commands.py)."""
    state: TransferState
    bytes: Optional[Count] = None
    """Read or written so far, of `size`."""
    size: Optional[Count] = None
    moved: Optional[Count] = None
    """Bytes that were carried here for it."""
    files: Optional[Count] = None
    files_done: Optional[Count] = None
    seconds_left: Optional[float] = None
    message: str = ""
    tree: MaybeHex = ""
    path: str = ""
    layout: MaybeLayout = ""
    entries: Optional[Count] = None
    """Files, folders and links: what the tree takes of an inode quota."""
    named: List[str] = field(default_factory=list)
    """Paths that changed or cannot be read, at most MOST_NAMED."""
    origin: Optional[Origin] = None
    """Of data that was fetched from elsewhere."""
    way: MaybeWord = ""
    """Of a transfer: how it comes (data/ways.py)."""
    tried: Dict[str, str] = field(default_factory=dict)
    """Other ways that were tried before, and why each failed."""
    in_place: bool = False
    """It is read where its source has it, on a file system that both see."""


@dataclass(frozen=True)
class DataReports:
    items: List[DataReport] = field(default_factory=list)


@dataclass(frozen=True)
class TreePlace:
    """Where and how a tree is on a machine."""

    tree: Hex
    layout: Layout
    path: str = ""
    managed: bool = False
    """A copy that Diamond made; otherwise it was registered in place."""
    pinned: bool = False
    shared: bool = False
    """In a folder of the group."""
    size: Count = 0
    files: Count = 0
    used: float = 0.0
    changed: List[str] = field(default_factory=list)
    """Files that are no longer as they were registered."""


@dataclass(frozen=True)
class TreeInventory:
    """All trees of a machine."""

    items: List[TreePlace] = field(default_factory=list)
    age: float = 0.0
    """Seconds since the machine looked."""


@dataclass(frozen=True)
class Introduction:
    """What the source of a transfer says about itself, so that its goal can reach it in other ways than the service."""

    path: str
    managed: bool = False
    fingerprint: str = ""
    """Of its files: path, size, mtime and inode."""
    mark: str = ""
    """A file that it has just written on the same file system, with `nonce` in it; '': none could be written there."""
    nonce: str = ""
    python: str = ""
    program: str = ""
    """Its agent's file, which a session by ssh starts; '': that cannot be done."""
    keep: str = ""
    work: str = ""
    collection: Line = ""
    """Its Globus collection, and the folder that is the root of it."""
    root: str = ""


@dataclass(frozen=True)
class StoredPiece:
    """A piece of the pack stream that is in S3 storage."""

    key: Line
    size: Count


@dataclass(frozen=True)
class FetchManifest:
    """The manifest of a tree from `offset` on, at most `most` bytes of it (0: as many as the service likes)."""

    tree: Hex
    offset: Count = 0
    most: Count = 0


@dataclass(frozen=True)
class FetchWants:
    """What the goal of a transfer wants in a round."""

    transfer: Id
    round: SmallCount


@dataclass(frozen=True)
class FetchPiece:
    """A piece of the pack stream; held while it is not there."""

    transfer: Id
    round: SmallCount
    n: Count
