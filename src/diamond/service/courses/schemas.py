"""Courses: rosters, assignments, and everyone's state."""

from __future__ import annotations

from pydantic import BaseModel, Field

from diamond.service.code.schemas import CodeFacts
from diamond.service.limits.schemas import Use
from diamond.service.platform.http.schemas import NAME_PATTERN, Body, SpecData
from diamond.service.projects.schemas import ONE_LINE


class RosterRequest(Body):
    csv: str = Field(max_length=1_000_000)
    """A line for each person, with a column of addresses; the first line may name the columns."""
    days: float = Field(default=30.0, gt=0, le=365)
    """How long the invitations are good."""


class RosterPerson(BaseModel):
    email: str
    id: str = ""
    name: str = ""


class RosterInvitation(BaseModel):
    email: str
    url: str
    """Shown this once; it works once, for that address."""


class RosterFault(BaseModel):
    line: int
    text: str
    message: str


class RosterTaken(BaseModel):
    added: list[RosterPerson]
    """They have accounts, and are now members."""
    known: list[RosterPerson]
    """They were members or invited already."""
    invited: list[RosterInvitation]
    faults: list[RosterFault]
    """Lines that were skipped."""


class AssignmentRequest(Body):
    name: str = Field(pattern=NAME_PATTERN)
    title: str = Field(default="", max_length=200, pattern=ONE_LINE)
    text: str = Field(default="", max_length=20_000)
    """The task, written for the students."""
    spec: SpecData
    code: CodeFacts | None = None
    due: float | None = Field(default=None, ge=0, le=1e11)


class Assignment(BaseModel):
    id: str
    name: str
    title: str
    text: str
    spec: SpecData
    code: CodeFacts | None
    due: float | None
    created: float


class AssignmentRun(Body):
    on: str = Field(default="", max_length=200)
    """Where it runs; empty: as the assignment says."""
    spec: SpecData | None = None
    """The student's own copy, if it was changed."""
    code: CodeFacts | None = None
    """The student's own, if it was changed; else the assignment's."""


class CourseCell(BaseModel):
    """The newest task of one person for one assignment."""

    assignment: str
    """Its name."""
    task: str
    job: str
    state: str
    reason: str
    message: str
    created: float
    ended: float | None
    tries: int
    is_late: bool


class CourseLine(BaseModel):
    id: str
    """Of the person; empty for one who is invited and has not signed in yet."""
    name: str
    email: str
    role: str
    use: Use
    cells: list[CourseCell]
    last_error: str
    """Of the newest task that failed, if none has succeeded since."""
    last_seen: float | None


class CourseTable(BaseModel):
    assignments: list[str]
    items: list[CourseLine]
