"""What a source holds: files, each with a mark that changes when it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO, Dict, List, Optional, Protocol

from diamond.core.errors import DiamondError


@dataclass(frozen=True)
class Item:
    """A file at a source."""

    path: str
    """Where it goes in the tree."""
    address: str
    size: Optional[int] = None
    """None: the server does not say."""
    mark: str = ""
    """An ETag, a digest or a date: equal as long as the file is. '' where the server gives none."""
    sha256: str = ""
    blob: str = ""
    """The id that git gives to its content."""


@dataclass(frozen=True)
class Listing:
    """A source at one moment."""

    kind: str
    """web, s3, git or hub."""
    address: str
    """Without anything secret."""
    revision: str
    """A commit, an ETag, or a digest of all marks. '' where the source gives none."""
    modified: str = ""
    """As the source says it."""
    items: List[Item] = field(default_factory=list)


@dataclass(frozen=True)
class Opened:
    """The bytes of an item from an offset on."""

    stream: BinaryIO
    offset: int
    """0 where the server begins from the start."""
    size: Optional[int]
    """Of the whole item."""
    mark: str


class Source(Protocol):
    def look(self) -> Listing:
        """What is there now. Raises `SourceError`, `SourceDown`."""

    def open(self, item: Item, offset: int) -> Opened:
        """Raises `ItemProblem` for an item that is gone or has changed, `SourceDown` for what another try may mend."""


class SourceError(DiamondError):
    """A source that cannot be read as it was asked for."""

    code = "source"


class ItemProblem(Exception):
    """One file that is gone, has changed or cannot be read; the others may be fine."""


class StartOver(Exception):
    """What was fetched of a file is of no use: from its start."""


class SourceDown(Exception):
    """No answer, or a broken one: another try may do."""


@dataclass(frozen=True)
class Record:
    """A file that was fetched: how it was marked, and what it is."""

    path: str
    mark: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Differences:
    """Between what was fetched before and what is there now."""

    changed: List[str]
    added: List[str]
    gone: List[str]

    @property
    def is_empty(self) -> bool:
        return not (self.changed or self.added or self.gone)

    def lines(self) -> List[str]:
        return [
            *(f"{path}: changed" for path in self.changed),
            *(f"{path}: new" for path in self.added),
            *(f"{path}: gone" for path in self.gone),
        ]


def compare(before: Dict[str, Record], items: List[Item]) -> Differences:
    """By marks; a file without one counts as changed when its size did."""
    now = {item.path: item for item in items}
    changed = [
        path for path, item in now.items() if path in before and not _is_same(before[path], item)
    ]
    added = [path for path in now if path not in before]
    gone = [path for path in before if path not in now]
    return Differences(sorted(changed), sorted(added), sorted(gone))


def _is_same(record: Record, item: Item) -> bool:
    if item.mark and record.mark:
        return item.mark == record.mark
    return item.size is not None and item.size == record.size
