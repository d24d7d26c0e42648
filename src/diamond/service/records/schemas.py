"""Records as the API shows them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field

from diamond.provenance.bodies import (
    AttemptEnded,
    CodeUsed,
    FactsSeen,
    ImageUsed,
    InputUsed,
    MetricsSeen,
    ResultLeft,
    TaskEnded,
    TaskReproduced,
)
from diamond.service.platform.http.schemas import Body
from diamond.service.tasks.schemas import TaskMatch


class RecordFault(BaseModel):
    """The first place that does not fit."""

    n: int
    message: str


class RecordCheck(BaseModel):
    """Whether a record is still what was written."""

    is_whole: bool
    entries: int
    head: str
    """The hash of the last entry."""
    anchors: int
    """How many anchors cover it."""
    covered: int
    """The last entry that an anchor covers."""
    fault: RecordFault | None = None
    anchor_fault: RecordFault | None = None


class RecordEntry(BaseModel):
    n: int
    at: float
    kind: str
    hash: str
    before: str
    body: dict[str, Any]
    """With what is sealed: who may read the task may read this."""
    sealed: list[str] = []
    """Names of what is left out of an exported record unless its owner wants it there."""


class RecordContents(BaseModel):
    """What the entries of a record say, put together."""

    name: str = ""
    kind: str = ""
    is_rebuilt: bool = False
    """Compiled later from what was stored, because the task ran before records existed."""
    diamond: str = ""
    """The version that wrote it."""
    code: CodeUsed | None = None
    image: ImageUsed | None = None
    inputs: list[InputUsed] = []
    params: dict[str, Any] = {}
    seeds: dict[str, str] = {}
    machines: list[FactsSeen] = []
    attempts: list[AttemptEnded] = []
    end: TaskEnded | None = None
    metrics: MetricsSeen | None = None
    results: list[ResultLeft] = []
    reproduced: list[TaskReproduced] = []


class TaskRecord(RecordContents):
    """How a task came about and ended."""

    task: str
    check: RecordCheck
    entries: list[RecordEntry]


class ImportedRecord(RecordContents):
    """A record of Diamond in somebody else's crate, verified."""

    path: str
    is_whole: bool
    fault: RecordFault | None = None
    head: str = ""
    anchor: str = ""
    """The hash of the anchor that covers it, if the crate proves that: compare it with what its maker published."""
    entries: list[RecordEntry] = []


class CrateRun(BaseModel):
    """Something that ran, in the words of the Run Crate profiles."""

    id: str
    name: str = ""
    status: str = ""
    started: str = ""
    ended: str = ""
    instrument: str = ""
    agent: str = ""
    error: str = ""
    description: str = ""
    inputs: list[str] = []
    results: list[str] = []


class CrateFileShown(BaseModel):
    path: str
    name: str = ""
    size: int | None = None
    is_inside: bool = False
    """Whether the crate holds its bytes."""


class CrateSummary(BaseModel):
    id: str = ""
    name: str = ""
    digest: str = ""
    """Of the file that was imported."""
    bytes: int = 0
    created: float = 0.0


class CrateShown(CrateSummary):
    """A crate of somebody else, as far as its profile says. Read-only."""

    description: str = ""
    license: str = ""
    published: str = ""
    profiles: list[str] = []
    people: list[str] = []
    software: list[str] = []
    runs: list[CrateRun] = []
    files: list[CrateFileShown] = []
    records: list[ImportedRecord] = []
    warnings: list[str] = []


class ExportFormat(StrEnum):
    CRATE = "crate"
    """RO-Crate 1.1, as a zip."""
    PROV = "prov"
    """W3C PROV-JSON."""


class ExportPart(StrEnum):
    CODE = "code"
    LOCK = "lock"
    IMAGE = "image"
    """The file of the image, read from an endpoint that has it."""
    DATA = "data"
    """All versioned data that the task read, from an endpoint that has them."""


class ExportOptions(Body):
    format: ExportFormat = ExportFormat.CRATE
    parts: list[ExportPart] = [ExportPart.LOCK]
    """What goes into the crate beside the record and its scripts."""
    blind: bool = False
    """Name nobody: for reviewers who must not know whose work it is."""
    name: str = Field(default="", max_length=200)
    license: str = Field(default="", max_length=500)
    """The address of a licence."""


class ExportRequest(ExportOptions):
    """Several tasks in one crate: by id, or all that match a filter."""

    tasks: list[str] = Field(default=[], max_length=500)
    matching: TaskMatch | None = None


class AnchorShown(BaseModel):
    """Write it down elsewhere: whoever changes an older record must change this hash too."""

    n: int
    at: float
    hash: str
    count: int


class AnchorsCheck(BaseModel):
    """Whether the line of anchors is whole, and its end."""

    count: int
    fault: RecordFault | None = None
    last: AnchorShown | None = None


class LinkRequest(Body):
    tasks: list[str] = Field(min_length=1, max_length=100)
    title: str = Field(default="", max_length=200)
    days: int = Field(default=30, ge=1, le=365)
    options: ExportOptions = ExportOptions(blind=True)


class LinkShown(BaseModel):
    """A link for reviewers."""

    id: str
    title: str
    tasks: list[str]
    blind: bool
    created: float
    expires: float
    uses: int
    used: float | None


class LinkMade(LinkShown):
    secret: str
    """Shown once."""
    path: str
    """Below this service's address."""


class Links(BaseModel):
    items: list[LinkShown]


class ReviewedRecord(RecordContents):
    task: str
    check: RecordCheck
    entries: list[RecordEntry]


class Review(BaseModel):
    """What somebody with a link sees: records without what is sealed."""

    title: str
    expires: float
    blind: bool
    items: list[ReviewedRecord]
