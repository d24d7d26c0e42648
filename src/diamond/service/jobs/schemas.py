"""Jobs as they are submitted and checked."""

from __future__ import annotations

from pydantic import BaseModel, Field

from diamond.service.composer.schemas import SpecRequest
from diamond.service.platform.http.schemas import Body, OrderData
from diamond.service.tasks.goal_schemas import Goal


class Signature(Body):
    """Of the order that `POST /jobs/check` answers, by a key of the submitter (docs/security.md)."""

    version: int = Field(default=1, ge=1, le=1000)
    """Of the signed statement."""
    digest: str = Field(max_length=80)
    """Of the order; any other order is rejected."""
    until: float = Field(ge=0, le=1e11)
    signature: str = Field(max_length=10_000)


class JobRequest(SpecRequest):
    project: str = Field(default="", max_length=64)
    """The name or id of the project that the job belongs to."""
    goal: Goal | None = None
    """The training goal: a plan is made for it, kept, and shown beside what happens."""
    signature: Signature | None = None
    """For endpoints that accept only signed specs."""


class Checked(BaseModel):
    order: OrderData
    endpoint: str
    warnings: list[str]
    notes: list[str] = []
    """What was chosen where the spec leaves it open, and why."""
    script: str | None = None
