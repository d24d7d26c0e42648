"""What a task writes: logs, metrics, files; and the code it ran."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from diamond.service.endpoints.schemas import Endpoint
from diamond.service.platform.http.schemas import Page, Preview
from diamond.service.tasks.schemas import Task

PointTriple = tuple[float | None, float | None, float | None]
"""[step, time, value]; a value of NaN or infinity is null."""


class LogStream(BaseModel):
    attempt: str
    run: int
    rank: int
    stream: str
    size: int
    """Bytes."""
    kept: list[tuple[int, int]]
    folder: str
    """Where its file is on the endpoint; empty once it was removed to make room."""


class LogList(Page[LogStream]):
    ranks: int
    """How many processes the launch starts."""
    carried_ranks: int
    """So many at most have a log here; the others' are in `folder` alone."""
    words: str
    """What a reader should know of the logs of several ranks, and where those are that are not here; empty of one rank."""


class Series(BaseModel):
    """One curve of one task, over all its attempts and runs."""

    task: str
    name: str
    points: list[PointTriple]
    thinned: bool
    count: int
    """Points in the asked range before thinning."""
    first_step: float | None
    last_step: float | None


class LoggedMedia(BaseModel):
    """A picture or a table that a script logged with W&B or MLflow."""

    path: str = Field(max_length=4096)
    """From the run directory, for `files/content`."""
    source: Literal["wandb", "mlflow"]
    kind: Literal["image", "table"]
    name: str = Field(max_length=1000)
    step: int | None = None
    size: int
    modified: float


class FileEntry(BaseModel):
    path: str
    """From the run directory."""
    kind: Literal["file", "folder", "link"]
    size: int | None = None
    modified: float | None = None
    type: str = ""
    """Of a file: its media type, judged by its name."""
    preview: Preview = "none"
    """How a page may show it; what it may show inline is decided by the service."""
    origin: Literal["input", "result"] = "result"
    """Whether it came with the job, unchanged, or was made by it."""


class LogLine(BaseModel):
    offset: int
    """Of its first byte."""
    length: int
    """In bytes, with its line end."""
    text: str
    """Without its line end; bytes that are not UTF-8 are replaced; a very long line is cut."""
    cut: bool = False


class LogLines(BaseModel):
    """Whole lines around a byte offset."""

    items: list[LogLine]
    start: int
    """Of the first line given: ask for `before=start` to go up."""
    next: int
    """After the last line given: ask for `offset=next` to go down."""
    size: int
    source: Literal["kept", "cluster"]


class LogMatch(LogLine):
    at: int
    """The byte offset of the match itself."""
    width: int
    """Its length in bytes."""


class LogMatches(BaseModel):
    items: list[LogMatch]
    next: int | None
    """Ask for `after=next` for more; null when the end was reached."""
    complete: bool
    """False: a part of the log is on the cluster alone and could not be searched; `reason` says why."""
    reason: str
    searched_on: list[Literal["kept", "cluster"]]
    size: int


class MetricName(BaseModel):
    name: str
    tasks: list[str]


class MetricSet(BaseModel):
    items: list[Series]
    names: list[MetricName]
    """All curves that these tasks have, also those that were not asked for."""


class MetricValues(BaseModel):
    """One metric of one task, over all its attempts."""

    name: str
    last: float
    step: float | None = None
    min: float
    min_step: float | None = None
    max: float
    max_step: float | None = None
    best: Literal["min", "max"] | None = None
    """Which of the two is the better, judged by the name; null if that is not known."""


class Progress(BaseModel):
    """How far a task is, from the steps or epochs that it logged."""

    unit: Literal["step", "epoch"]
    done: float
    total: float | None
    """From its plan, its parameters or the options of its command, such as `--epochs 10`."""
    fraction: float | None
    seconds_left: float | None
    """Of a running task at its present pace."""


class TaskSummary(BaseModel):
    """What people look at first."""

    task: str
    main: str | None
    """The metric that tells most about the result."""
    params: dict[str, Any]
    values: list[MetricValues]
    progress: Progress | None
    spark: list[float]
    """The main curve in a few points, if asked for."""


class Report(BaseModel):
    """A redacted bundle for a support ticket."""

    diamond: str
    task: dict[str, Any]
    history: list[dict[str, Any]]
    logs: list[dict[str, Any]]
    log_ends: dict[str, str]
    endpoint: dict[str, Any]
    machine: dict[str, Any]


class LogEvent(BaseModel):
    task: str
    attempt: str
    run: int
    rank: int
    stream: str
    offset: int | None = None
    length: int | None = None
    text: str | None = None
    skipped: tuple[int, int] | None = None
    """Instead of a text: this part stayed on the cluster."""


class MetricPoint(BaseModel):
    name: str
    step: float | None
    time: float | None
    value: float | None


class MetricEvent(BaseModel):
    task: str
    points: list[MetricPoint]
    usage: bool
    """Of processors, memory and GPUs, not what the program measured."""


class NoteEvent(BaseModel):
    task: str
    message: str
    code: str
    n: int


class ChangedEvent(BaseModel):
    what: Literal[
        "preferences",
        "notifications",
        "read",
        "tokens",
        "endpoints",
        "overview",
        "announcements",
        "studies",
        "models",
        "data",
        "pipelines",
        "pilots",
    ]
    n: int


class TaskEvent(Task):
    n: int


class EndpointEvent(Endpoint):
    n: int
