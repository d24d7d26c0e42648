"""Commands of type `data`: what a service asks an agent to do with trees (docs/internals/data.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Type, Union

from diamond.core.callers import By
from diamond.core.decoding import (
    Count,
    FolderPath,
    Hex,
    Id,
    Layout,
    Line,
    MaybeHex,
    MaybeName,
    SmallCount,
    Word,
)


@dataclass(frozen=True)
class ScanFolder:
    """Read a folder (or a file) of this machine and make its manifest."""

    id: Id
    scan: Id
    path: FolderPath
    recheck: bool = False
    """Read every byte again, also of files that look unchanged."""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class CheckTree:
    """Look whether a tree that is here is unchanged; with `recheck`, read every byte."""

    id: Id
    scan: Id
    tree: Hex
    recheck: bool = False
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class ImportTree:
    """Fetch data from elsewhere into a managed copy, and make its manifest."""

    id: Id
    scan: Id
    source: Line
    """An address: https://…, s3://BUCKET/PREFIX, git+https://…@COMMIT, hf://…@REVISION."""
    secret: MaybeName = ""
    """The name of the endpoint's secret that opens it."""
    server: Line = ""
    """Of S3-compatible storage or a hub, where it is not the usual one."""
    sha256: MaybeHex = ""
    """What a single file must be; empty: whatever comes is registered."""
    unpack: bool = False
    """Archives become what they hold."""
    look: bool = False
    """Only say whether the source is as it was."""
    known: Line = ""
    """The revision of the source that the newest version was made from."""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class PreviewTree:
    """Make a small preview of a tree that is here."""

    id: Id
    scan: Id
    tree: Hex
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class FetchTree:
    """Bring a tree here."""

    id: Id
    transfer: Id
    tree: Hex
    size: Count
    files: Count
    layout: Layout = "files"
    way: Word = "service"
    ways: List[Word] = field(default_factory=list)
    """To be tried in this order (data/ways.py); empty: `way` alone."""
    source: Line = ""
    """The name of the endpoint that has it: settings of this machine say how that is reached."""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class SendTree:
    """Send what the goal of a transfer wants in this round."""

    id: Id
    transfer: Id
    tree: Hex
    round: SmallCount
    through_service: bool = True
    """False: no byte of it may pass through the service."""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class ArchiveTree:
    """Make an archive of a tree that is here as files."""

    id: Id
    transfer: Id
    tree: Hex
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class StoreTree:
    """Put a copy of a tree that is here into the S3 storage of this endpoint, where nobody purges it."""

    id: Id
    transfer: Id
    tree: Hex
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class RemoveTree:
    """Remove a managed copy. Data that were registered in place are only forgotten, never removed."""

    id: Id
    tree: Hex
    layout: Layout = "files"
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class PinTree:
    id: Id
    tree: Hex
    pinned: bool = True
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class CancelData:
    """End a scan or a transfer."""

    id: Id
    name: Id
    by: By = field(default_factory=By)


ScanCommand = Union[ScanFolder, CheckTree, ImportTree, PreviewTree]
TransferCommand = Union[FetchTree, SendTree, ArchiveTree, StoreTree]
DataCommand = Union[ScanCommand, TransferCommand, RemoveTree, PinTree, CancelData]
DATA_COMMANDS = (
    *(ScanFolder, CheckTree, ImportTree, PreviewTree),
    *(FetchTree, SendTree, ArchiveTree, StoreTree),
    *(RemoveTree, PinTree, CancelData),
)
DATA_ACTS: Dict[str, Type[DataCommand]] = {
    "scan": ScanFolder,
    "check": CheckTree,
    "import": ImportTree,
    "preview": PreviewTree,
    "fetch": FetchTree,
    "send": SendTree,
    "archive": ArchiveTree,
    "store": StoreTree,
    "remove": RemoveTree,
    "pin": PinTree,
    "cancel": CancelData,
}


def data_act(command: DataCommand) -> str:
    """As it is called on the wire."""
    return next(name for name, cls in DATA_ACTS.items() if type(command) is cls)
