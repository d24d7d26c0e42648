"""Pilots as the API takes and shows them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from diamond.compose.fields import Name
from diamond.service.platform.http.schemas import Body
from diamond.service.tasks.schemas import StateCounts, TaskPhase, TaskState


class PilotRequest(Body):
    """An allocation, in the words of `together:` in a spec."""

    name: Name = "pilot"
    allocation: dict[str, Any] = Field(default={}, max_length=50)
    """Nodes, walltime, cpus_per_node, memory, gpus_per_node, on, partition, account, idle and the like."""
    project: str = Field(default="", max_length=64)


class StopBody(Body):
    now: bool = False
    """Cancel what runs in it. Else it finishes that, begins nothing more, and goes."""


class Pilot(BaseModel):
    id: str
    """Also the id of its task."""
    owner: str
    name: str
    project: str
    endpoint: str
    partition: str
    account: str
    state: TaskState
    phase: TaskPhase
    message: str
    is_closing: bool
    """It finishes what it runs, and begins nothing more."""
    pipeline: str
    """That started it; empty: a study or a person did."""
    study: str
    """Whose trials it runs; empty: a pipeline or a person started it."""
    nodes: int
    cpus_per_node: int
    memory_mb: int
    """Per node; 0: the site's own default."""
    gpus_per_node: int
    gpu_type: str
    walltime_minutes: int
    idle_seconds: int
    allocations: int
    """How many batch jobs it has had: one that ends with work left continues in another."""
    counts: StateCounts
    """Tasks in it by state."""
    created: float
    started: float | None
    ended: float | None
    until: float | None
    """When its present allocation ends, at the latest."""
    warnings: list[str] = []


class TimelineNode(BaseModel):
    name: str
    cores: int
    gpus: int


class TimelineAllocation(BaseModel):
    """One batch job of the pilot."""

    id: str
    opened: float
    ends: float | None
    """At the latest."""
    nodes: list[TimelineNode]


class TimelinePart(BaseModel):
    """What an execution had of one node."""

    node: str
    cores: int
    gpus: int


class TimelineItem(BaseModel):
    """One execution, as the pilot's journal has it."""

    attempt: str
    task: str
    """Empty: nobody knows it any more."""
    name: str
    pipeline: str
    stage: str
    allocation: str
    claimed: float
    started: float | None
    ended: float | None
    reason: str
    """How it ended: exit, time-limit, out-of-memory, cancelled, node-lost, engine, wall-time or no-room; empty: not yet."""
    code: int | None
    parts: list[TimelinePart]


class Utilisation(BaseModel):
    """Shares of what the allocations had from their beginning until now, or until they ended."""

    cores: float | None
    gpus: float | None
    """None: it has no GPU."""


class Timeline(BaseModel):
    state: Literal["known", "away", "none"]
    """`away`: its endpoint does not answer now; `none`: its allocation has not begun."""
    message: str = ""
    now: float
    allocations: list[TimelineAllocation] = []
    items: list[TimelineItem] = []
    """At most 2000, the newest."""
    left_out: int = 0
    utilisation: Utilisation = Utilisation(cores=None, gpus=None)
