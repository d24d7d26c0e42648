"""The sync protocol as types: what an agent sends to a service (docs/internals/sync-protocol.md).

`core/protocol.py` has the other half.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional, Union

from diamond.core.data_messages import (
    DataReports,
    FetchManifest,
    FetchPiece,
    FetchWants,
    TreeInventory,
)
from diamond.core.decoding import (
    Count,
    Digest,
    Hex,
    Id,
    Line,
    MaybeId,
    MaybeWord,
    SmallCount,
    TransferState,
    Word,
    decode,
)
from diamond.core.events import EVENT_TYPES, Event, Note
from diamond.core.protocol import Person


@dataclass(frozen=True)
class Pair:
    """A pairing code for a key. What a machine says of itself is shown to its owner, who confirms it."""

    code: str
    host: Line = ""
    user: Line = ""
    agent_version: Line = ""
    python: Line = ""


@dataclass(frozen=True)
class MachineFolders:
    """Diamond's folders on the machine."""

    keep: str = ""
    work: str = ""
    tmp: str = ""


@dataclass(frozen=True)
class MachinePolicy:
    """What the machine itself allows."""

    egress: str = "all"
    lease_until: Optional[float] = None
    require_signed: bool = False
    community: bool = False
    stands: bool = False


@dataclass(frozen=True)
class Hello:
    """The first call of an agent, and of one whose link was away."""

    agent_version: Line = ""
    protocol: int = 1
    host: Line = ""
    user: Line = ""
    pid: int = 0
    python: Line = ""
    epoch: MaybeId = ""
    """Random for each start of an agent: events are numbered within it."""
    confirmed: Count = 0
    """The newest event that a service has confirmed."""
    last_generation: Count = 0
    stays: MaybeWord = ""
    now: float = 0.0
    folders: MachineFolders = field(default_factory=MachineFolders)
    policy: MachinePolicy = field(default_factory=MachinePolicy)
    secrets: Optional[List[str]] = None
    """Their names; an older agent says nothing."""


@dataclass(frozen=True)
class Events:
    epoch: MaybeId = ""
    now: Optional[float] = None
    """The agent's clock, by which `at` of each event is corrected."""
    events: List[Dict[str, Any]] = field(default_factory=list)
    """Each as `NumberedEvent` and the fields of its type (core/events.py)."""


@dataclass(frozen=True)
class NumberedEvent:
    n: Count
    type: str
    task: MaybeId = ""
    at: float = 0.0


@dataclass(frozen=True)
class ReadEvent:
    """An event of an agent, decoded."""

    n: int
    task: str
    event: Event


def read_events(message: Events, *, clock: float) -> List[ReadEvent]:
    """In order, times moved to the reader's `clock`. A type that nobody knows becomes a note. Raises `BadRequest`."""
    shift = clock - message.now if message.now else 0.0
    read = [_read_event(data, shift, f"events[{n}]") for n, data in enumerate(message.events)]
    return sorted(read, key=lambda event: event.n)


def _read_event(data: Dict[str, Any], shift: float, at: str) -> ReadEvent:
    head = decode(NumberedEvent, data, at)
    cls = EVENT_TYPES.get(head.type)
    if cls is None:
        attempt = decode(Event, data, at).attempt
        text = f"unknown event {head.type!r}"
        event: Event = Note(attempt=attempt, message=text, code="unknown-event")
    else:
        event = decode(cls, data, at)
    return ReadEvent(head.n, head.task, replace(event, at=head.at + shift))


@dataclass(frozen=True)
class KnownAttempt:
    attempt: Id
    number: SmallCount


@dataclass(frozen=True)
class Adopt:
    """A task that the service has lost, from its run directory."""

    task_json: Dict[str, Any]
    attempts: List[KnownAttempt] = field(default_factory=list)

    @property
    def known(self) -> AdoptedTask:
        return decode(AdoptedTask, self.task_json, "task_json")


@dataclass(frozen=True)
class AdoptedTask:
    """`task.json`, as far as a service makes a task from it."""

    task: Id
    job: Id
    name: str
    order: Dict[str, Any]
    kind: Word = "run"
    created: Optional[float] = None
    person: Optional[Person] = None


@dataclass(frozen=True)
class Poll:
    """What is done, and how long the call may be held for more to do."""

    done: List[Id] = field(default_factory=list)
    wait: float = 0.0
    now: float = 0.0


@dataclass(frozen=True)
class StreamPart:
    """Where `length` bytes belong."""

    task: Id
    attempt: Id
    run: SmallCount
    stream: Word
    offset: Count
    length: Count
    rank: SmallCount = 0
    skipped: bool = False


@dataclass(frozen=True)
class StreamParts:
    """The line in front of the bytes."""

    parts: List[StreamPart]


@dataclass(frozen=True)
class FetchBlobs:
    digests: List[Digest]


@dataclass(frozen=True)
class ImageInventory:
    """All images of a machine."""

    items: List[Dict[str, Any]] = field(default_factory=list)
    """Manifests of images (runtimes/manifests.py)."""
    age: float = 0.0
    """Seconds since the machine looked."""


@dataclass(frozen=True)
class TransferReport:
    """How a transfer of an image is going."""

    move: Id
    state: TransferState
    bytes: Optional[Count] = None
    size: Optional[Count] = None
    message: str = ""
    record: Optional[Dict[str, Any]] = None
    recipe: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class TransferReports:
    items: List[TransferReport] = field(default_factory=list)


@dataclass(frozen=True)
class FetchImagePart:
    """What there is of a file from `offset` on, at most `most` bytes of it (0: as many as the service likes)."""

    sha256: Hex
    offset: Count = 0
    most: Count = 0


@dataclass(frozen=True)
class ProfileReport:
    """The site profile (docs/internals/site-profile.md)."""

    version: int = 1
    probed_at: Optional[float] = None
    facts: Dict[str, Any] = field(default_factory=dict)


Message = Union[
    Pair,
    Hello,
    Events,
    Adopt,
    Poll,
    StreamParts,
    FetchBlobs,
    ImageInventory,
    TransferReports,
    FetchImagePart,
    ProfileReport,
    DataReports,
    TreeInventory,
    FetchManifest,
    FetchWants,
    FetchPiece,
]
