"""Limits, usage and announcements."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from diamond.service.platform.http.schemas import Body
from diamond.service.sign_in.schemas import IdentityShown, User

UsageBy = Literal["person", "project"]
Level = Literal["info", "warning"]


class Limits(Body):
    """PUT replaces all three; null means unlimited."""

    node_hours: float | None = Field(default=None, ge=0, le=1e12)
    """In all: what is used, and what tasks that have not ended may still take."""
    running_tasks: int | None = Field(default=None, ge=0, le=1_000_000)
    """Tasks that have not ended, those that wait too."""
    storage_bytes: int | None = Field(default=None, ge=0, le=1 << 62)
    """Of run directories on the machines, as last measured."""


class ProjectLimits(BaseModel):
    total: Limits
    """Of all members together; set by administrators."""
    each: Limits
    """Of each member in this project; set by its managers."""


class Use(BaseModel):
    tasks: int
    running_tasks: int
    node_hours: float
    node_hours_committed: float
    storage_bytes: int


class UsageLine(BaseModel):
    id: str
    name: str
    email: str = ""
    use: Use
    limits: Limits


class ProjectPart(BaseModel):
    id: str
    name: str
    use: Use
    limits: Limits
    """Of each member in it."""


class MyUsage(BaseModel):
    use: Use
    limits: Limits
    projects: list[ProjectPart]
    """What the person used in each of their projects."""


class ProjectUsage(BaseModel):
    use: Use
    limits: Limits
    items: list[UsageLine]
    """By person."""


class RoleInProject(BaseModel):
    id: str
    name: str
    role: Literal["viewer", "member", "manager", "owner"]


class UserPage(User):
    """One person, for administrators."""

    use: Use
    limits: Limits
    own_limits: bool
    """Whether these limits are the person's own, not the defaults."""
    projects: list[RoleInProject]
    identities: list[IdentityShown]
    sessions: int
    tokens: int
    endpoints: int


class AnnouncementRequest(Body):
    text: str = Field(min_length=1, max_length=2000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]+$")
    level: Level = "info"
    starts: float | None = Field(default=None, ge=0, le=1e11)
    """Left out: now."""
    ends: float | None = Field(default=None, ge=0, le=1e11)
    """Left out: until it is removed."""


class Announcement(BaseModel):
    id: str
    text: str
    level: Level
    starts: float | None
    ends: float | None
    created: float
    by: str
    """The administrator's name."""
