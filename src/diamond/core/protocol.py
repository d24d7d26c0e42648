"""The sync protocol as types: what a service sends to an agent (docs/internals/sync-protocol.md).

One decoder for all of it. Whatever becomes part of a path, a command line or a script has a character class here, so
that the code behind it handles values that cannot lead elsewhere. `core/agent_messages.py` has the other half.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Dict, List, Optional, Type, Union

from diamond.core.callers import By as By
from diamond.core.callers import Person as Person
from diamond.core.data_commands import DATA_ACTS, DataCommand
from diamond.core.decoding import (
    Digest,
    FileFormat,
    Hex,
    Id,
    ImageFormat,
    Inside,
    Line,
    MaybeFolderPath,
    MaybeId,
    Name,
    Range,
    Reference,
    Word,
    decode,
)
from diamond.core.errors import BadRequest
from diamond.core.order import Order, order_from

VERSION = 6
"""Said at hello. 2: images by the digest of their file alone, everything decoded here. 3: trees of data. 4: several ways for them. 5: pilots, and shares of studies. 6: copies of data in S3 storage."""
WITH_TREES = 3
"""Agents that speak an older version get no orders that name trees: they would start a program without its data."""
WITH_WAYS = 4
"""Between agents that speak an older version, data passes through the service alone."""
WITH_PILOTS = 5
"""Agents that speak an older version get no orders of pilots, nor of what runs in them: they would start batch jobs."""
WITH_SHARES = 5
"""Agents that speak an older version ignore the share of a trial: they would start all that is handed to them ahead."""
WITH_STORAGE = 6
"""Agents that speak an older version neither keep copies in S3 storage nor fetch them from there."""
OLDEST = 2
"""Agents that speak an older version get no new work. Raised only where the work itself would be unsafe."""


@dataclass(frozen=True)
class Signature:
    """What a person's key says of an order (core/signing.py)."""

    signature: str
    until: float
    version: int = 1


@dataclass(frozen=True)
class StudyShare:
    """A trial that may be handed to its agent long before its turn: the agent starts it when fewer than `slots` of its
    study are at work there, whether the service is reachable or not."""

    study: Id
    slots: Annotated[int, Range(1, 100_000)] = 1


@dataclass(frozen=True)
class TaskRequest:
    """`task.json`, as far as it decides anything: the order and what stands beside it."""

    order: Order
    continues: MaybeId = ""
    """The task whose run directory this one takes over."""
    signature: Optional[Signature] = None
    person: Optional[Person] = None
    share: Optional[StudyShare] = None


def read_task_request(task_json: Any) -> TaskRequest:
    """Raises `BadRequest`."""
    request = decode(TaskRequest, task_json, "task_json")
    order_from(task_json["order"])
    return request


@dataclass(frozen=True)
class QueueAfter:
    queue_after_seconds: Optional[float] = None
    cushion_seconds: Optional[float] = None


@dataclass(frozen=True)
class Grant(QueueAfter):
    """How far the agent may make attempts of a task by itself: `chain.json`, which batch scripts read too."""

    until: Optional[int] = None
    counted: Optional[int] = None
    hand_over_seconds: Optional[float] = None
    alone: Optional[QueueAfter] = None
    most_seconds: Optional[int] = None


@dataclass(frozen=True)
class Submit:
    id: Id
    task: Id
    attempt: Id
    task_json: Dict[str, Any] = field(default_factory=dict)
    """As it came: written down, and given back to a service that has forgotten it."""
    number: int = 1
    chain: Dict[str, Any] = field(default_factory=dict)
    by: By = field(default_factory=By)

    @property
    def request(self) -> TaskRequest:
        return read_task_request(self.task_json)


@dataclass(frozen=True)
class Cancel:
    id: Id
    task: Id
    attempt: Id
    grace: Annotated[int, Range(0, 3600)] = 0
    """Seconds between the stop flag and the kill; 0: end it as the batch system does."""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class Chain:
    """How far the agent may make attempts by itself."""

    id: Id
    task: Id
    chain: Dict[str, Any] = field(default_factory=dict)
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class ClosePilot:
    """This task is a pilot: it finishes what it has begun, takes nothing more, and goes."""

    id: Id
    task: Id
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class Probe:
    id: Id
    compute: bool = False
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class Clean:
    """Remove these run directories."""

    id: Id
    tasks: List[Id] = field(default_factory=list)
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class Upgrade:
    id: Id
    digest: Digest
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class ImageFile:
    """An image file by its digest."""

    sha256: Digest

    @property
    def hex(self) -> str:
        return self.sha256.rpartition(":")[2]


@dataclass(frozen=True)
class ComingFile:
    """A file to fetch, and what the service says about it. None of this decides what runs: the order does."""

    sha256: Hex
    size: int
    identity: Digest
    format: FileFormat


@dataclass(frozen=True)
class SendImage:
    """Send a file of this machine to the service, for another endpoint."""

    id: Id
    record: ImageFile
    move: MaybeId = ""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class FetchImage:
    id: Id
    move: Id
    record: Dict[str, Any] = field(default_factory=dict)
    by: By = field(default_factory=By)

    @property
    def file(self) -> ComingFile:
        return decode(ComingFile, self.record, "record")


@dataclass(frozen=True)
class PushImage:
    id: Id
    move: Id
    record: ImageFile
    reference: Reference = ""
    recipe: Dict[str, Any] = field(default_factory=dict)
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class PullImage:
    id: Id
    move: Id
    reference: Reference = ""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class DeleteImage:
    id: Id
    sha256: Digest
    format: ImageFormat
    identity: Digest
    move: MaybeId = ""
    by: By = field(default_factory=By)


@dataclass(frozen=True)
class CancelMove:
    id: Id
    move: Id
    record: Dict[str, Any] = field(default_factory=dict)
    by: By = field(default_factory=By)

    @property
    def sha256(self) -> str:
        """Of the file that was to come; '' where none was named."""
        return decode(ImageFile, self.record, "record").hex if self.record.get("sha256") else ""


IMAGE_COMMANDS = (SendImage, FetchImage, PushImage, PullImage, DeleteImage, CancelMove)
ImageCommand = Union[SendImage, FetchImage, PushImage, PullImage, DeleteImage, CancelMove]
Command = Union[Submit, Cancel, Chain, ClosePilot, Probe, Clean, Upgrade, ImageCommand, DataCommand]
COMMANDS: Dict[str, Type[Any]] = {
    "submit": Submit,
    "cancel": Cancel,
    "chain": Chain,
    "close-pilot": ClosePilot,
    "probe": Probe,
    "clean": Clean,
    "upgrade": Upgrade,
}
IMAGE_ACTS: Dict[str, Type[Any]] = {
    "send": SendImage,
    "fetch": FetchImage,
    "push": PushImage,
    "pull": PullImage,
    "delete": DeleteImage,
    "cancel": CancelMove,
}


def read_command(data: Any) -> Optional[Command]:
    """One command; None for a type that this version does not know. Raises `BadRequest`."""
    said = _message_type(data, "command")
    if said == "image":
        act = data.get("act")
        if not isinstance(act, str) or act not in IMAGE_ACTS:
            raise BadRequest(f"{ascii(act)[:80]} is not something to do with an image")
        command: ImageCommand = decode(IMAGE_ACTS[act], data)
        if isinstance(command, (FetchImage, CancelMove)):
            _ = command.file if isinstance(command, FetchImage) else command.sha256
        return command
    if said == "data":
        return _read_data_command(data)
    cls = COMMANDS.get(said)
    if cls is None:
        return None
    command_read: Command = decode(cls, data)
    if isinstance(command_read, (Submit, Chain)):
        decode(Grant, command_read.chain, "chain")
    if isinstance(command_read, Submit):
        read_task_request(command_read.task_json)
    return command_read


def _read_data_command(data: Dict[str, Any]) -> DataCommand:
    act = data.get("act")
    if not isinstance(act, str) or act not in DATA_ACTS:
        raise BadRequest(f"{ascii(act)[:80]} is not something to do with data")
    command: DataCommand = decode(DATA_ACTS[act], data)
    return command


def image_act(command: ImageCommand) -> str:
    """As it is called on the wire."""
    return next(name for name, cls in IMAGE_ACTS.items() if type(command) is cls)


def command_type(command: Command) -> str:
    """As it is called on the wire."""
    names = {cls: name for name, cls in COMMANDS.items()}
    names.update(dict.fromkeys(DATA_ACTS.values(), "data"))
    return names.get(type(command), "image")


@dataclass(frozen=True)
class Request:
    """A question; a person waits for the answer."""

    id: Id


@dataclass(frozen=True)
class ListFiles(Request):
    task: Id
    path: Inside = ""
    start: int = 0


@dataclass(frozen=True)
class ListMedia(Request):
    """Pictures and tables that a task logged with W&B or MLflow."""

    task: Id


@dataclass(frozen=True)
class BrowseFolder(Request):
    """A folder of the machine, for a person who looks for data; without a path, where to begin."""

    path: MaybeFolderPath = ""
    start: int = 0


@dataclass(frozen=True)
class StatFile(Request):
    task: Id
    path: Inside


@dataclass(frozen=True)
class ReadFile(Request):
    task: Id
    path: Inside
    offset: int = 0
    length: int = 0


@dataclass(frozen=True)
class ReadLog(Request):
    task: Id
    attempt: Id
    run: int
    stream: Word
    rank: int = 0
    offset: int = 0
    length: int = 0


@dataclass(frozen=True)
class SearchLog(Request):
    task: Id
    attempt: Id
    run: int
    stream: Word
    text: str
    case: bool
    limit: int
    start: int
    end: int
    rank: int = 0


@dataclass(frozen=True)
class Script(Request):
    """The batch script of an order, for a look before it is submitted."""

    order: Order


@dataclass(frozen=True)
class SetSecret(Request):
    name: Name
    value: str


@dataclass(frozen=True)
class ListSecrets(Request):
    pass


@dataclass(frozen=True)
class DeleteSecret(Request):
    name: Name


@dataclass(frozen=True)
class PruneImages(Request):
    days: float
    images: List[ImageFile] = field(default_factory=list)
    dry_run: bool = True


@dataclass(frozen=True)
class Usage(Request):
    pass


@dataclass(frozen=True)
class Report(Request):
    task: Id
    facts: Any = None


REQUESTS: Dict[str, Type[Request]] = {
    "list-files": ListFiles,
    "list-media": ListMedia,
    "browse": BrowseFolder,
    "stat-file": StatFile,
    "read-file": ReadFile,
    "read-log": ReadLog,
    "search-log": SearchLog,
    "script": Script,
    "set-secret": SetSecret,
    "list-secrets": ListSecrets,
    "delete-secret": DeleteSecret,
    "prune-images": PruneImages,
    "usage": Usage,
    "report": Report,
}


def read_request(data: Any) -> Request:
    """Raises `BadRequest`."""
    said = _message_type(data, "request")
    if said not in REQUESTS:
        raise BadRequest(f"This agent knows no request {said!r}", "Upgrade the agent.")
    request = decode(REQUESTS[said], data)
    if isinstance(request, Script):
        order_from(data["order"])
    return request


@dataclass(frozen=True)
class OpenTask:
    """A task that the service believes open."""

    task: Id
    attempt: Id
    number: int = 1


@dataclass(frozen=True)
class AgentSettings:
    """What the owner set on the service's side."""

    corrections: Optional[Dict[str, Any]] = None
    retention: Optional[Dict[str, Any]] = None

    @property
    def given(self) -> Dict[str, Any]:
        both = {"corrections": self.corrections, "retention": self.retention}
        return {name: value for name, value in both.items() if value is not None}


@dataclass(frozen=True)
class Welcome:
    """The answer to hello."""

    generation: int
    endpoint: MaybeId = ""
    name: Line = ""
    open_tasks: List[OpenTask] = field(default_factory=list)
    status_questions_per_minute: float = 4.0
    settings: AgentSettings = field(default_factory=AgentSettings)
    now: float = 0.0
    restored: bool = False
    """The service has come back from a backup and lacks what it had confirmed since."""
    takes_facts: bool = False
    """The service keeps what runs note for the record (core/facts.py)."""


@dataclass(frozen=True)
class Orders:
    """The answer to `commands`; what it lists is decoded one by one, so that a bad one holds up no other."""

    commands: List[Any] = field(default_factory=list)
    requests: List[Any] = field(default_factory=list)
    closed: List[Id] = field(default_factory=list)
    settings: AgentSettings = field(default_factory=AgentSettings)
    status_questions_per_minute: float = 0.0


@dataclass(frozen=True)
class Paired:
    """The answer to `pair`."""

    endpoint: Id
    name: Line
    key: Line
    confirmed: bool = False


@dataclass(frozen=True)
class BytesTaken:
    """The answer to `bytes`: where each stream now ends, one per part."""

    have: List[int] = field(default_factory=list)
    unknown_tasks: List[Id] = field(default_factory=list)


@dataclass(frozen=True)
class ImageBytesTaken:
    """The answer to `image-bytes`: how much of the file the service has."""

    have: int


@dataclass(frozen=True)
class WantsTaken:
    """The answer to `data-wants`: the round that begins with it."""

    round: int


@dataclass(frozen=True)
class PieceTaken:
    """The answer to `data-bytes`: the number of the piece that is wanted next."""

    next: int


@dataclass(frozen=True)
class ManifestTaken:
    """The answer to `manifest-bytes`: how much of the manifest the service has."""

    have: int


@dataclass(frozen=True)
class EventsTaken:
    """The answer to `events`."""

    have: int = 0
    unknown_tasks: List[Id] = field(default_factory=list)


def _message_type(data: Any, what: str) -> str:
    said = data.get("type") if isinstance(data, dict) else None
    if not isinstance(said, str):
        raise BadRequest(f"A {what} must be an object with a type")
    return said
