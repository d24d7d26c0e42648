"""Projects, their members, and what is shared."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from diamond.service.platform.http.schemas import NAME_PATTERN, Body

ProjectRole = Literal["viewer", "member", "manager"]
Holder = Literal["person", "project", "everyone"]
ONE_LINE = r"^[^\x00-\x1f\x7f]*$"


class ProjectRequest(Body):
    name: str = Field(pattern=NAME_PATTERN)
    title: str = Field(default="", max_length=200, pattern=ONE_LINE)


class ProjectChange(Body):
    title: str | None = Field(default=None, max_length=200, pattern=ONE_LINE)
    archived: bool | None = None
    """No new work; nothing is lost."""
    endpoints: list[str] | None = Field(default=None, max_length=1000)
    """Restricts it: work runs only on these (ids, or names of the caller's), and no code or file of it passes
    through the service's store. null lifts that."""


class Course(Body):
    """What makes a project a course. Its members see only their own work; its managers see all."""

    starts: float | None = Field(default=None, ge=0, le=1e11)
    ends: float | None = Field(default=None, ge=0, le=1e11)
    """Before `starts` and from `ends` on, members cannot start work."""
    account: str = Field(default="", max_length=200, pattern=ONE_LINE)
    reservation: str = Field(default="", max_length=200, pattern=ONE_LINE)
    """Both are set for all work in the course, whatever a spec says; empty: the spec decides."""


class Project(BaseModel):
    id: str
    name: str
    title: str
    owner: str
    created: float
    archived: float | None
    course: Course | None = None
    endpoints: list[str] | None = None
    """Ids of the endpoints that a restricted project may run on; null: any."""
    role: Literal["viewer", "member", "manager", "owner"]
    """The caller's role."""


class Member(BaseModel):
    id: str
    name: str
    email: str
    role: ProjectRole
    is_owner: bool


class ProjectPage(Project):
    members: list[Member]


class MemberRequest(Body):
    role: ProjectRole


class PersonRef(Body):
    user: str = Field(max_length=64)


class ProjectRef(Body):
    project: str = Field(default="", max_length=64)
    """Empty: no project."""


class ShareRequest(Body):
    with_kind: Holder
    with_id: str = Field(default="", max_length=64)
    """A person's id, a project's name or id; empty for everyone."""


class Share(BaseModel):
    with_kind: Holder
    with_id: str
    name: str
    """Of the person or project."""
    created: float


class SharedThing(BaseModel):
    kind: str
    thing: str
    """Its id."""
    task: str
    """The first task of a job."""
    name: str
    by: str
    """The name of the person who shares it."""
    created: float
