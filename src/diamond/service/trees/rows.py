"""Rows of trees, scans and transfers as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from diamond.core.data_messages import Origin
from diamond.core.decoding import decode, encode
from diamond.data.ways import SERVICE
from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow

OPEN_STATES = ("waiting", "running")
IN_PLACE, COPY, ARCHIVE = "in-place", "copy", "archive"
"""Kinds of places on an endpoint: the `subject` of a place row of a tree."""


STORAGE_PLACE = "s3-"
"""In front of the id of the endpoint whose S3 storage has a copy."""


def storage_place(endpoint: str) -> str:
    """Of the copy in the storage of this endpoint, in place of an endpoint."""
    return f"{STORAGE_PLACE}{endpoint}"


MAYBE_ORIGIN = Codec(
    lambda stored: None if stored is None else decode(Origin, stored),
    lambda origin: None if origin is None else encode(origin),
)


@dataclass(frozen=True)
class TreeRow(TypedRow):
    """What a person may know of a tree."""

    owner: str
    digest: str
    size: int
    files: int
    entries: int
    """Files, folders and links: what it takes of an inode quota."""
    has_manifest: bool
    """False: its machine lets no manifest leave."""
    created: float
    manifest_bytes: int = 0
    """Of its manifest, for the person whose endpoint sent it."""


@dataclass(frozen=True)
class TreePlaceRow:
    """One place where a tree is on an endpoint."""

    owner: str
    digest: str
    endpoint: str
    kind: str
    """IN_PLACE, COPY or ARCHIVE."""
    path: str
    pinned: bool
    used: float
    changed: tuple[str, ...]
    """Files that are no longer as they were registered: the place cannot be used."""
    at: float

    @property
    def layout(self) -> str:
        return "archive" if self.kind == ARCHIVE else "files"

    @property
    def is_managed(self) -> bool:
        return self.kind != IN_PLACE


@dataclass(frozen=True)
class ScanRow(TypedRow):
    """A folder on an endpoint that is read to make or check a manifest."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "named": Codec(lambda stored: tuple(stored), list),
        "origin": MAYBE_ORIGIN,
    }

    id: str
    owner: str
    endpoint: str
    act: str
    """scan, check, import, look (at a source) or preview."""
    path: str
    """The folder; of an import, its address."""
    tree: str
    """The result, once it is done; of a check, what is checked."""
    state: str
    """waiting, running, done, failed or cancelled."""
    created: float
    updated: float
    bytes: int = 0
    size: int = 0
    files: int = 0
    files_done: int = 0
    seconds_left: float | None = None
    message: str = ""
    named: tuple[str, ...] = field(default=())
    """Paths that changed or cannot be read."""
    started: float | None = None
    origin: Origin | None = None
    """Of an import: what the source was."""

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES


@dataclass(frozen=True)
class PreviewRow(TypedRow):
    """What a tree looks like, made once by an endpoint where it is."""

    owner: str
    tree: str
    scan: str
    """The work that makes it, or made it."""
    content: JsonObject | None
    """None until it is there."""
    created: float


@dataclass(frozen=True)
class TransferRow(TypedRow):
    """A tree on its way to an endpoint."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "ways": Codec(lambda stored: tuple(stored), list),
        "tried": Codec(dict, dict),
    }

    id: str
    owner: str
    tree: str
    source: str | None
    goal: str
    way: str
    layout: str
    words: str
    state: str
    """waiting, running, done, failed or cancelled."""
    created: float
    updated: float
    round: int = 0
    bytes: int = 0
    """Of `size`, at the goal and verified or being so; what was there before counts."""
    size: int = 0
    moved: int = 0
    """Bytes that were carried."""
    files: int = 0
    files_done: int = 0
    rate: float = 0.0
    """Bytes a second, of late."""
    message: str = ""
    started: float | None = None
    ways: tuple[str, ...] = ()
    """Those that may be tried, the best first; none: through the service."""
    tried: dict[str, str] = field(default_factory=dict)
    """Ways that failed, with the reason."""

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES

    @property
    def passes_service(self) -> bool:
        """Whether its bytes may pass through the service."""
        return not self.ways or SERVICE in self.ways

    @property
    def seconds_left(self) -> float | None:
        if not self.is_open or self.rate <= 0:
            return None
        return max(self.size - self.bytes, 0) / self.rate


Ended = ScanRow | TransferRow
"""What has just ended, for slices above: `state` says how."""
