"""Tasks, one or many."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, model_validator

from diamond.compose.fields import Name
from diamond.service.chains.schemas import Attempt, Chain
from diamond.service.code.schemas import CodeFacts
from diamond.service.platform.http.schemas import Body, OrderData, Problem, SpecData
from diamond.service.tasks.goal_schemas import Happened, Prediction

TaskState = Literal["preparing", "pending", "running", "succeeded", "failed", "cancelled"]
TaskPhase = Literal[
    "",
    "staging",
    "building",
    "probing",
    "queued",
    "held",
    "suspended",
    "ending",
    "cancelling",
    "between-attempts",
    "asking",
]
MAX_TOGETHER = 500
TAG_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:+-]{0,39}$"
MOST_TAGS = 20
MOST_NOTE = 4000


class ResumeTaskRequest(Body):
    """How far it may continue. Left out: as before; without a budget, three more attempts."""

    budget: str | None = Field(default=None, max_length=64)
    """A new limit, such as 50 node-hours: for the task as a whole, or for the new task."""
    attempts: int | None = Field(default=None, ge=1, le=1000)
    """So many more, before it asks again."""


Tag = Annotated[str, StringConstraints(pattern=TAG_PATTERN)]


class TaskChanges(Body):
    """What a person may change about a task at any time; what is left out stays."""

    name: Name | None = None
    note: str | None = Field(default=None, max_length=MOST_NOTE)
    tags: list[Tag] | None = Field(default=None, max_length=MOST_TAGS)
    """All of them, in place of those it has."""
    add_tags: list[Tag] = Field(default=[], max_length=MOST_TAGS)
    remove_tags: list[Tag] = Field(default=[], max_length=MOST_TAGS)


class TagCount(BaseModel):
    tag: str
    tasks: int


class Dependency(BaseModel):
    """One thing that a task waits for before it may start."""

    kind: Literal["build", "transfer", "probe", "task"]
    id: str
    """Of a task (`build`, `task`), of a transfer of its image or data, or of a scale (`probe`)."""
    state: Literal["waiting", "met", "failed"]
    message: str
    created: float
    updated: float
    bytes: int | None = None
    """Of a transfer: how much is there, of `size`."""
    size: int | None = None
    rate: float | None = None
    """Bytes a second, of late."""
    seconds_left: float | None = None
    how: str | None = None
    """Of a transfer of data: which way it takes."""


class FinalMetric(BaseModel):
    """What is kept of a curve."""

    last: float
    min: float
    max: float
    step: float | None = None


class Task(BaseModel):
    id: str
    job: str
    name: str
    kind: str
    owner: str
    owner_name: str = ""
    """Of another person's task."""
    project: str = ""
    endpoint: str
    state: TaskState
    phase: TaskPhase
    native_state: str
    native_id: str
    reason: str
    """Why, as a stable code; docs/errors.md explains each."""
    message: str
    exit_code: int | None
    signal: int | None
    as_of: float
    created: float
    updated: float
    started: float | None
    ended: float | None
    node: str
    attempt: str
    attempts: list[Attempt]
    chain: Chain
    prediction: Prediction | None
    """The plan that was made when it was submitted with a goal."""
    happened: Happened | None
    """What happened beside what was planned."""
    retry_of: str | None
    order: OrderData
    digest: str
    code: CodeFacts | None
    cancel_requested: bool
    version: int
    run_dir: str
    cleaned: float | None
    """When the run directory was removed to make room; `run_dir` is then empty."""
    archived: float | None
    """When its logs and curves were removed from the service."""
    final_metrics: dict[str, FinalMetric] | None
    """Of an archived task: what is kept of its curves."""
    tags: list[str]
    note: str
    """What its owner wrote about it."""
    dependencies: list[Dependency]
    """What it waits for, or waited for, before it is submitted."""
    awaits: str | None
    """The id of the first of these that is open."""


class HistoryLine(BaseModel):
    n: int
    at: float
    received: float
    type: str
    message: str
    data: dict[str, Any]


class Submitted(BaseModel):
    job: Job
    tasks: list[Task]
    warnings: list[str] = []


class StateCounts(BaseModel):
    preparing: int = 0
    pending: int = 0
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    cancelled: int = 0


class TaskCounts(BaseModel):
    """How many tasks match, by state."""

    counts: StateCounts
    total: int
    counted_since: float | None = None
    """Of a search in very many tasks: older ones than this are not counted, though a list reaches them."""


class TaskMatch(Body):
    """The filters of `GET /tasks`; `until`: created no later than this."""

    state: list[TaskState] = []
    endpoint: str = ""
    name: str = Field(default="", max_length=200)
    search: str = Field(default="", max_length=200)
    kind: str = "run"
    job: str = ""
    project: str = Field(default="", max_length=200)
    tag: str = Field(default="", max_length=40)
    since: float | None = None
    until: float | None = None


class TaskChoice(Body):
    """Tasks by their ids, or all that match a filter, a few hundred per call: continue with `cursor`."""

    tasks: list[str] = Field(default=[], max_length=MAX_TOGETHER)
    matching: TaskMatch | None = None
    cursor: str | None = Field(default=None, max_length=400)
    dry_run: bool = False
    """Only with `matching`: count them and do nothing."""

    @model_validator(mode="after")
    def _either_way(self) -> TaskChoice:
        if bool(self.tasks) == bool(self.matching):
            raise ValueError("name some tasks, or give `matching`: one of them, not both")
        if self.matching is None and (self.dry_run or self.cursor):
            raise ValueError("`cursor` and `dry_run` go with `matching`")
        return self


class Outcome(BaseModel):
    """The result for one of several tasks: the task as it now is, or the problem."""

    id: str
    """As it was given."""
    task: Task | None = None
    problem: Problem | None = None


class Outcomes(BaseModel):
    items: list[Outcome]
    done: int
    failed: int
    next: str | None = None
    """Of a filter: the `cursor` to continue with, null when all is done."""
    matching: int | None = None
    """Of a dry run: how many would be acted on."""
    until: float | None = None
    """Of a dry run: give it back in `matching`, so that no task made since is acted on."""


class Job(BaseModel):
    id: str
    name: str
    created: float
    owner: str
    project: str = ""
    spec: SpecData
    code: CodeFacts | None
    digest: str
    tasks: list[str]
