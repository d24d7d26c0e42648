"""Rows of courses as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from diamond.compose.raw_spec import RawSpec
from diamond.core.code_facts import CodeFacts, code_facts_data, code_facts_from
from diamond.service.platform.database.rows import Codec, TypedRow


@dataclass(frozen=True)
class AssignmentRow(TypedRow):
    """Work that a course sets."""

    CODECS: ClassVar[Mapping[str, Codec]] = {"code": Codec(code_facts_from, code_facts_data)}

    id: str
    owner: str
    project: str
    name: str
    title: str
    text: str
    spec: RawSpec
    code: CodeFacts | None
    due: float | None
    created: float


@dataclass(frozen=True)
class CourseTaskRow(TypedRow):
    """A run in a course."""

    id: str
    owner: str
    job: str
    state: str
    reason: str
    message: str
    created: float
    ended: float | None
    assignment: str
