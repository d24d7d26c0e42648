"""The table of runs as the API shows it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from diamond.service.platform.http.schemas import Body

Cell = str | float | int | bool | None


class RunColumn(BaseModel):
    name: str
    kind: Literal["text", "number", "time", "seconds", "any"]


class RunRow(BaseModel):
    id: str
    """Of a task, or of an imported run."""
    source: str
    """`diamond`, `mlflow` or `wandb`."""
    values: list[Cell]
    """One for each column. null: the run has none, or its program logged NaN."""


class Spread(BaseModel):
    count: int
    mean: float
    spread: float | None
    """Standard deviation; null of one run."""
    min: float
    max: float


class RunGroup(BaseModel):
    by: list[Cell]
    """One for each column that was grouped by."""
    count: int
    runs: list[str]
    """The ids of the first 50."""
    columns: list[Spread | None]
    """One for each column; null where no run of the group has a number."""


class RunTable(BaseModel):
    columns: list[RunColumn]
    rows: list[RunRow]
    groups: list[RunGroup]
    """The first 1000."""
    group_count: int
    """How many groups there are."""
    total: int
    """How many runs match."""
    looked_at: int
    """How many of the newest runs were looked at."""
    is_complete: bool
    """Whether these are all that there are."""
    next: str | None
    """The `cursor` of the next rows."""


class ColumnNames(BaseModel):
    """What the newest runs have, to choose columns from."""

    own: list[RunColumn]
    """Every run has these."""
    params: list[str]
    metrics: list[str]
    data: list[str]
    tags: list[str]


class ComparedRun(BaseModel):
    id: str
    source: str
    name: str
    endpoint: str
    """Of an imported run: its experiment."""
    state: str
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    created: float
    duration: float | None
    """Seconds."""
    node_hours: float | None = None
    attempts: int | None = None
    node: str = ""
    has_code: bool = False
    """`GET /tasks/{task}/diff?against=` compares it with another task's code."""


class ComparedRow(BaseModel):
    name: str
    values: list[Cell]
    """One for each run; null where it has none."""
    differs: bool


PartName = Literal[
    "params", "data", "code", "image", "packages", "resources", "metrics", "best", "ending"
]


class Part(BaseModel):
    name: PartName
    rows: list[ComparedRow]
    """Of packages only those that differ."""


class Comparison(BaseModel):
    runs: list[ComparedRun]
    parts: list[Part]


ImportSource = Literal["mlflow", "wandb"]
ImportState = Literal["running", "succeeded", "failed", "cancelled"]
Text = Annotated[str, StringConstraints(max_length=250)]
LongText = Annotated[str, StringConstraints(max_length=4000)]
Number = Annotated[float, Field(allow_inf_nan=False)]
ImportPoint = tuple[Number | None, Number | None, Number | None]


class ImportedRunBody(Body):
    """One run of another tool."""

    source: ImportSource
    key: Text = Field(min_length=1)
    """Its id there. Importing it again replaces it."""
    name: Text
    experiment: Text = ""
    state: ImportState
    created: Number
    started: Number | None = None
    ended: Number | None = None
    params: dict[Text, LongText | Number | bool | None] = Field(default={}, max_length=2000)
    data: dict[Text, Text] = Field(default={}, max_length=100)
    tags: list[Text] = Field(default=[], max_length=100)
    commit: Text = ""
    curves: dict[Text, list[ImportPoint]] = Field(default={}, max_length=500)
    """Points `[step, time, value]` of each metric, in the order they were logged."""
    project: str = Field(default="", max_length=200)
    """Its members see the run too."""


class ImportedRun(BaseModel):
    id: str
    source: ImportSource
    key: str
    name: str
    experiment: str
    state: str
    created: float
    started: float | None
    ended: float | None
    imported: float
    params: dict[str, Cell]
    data: dict[str, str]
    tags: list[str]
    is_new: bool = True
    """False: the same was imported before, and nothing changed."""


class ImportedCurve(BaseModel):
    name: str
    points: list[tuple[float | None, float | None, float | None]]


class ImportedCurves(BaseModel):
    items: list[ImportedCurve]
