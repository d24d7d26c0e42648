"""The goal of a training, and what was planned for it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from diamond.service.platform.http.schemas import Body

MOST_SECONDS = 10**9
"""Thirty years."""


class Goal(Body):
    """How much to train, and what is known of its pace. What is left out is taken from `like`."""

    steps: int | None = Field(default=None, ge=1, le=10**12)
    epochs: float | None = Field(default=None, gt=0, le=10**9)
    """In place of `steps`, with `samples` and `batch`."""
    samples: int | None = Field(default=None, ge=1, le=10**15)
    batch: int | None = Field(default=None, ge=1, le=10**12)
    """Samples of one step over all ranks."""
    step_seconds: float | None = Field(default=None, ge=1e-9, le=MOST_SECONDS)
    save_seconds: float = Field(default=0.0, ge=0, le=MOST_SECONDS)
    """What one checkpoint costs the training."""
    save_gigabytes: float | None = Field(default=None, gt=0, le=10**9)
    """How large one checkpoint is: where the site limits what a job writes, checkpoints are taken less often."""
    startup_seconds: float | None = Field(default=None, ge=0, le=MOST_SECONDS)
    save_every_seconds: float | None = Field(default=None, ge=1, le=MOST_SECONDS)
    like: str = Field(default="", max_length=64)
    """A task whose logged steps show the pace, or a scale that measured as many nodes."""


class FinishSpan(BaseModel):
    """Seconds from now."""

    soonest: float
    latest: float


class Prediction(BaseModel):
    """The plan that was made when a task was submitted."""

    made: float
    goal: Goal
    nodes: int
    steps: int
    step_seconds: float
    measured: bool
    attempts: int
    finish: FinishSpan
    """From when it was made."""
    node_hours: float
    node_hours_at_most: float


class Happened(BaseModel):
    """What happened, so far or to its end."""

    attempts: int
    """That have started."""
    seconds: float
    """Since it was submitted."""
    node_hours: float
    """Of all that had nodes, also before a program started."""
    has_ended: bool
