"""Pipelines as the API takes and shows them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from diamond.service.composer.schemas import SpecRequest
from diamond.service.platform.http.schemas import Body, Fault, SpecData
from diamond.service.tasks.schemas import TaskState

PipelineState = Literal["running", "succeeded", "failed", "cancelled"]
StepStateName = Literal[
    "waiting", "running", "done", "cached", "skipped", "failed", "stopped", "cancelled"
]
StageNames = list[str]


class PipelineRequest(SpecRequest):
    """A spec with a `pipeline:` block, and its code."""

    project: str = Field(default="", max_length=64)
    spec_file: str = Field(default="", max_length=1000)
    """The path of the spec within the code: changing it alone repeats no stage."""
    force: StageNames = Field(default=[], max_length=200)
    """Stages that are run even if they were done before."""
    start_from: StageNames = Field(default=[], max_length=200)
    """These, and all that depend on them, are run in any case."""


class RetryBody(Body):
    stages: StageNames = Field(default=[], max_length=200)
    """Left out: everything that failed, was cancelled or was stopped."""


class AgainBody(Body):
    force: StageNames = Field(default=[], max_length=200)
    start_from: StageNames = Field(default=[], max_length=200)


class StepOutputView(BaseModel):
    kind: Literal["files", "model", "dataset", "value"]
    path: str
    digest: str = ""
    """`sha256:` of its manifest."""
    size: int = 0
    files: int = 0
    value: JsonValue = None
    dataset: str = ""
    """The version of a dataset that it is: `NAME@v2`."""


class Step(BaseModel):
    """One execution of a stage."""

    n: int
    label: str
    state: StepStateName
    message: str
    item: dict[str, JsonValue]
    task: str
    """Of a cached step: the task that made its outputs."""
    pilot: str
    """The pilot that it runs in; empty: a job of its own."""
    task_state: str
    phase: str
    endpoint: str
    nodes: int
    cpus: int
    """On all nodes."""
    gpus: int
    tries: int
    lost: int
    """How often its allocation ended while it ran there, so that it started again. Not counted as a try."""
    queued: float | None
    """When its task was made."""
    started: float | None
    """When its program began."""
    ended: float | None
    outputs: dict[str, StepOutputView]


class Stage(BaseModel):
    name: str
    parents: list[str]
    """Stages that must end first."""
    is_mapped: bool
    group: str
    """The group whose allocation it runs in: `together`, or one of `groups:`; empty: a job of its own."""
    when: str
    state: StepStateName
    """Of all its steps together."""
    is_critical: bool
    """It decided when the pipeline ended, or decides it so far."""
    steps: list[Step]


class StepCounts(BaseModel):
    waiting: int = 0
    running: int = 0
    done: int = 0
    cached: int = 0
    skipped: int = 0
    failed: int = 0
    stopped: int = 0
    cancelled: int = 0


class Pipeline(BaseModel):
    id: str
    owner: str
    name: str
    project: str
    state: PipelineState
    message: str
    counts: StepCounts
    """Steps by state; a map over an output that is not there yet has none."""
    created: float
    updated: float
    ended: float | None


class PipelinePilot(BaseModel):
    """An allocation that runs or ran steps of the pipeline."""

    id: str
    name: str
    state: TaskState
    reason: str
    """Why it ended."""
    message: str
    nodes: int
    allocations: int
    """How many batch jobs it has had."""
    created: float
    started: float | None
    ended: float | None


class PipelineDetail(Pipeline):
    spec: SpecData
    forced: list[str]
    pilots: list[PipelinePilot]
    """The oldest first: one that was lost is followed by the one that took its place."""
    stages: list[Stage]
    """Each after those that it depends on."""
    warnings: list[str] = []


class PlannedStage(BaseModel):
    name: str
    parents: list[str]
    is_mapped: bool
    group: str
    when: str


class PipelineComposition(BaseModel):
    """Of an unfinished spec. Always answers 200: `faults` says what is wrong."""

    ok: bool
    faults: list[Fault]
    warnings: list[str]
    stages: list[PlannedStage]
    """Each after those that it depends on; none while stages wait for each other."""


class PipelineChecked(BaseModel):
    stages: list[str]
    """Each after those that it depends on."""
    warnings: list[str]
