"""Plans: how long a job takes, in how many attempts, and what it costs."""

from __future__ import annotations

from pydantic import BaseModel, Field

from diamond.service.composer.schemas import SpecRequest
from diamond.service.tasks.goal_schemas import FinishSpan, Goal


class PlanRequest(SpecRequest):
    """As POST /jobs/check, with a goal."""

    project: str = Field(default="", max_length=64)
    goal: Goal


class WaitForecast(BaseModel):
    typical: float | None
    """Half of such jobs wait less than this, in seconds; null while nothing is known."""
    bound: float | None
    """A share of `quantile` of them waits less than this, in seconds, with `confidence`."""
    quantile: float
    confidence: float
    samples: int
    words: str


class Ceiling(BaseModel):
    """The spec's budget against the whole chain."""

    fits: bool
    cost: float
    """What the budget must allow: no attempt starts unless its whole time limit fits."""
    amount: float
    unit: str
    words: str


class OtherLimit(BaseModel):
    """The same work with another wall-time."""

    walltime_minutes: int
    attempts: int
    finish: FinishSpan
    node_hours: float


class Plan(BaseModel):
    endpoint: str
    partition: str
    nodes: int
    steps: int
    step_seconds: float
    measured: bool
    """Whether the pace comes from a task's own log."""
    attempts: int
    attempt_minutes: int
    """The time limit of each."""
    last_attempt_minutes: int
    """How much of it the last one should need."""
    save_every_seconds: float
    saves: int
    finish: FinishSpan
    node_hours: float
    node_hours_at_most: float
    charge_at_most: float | None
    """In the site's units; null where no rate is known."""
    interruptions: float
    lost_seconds: float
    lost_at_most_seconds: float
    waits: WaitForecast
    budget: Ceiling | None
    others: list[OtherLimit]
    warnings: list[str]
