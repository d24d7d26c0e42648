"""Records as the API shows them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

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


class TaskRecord(BaseModel):
    """How a task came about and ended."""

    task: str
    name: str = ""
    kind: str = ""
    is_rebuilt: bool = False
    """Made later from what was stored, as the task is older than records."""
    check: RecordCheck
    entries: list[RecordEntry]
    code: CodeUsed | None = None
    image: ImageUsed | None = None
    inputs: list[InputUsed] = []
    seeds: dict[str, str] = {}
    machines: list[FactsSeen] = []
    attempts: list[AttemptEnded] = []
    end: TaskEnded | None = None
    metrics: MetricsSeen | None = None
    results: list[ResultLeft] = []
    reproduced: list[TaskReproduced] = []


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
