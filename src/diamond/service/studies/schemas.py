"""Studies as they are asked for and shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from diamond.compose.fields import BudgetText, Identifier, Scalar
from diamond.service.composer.schemas import SpecRequest
from diamond.service.platform.http.schemas import Body, SpecData

StudyState = Literal["running", "paused", "done", "cancelled"]
TrialWord = Literal["waiting", "running", "stopping", "paused", "complete", "pruned", "failed"]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Params = dict[Identifier, Scalar]
MOST_POINTS = 1000


class StudyRequest(SpecRequest):
    """As POST /jobs, with a `study:` block in the spec."""

    project: str = Field(default="", max_length=64)
    """The name or id of the project that the study belongs to."""


class TuneRequest(StudyRequest):
    """As POST /jobs, with what to measure. The spec has no `study:` block: it is made."""

    metric: str = Field(default="loss", min_length=1, max_length=200)
    """That may not fall behind; lower is better."""
    within: Annotated[float, Field(ge=0, le=10)] = 0.05
    """How much worse it may be than with the spec as written: 0.05 is 5 %."""
    trials: int = Field(default=20, ge=2, le=1000)
    steps: int = Field(default=30, ge=3, le=100_000)
    """Steps to measure in each trial, after the warm-up."""
    minutes: int = Field(default=10, ge=1, le=24 * 60)
    """The time limit of a trial."""
    batch_param: str = Field(default="", max_length=64)
    accumulate_param: str = Field(default="", max_length=64)


class StudyChange(Body):
    """What is left out stays."""

    trials: int | None = Field(default=None, ge=1, le=100_000)
    parallel: int | None = Field(default=None, ge=0, le=10_000)
    budget: BudgetText | None = None


class PointsRequest(Body):
    """Points to try next, as values of every dimension."""

    points: list[Params] = Field(min_length=1, max_length=MOST_POINTS)


class Registration(Body):
    model: str = Field(default="", max_length=100)
    """The name of the model; left out: the study's."""
    trial: int | None = Field(default=None, ge=0, le=2**31 - 1)
    """Left out: the best."""


class AskRequest(Body):
    count: int = Field(default=1, ge=1, le=MOST_POINTS)


class ToldTrial(Body):
    """The end of a point that was asked for."""

    number: int = Field(ge=0, le=2**31)
    values: list[Finite] = Field(default=[], max_length=5)
    """One for each objective; empty: it failed."""
    steps: list[tuple[Finite, Finite]] = Field(default=[], max_length=1000)
    """Intermediate values: resource and value."""
    pruned: bool = False
    message: str = Field(default="", max_length=1000)


class TellRequest(Body):
    trials: list[ToldTrial] = Field(min_length=1, max_length=MOST_POINTS)
    ask: int = Field(default=0, ge=0, le=MOST_POINTS)
    """Points to ask for with the same call."""


class DimensionView(BaseModel):
    name: str
    kind: Literal["float", "int", "choice"]
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float | None = None
    choices: list[Scalar] = []
    when: dict[str, list[Scalar]] = {}


class ImportedTrial(Body):
    """A trial of an Optuna study."""

    state: Literal["complete", "pruned", "failed"]
    params: Params
    space: list[DimensionView] = Field(default=[], max_length=200)
    values: list[Finite] = Field(default=[], max_length=5)
    steps: list[tuple[Finite, Finite]] = Field(default=[], max_length=1000)
    created: Finite | None = None
    ended: Finite | None = None


class PortableStudy(Body):
    name: str = Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$")
    objectives: dict[str, Literal["maximize", "minimize"]] = Field(min_length=1, max_length=5)
    space: list[DimensionView] = Field(default=[], max_length=200)
    trials: list[ImportedTrial] = Field(max_length=10_000)
    source: str = Field(default="", max_length=200)


class ObjectiveView(BaseModel):
    name: str
    direction: Literal["maximize", "minimize"]


class TrialCounts(BaseModel):
    waiting: int
    running: int
    stopping: int
    paused: int
    complete: int
    pruned: int
    failed: int


class PrunerView(BaseModel):
    name: str
    unit: str
    min: float
    max: float
    factor: int
    mode: str


class Trial(BaseModel):
    study: str
    number: int
    state: TrialWord
    params: Params
    values: list[float]
    """One for each objective, once it is complete; the mean over repeats."""
    spread: float | None
    """Standard deviation over repeats, of the first objective."""
    last: float | None
    """The newest value of the first objective."""
    reached: float | None
    """How far it has come, in the pruner's unit."""
    rungs: list[float]
    cause: str
    message: str
    origin: str
    endpoint: str
    task: str
    reruns: int
    node_hours: float
    created: float
    started: float | None
    ended: float | None


class TrialDetail(Trial):
    steps: list[tuple[float, float | None]]
    tasks: list[str]


class Study(BaseModel):
    id: str
    name: str
    owner: str
    project: str
    state: StudyState
    message: str
    objectives: list[ObjectiveView]
    value: Literal["best", "last"]
    space: list[DimensionView]
    sampler: str
    pruner: PrunerView
    trials: int
    """The most that are tried."""
    asked: int
    """Points so far: waiting + running + stopping + paused + complete + pruned + failed."""
    parallel: int
    pack: int | Literal["auto", "off"]
    """How many trials share an allocation."""
    tuned_metric: str
    """Of a study that tunes the throughput: what may not fall behind; empty: it is another study."""
    repeats: int
    seed: int
    budget: str
    on: list[str]
    counts: TrialCounts
    best: Trial | None
    front: list[Trial]
    """With several objectives: trials that no other one beats."""
    warnings: list[str]
    node_hours: float
    node_hours_saved: float
    """By pruning, against every pruned trial running as long as a complete one."""
    seconds_left: float | None
    """By the pace so far; null before a trial has ended."""
    created: float
    updated: float
    ended: float | None


class StudyDetail(Study):
    spec: SpecData


class Asked(BaseModel):
    """Points that somebody tries outside of Diamond."""

    trials: list[Trial]


class TrialColumns(BaseModel):
    """All trials of a study by column: small enough for 10,000 of them."""

    study: str
    version: int
    number: list[int]
    state: list[TrialWord]
    params: dict[str, list[Any]]
    values: list[list[float | None]]
    """One list for each objective."""
    last: list[float | None]
    reached: list[float | None]
    rung: list[int]
    """How many rungs each has passed."""
    node_hours: list[float]
    started: list[float | None]
    ended: list[float | None]
    endpoint: list[str]
    task: list[str]
    message: list[str]


class CurveLine(BaseModel):
    number: int
    state: TrialWord
    points: list[tuple[float, float | None]]


class TrialCurves(BaseModel):
    objective: str
    unit: str
    curves: list[CurveLine]
    left_out: int
    """Trials beyond those that are shown: the newest and the best are."""


class Importance(BaseModel):
    name: str
    share: float
    """Of the variation of the objective, from 0 to 1."""


class Importances(BaseModel):
    objective: str
    method: str
    trials: int
    """Complete ones, which it is based on."""
    items: list[Importance]
    message: str = ""
    """Why there are none."""


class TrialPage(BaseModel):
    items: list[Trial]
    next: str | None
