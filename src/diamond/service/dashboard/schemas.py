"""The dashboard in one call."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from diamond.service.endpoints.schemas import Gpus, PartitionNow
from diamond.service.output.schemas import TaskSummary
from diamond.service.platform.http.schemas import Body
from diamond.service.tasks.schemas import StateCounts, Task


class Need(BaseModel):
    """Something that needs the person's attention."""

    kind: Literal["failed", "sign-in", "offline", "confirm", "quota", "purge", "held", "asking"]
    title: str
    hint: str
    command: str = ""
    """To type, where that helps."""
    task: str = ""
    endpoint: str = ""
    at: float


class AllGpus(Gpus):
    as_of: float | None = None
    """When the oldest of these counts was reported."""


class EndpointNow(BaseModel):
    name: str
    state: Literal["online", "offline", "sign-in", "pairing", "confirming"]
    since: float
    default: bool
    gpus: Gpus
    partitions: list[PartitionNow]
    running: int
    waiting: int
    as_of: float | None
    """When the endpoint last reported what is free."""


class Headline(BaseModel):
    """The metric that says most about a result."""

    name: str
    value: float
    step: float | None


class Result(BaseModel):
    task: Task
    headline: Headline | None


class StartEstimate(BaseModel):
    """How long similar jobs waited: same partition, size and time limit within a factor of two. Seconds."""

    task: str
    waited: float
    """So far."""
    typical: float
    """Half of them waited less."""
    bound: float
    """Nearly all of them waited less."""
    samples: int


class Overview(BaseModel):
    counts: StateCounts
    running: list[Task]
    """The newest 20; `counts` has the whole number."""
    waiting: list[Task]
    """Preparing and pending: reason and message say why."""
    starts: list[StartEstimate]
    """Of those that wait in a queue and whose like have started before."""
    needs: list[Need]
    gpus: AllGpus
    """Of all endpoints that answer."""
    endpoints: list[EndpointNow]
    summaries: list[TaskSummary]
    """Of the running ones: progress, values, and the main curve in a few points."""
    recent: list[Result]
    """The last 8 that ended."""
    seen: float
    """Failures up to this time have been seen: POST /overview/seen."""
    now: float


class Seen(Body):
    at: float = Field(ge=0)
    """Failures up to this time need no further look."""
