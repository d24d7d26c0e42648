"""Rows of records as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.provenance.anchors import Anchor, AnchoredHead, KeptAnchor
from diamond.provenance.entries import Entry, Head, KeptEntry, read_entry
from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class RecordRow(TypedRow):
    """How far a record goes. `task` is the id of its task, or of what it is about."""

    task: str
    owner: str
    n: int
    head: str
    changed: float
    anchored: int = 0
    """The last entry that an anchor covers."""

    @property
    def ends_at(self) -> Head:
        return Head(self.n, self.head)


@dataclass(frozen=True)
class EntryRow(TypedRow):
    task: str
    n: int
    owner: str
    at: float
    kind: str
    line: str
    hash: str
    sealed: str = ""

    @property
    def kept(self) -> KeptEntry:
        return KeptEntry(self.n, self.line, self.hash, self.sealed)

    @property
    def entry(self) -> Entry:
        """With its sealed values. Raises `BadRequest` if it cannot be read."""
        return read_entry(self.line, self.sealed)


@dataclass(frozen=True)
class AnchorRow(TypedRow):
    n: int
    at: float
    root: str
    count: int
    before: str
    hash: str

    @property
    def kept(self) -> KeptAnchor:
        return KeptAnchor(Anchor(self.n, self.at, self.root, self.count, self.before), self.hash)


@dataclass(frozen=True)
class AnchoredHeadRow(TypedRow):
    anchor: int
    task: str
    n: int
    head: str

    @property
    def value(self) -> AnchoredHead:
        return AnchoredHead(self.task, Head(self.n, self.head))
