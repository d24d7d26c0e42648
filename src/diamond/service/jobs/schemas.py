"""Jobs, and the code that travels with them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from diamond.service.composer.schemas import SpecRequest
from diamond.service.platform.http.schemas import Body, OrderData
from diamond.service.tasks.goal_schemas import Goal


class Signature(Body):
    """Of the order that `POST /jobs/check` answers, by a key of the person's own (docs/security.md)."""

    version: int = Field(default=1, ge=1, le=1000)
    """Of the signed statement."""
    digest: str = Field(max_length=80)
    """Of the order; another one is refused."""
    until: float = Field(ge=0, le=1e11)
    signature: str = Field(max_length=10_000)


class JobRequest(SpecRequest):
    project: str = Field(default="", max_length=64)
    """The name or id of the project that the job belongs to."""
    goal: Goal | None = None
    """How much it is to train: a plan is made of it, kept, and shown beside what happens."""
    signature: Signature | None = None
    """For machines that take only signed specs."""


class Checked(BaseModel):
    order: OrderData
    endpoint: str
    warnings: list[str]
    script: str | None = None
