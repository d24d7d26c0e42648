"""Rows of projects as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar

from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow, value_from
from diamond.service.projects.schemas import ProjectRole


@dataclass(frozen=True)
class Course(TypedRow):
    """What a course sets for its members."""

    starts: float | None = None
    ends: float | None = None
    account: str = ""
    reservation: str = ""


def _read_course(stored: JsonObject | None) -> Course | None:
    return None if stored is None else value_from(Course, stored)


def _store_course(course: Course | None) -> JsonObject | None:
    return None if course is None else asdict(course)


COURSE = Codec(_read_course, _store_course)


def _read_endpoints(stored: list[str] | None) -> tuple[str, ...] | None:
    return None if stored is None else tuple(stored)


def _store_endpoints(endpoints: tuple[str, ...] | None) -> list[str] | None:
    return None if endpoints is None else list(endpoints)


ENDPOINTS = Codec(_read_endpoints, _store_endpoints)


@dataclass(frozen=True)
class ProjectRow(TypedRow):
    """People who see one another's work."""

    id: str
    owner: str
    name: str
    title: str
    created: float
    archived: float | None
    course: Course | None
    endpoints: tuple[str, ...] | None
    """Ids of those that a restricted project may run on; None: any."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"course": COURSE, "endpoints": ENDPOINTS}


@dataclass(frozen=True)
class MemberRow(TypedRow):
    """A person in a project."""

    project: str
    owner: str
    role: ProjectRole
    created: float
    name: str
    email: str


@dataclass(frozen=True)
class ShareRow(TypedRow):
    """A thing that is shared with a person, a project or everyone."""

    kind: str
    thing: str
    with_kind: str
    with_id: str
    owner: str
    created: float


@dataclass(frozen=True)
class NamedShareRow(ShareRow):
    """With the name of the person or project."""

    name: str


@dataclass(frozen=True)
class SharedJobRow(TypedRow):
    """A job of another person that is shared."""

    kind: str
    thing: str
    name: str
    by: str
    created: float
    task: str | None
