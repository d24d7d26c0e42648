from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from diamond.service.platform.http.schemas import Body

VerdictLevel = Literal["identical", "within-tolerance", "different", "not-reproducible"]
ToleranceText = Annotated[str, StringConstraints(min_length=1, max_length=250)]


class ReproduceBody(Body):
    on: str = Field(default="", max_length=200)
    """An endpoint; left out: where it ran."""
    tolerance: list[ToleranceText] = Field(default=[], max_length=50)
    """How far metrics may differ: 0.01, 1%, or loss=0.01 for one. Left out: the spread of repeated runs, else not at all."""
    account: str = Field(default="", max_length=100)
    """Who pays there, if the machine has several accounts of the caller."""
    project: str = Field(default="", max_length=200)


class FileVerdict(BaseModel):
    path: str
    finding: Literal["identical", "differs", "missing", "new"]


class MetricVerdict(BaseModel):
    name: str
    first: float | None
    second: float | None
    difference: float | None
    allowed: float
    tolerance: str
    finding: Literal["equal", "within", "beyond", "missing", "not compared"]


class LikelyCause(BaseModel):
    kind: str
    """data, code, params, seed, image, library, launch, settings, hardware or nondeterminism."""
    text: str
    details: list[str] = []


class VerdictShown(BaseModel):
    level: VerdictLevel
    sentence: str
    files: list[FileVerdict] = []
    metrics: list[MetricVerdict] = []
    missing: list[str] = []
    causes: list[LikelyCause] = []
    """What differs between the records, the most telling first; empty for an identical result."""


class Reproduction(BaseModel):
    task: str
    """The second run."""
    original: str
    endpoint: str
    state: Literal["running", "judged"]
    tolerance: list[str]
    created: float
    judged: float | None
    verdict: VerdictShown | None


class Reproductions(BaseModel):
    items: list[Reproduction]
    """Of this task, newest first, as far as the caller may see them."""
    reproduces: Reproduction | None
    """If this task is itself a reproduction."""
