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
    """Seconds that half of such jobs wait less than; null while nothing is known."""
    bound: float | None
    """Seconds that `quantile` of them wait less than, with `confidence`."""
    quantile: float
    confidence: float
    samples: int
    words: str


class Ceiling(BaseModel):
    """The spec's budget against the whole chain."""

    fits: bool
    cost: float
    """What it must hold: no attempt starts unless its whole limit fits."""
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
    """What each asks for."""
    last_attempt_minutes: int
    """What the last one should take of it."""
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
