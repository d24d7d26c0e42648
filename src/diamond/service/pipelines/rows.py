"""Rows of pipelines as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from pydantic import JsonValue

from diamond.compose.raw_spec import RawSpec
from diamond.core.code_facts import CodeFacts, code_facts_data, code_facts_from
from diamond.pipelines.readiness import StepState
from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow, value_from

RUNNING, SUCCEEDED, FAILED, CANCELLED = "running", "succeeded", "failed", "cancelled"


@dataclass(frozen=True)
class StepOutput:
    """A tree, or a value."""

    tree: str = ""
    file: str = ""
    """The tree is this one file."""
    size: int = 0
    files: int = 0
    value: JsonValue = None
    dataset: str = ""
    """The version that it is now: `NAME@v2`."""


@dataclass(frozen=True)
class PipelineRow(TypedRow):
    CODECS: ClassVar[Mapping[str, Codec]] = {
        "code": Codec(code_facts_from, code_facts_data),
        "forced": Codec(tuple, list),
    }

    id: str
    owner: str
    project: str
    name: str
    spec: RawSpec
    code: CodeFacts | None
    spec_file: str
    """The path of the spec within the code: it counts for no stage."""
    forced: tuple[str, ...]
    """Stages that are run in any case."""
    pilots: dict[str, str]
    """The task of each group's pilot, while steps of the group may still come."""
    state: str
    message: str
    created: float
    updated: float
    ended: float | None
    version: int


def _outputs_from(stored: Mapping[str, Mapping[str, Any]]) -> dict[str, StepOutput]:
    return {name: value_from(StepOutput, output) for name, output in stored.items()}


def _outputs_data(outputs: Mapping[str, StepOutput]) -> JsonObject:
    return {name: asdict(output) for name, output in outputs.items()}


@dataclass(frozen=True)
class StepRow(TypedRow):
    """One execution of a stage."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "state": Codec(StepState, str),
        "outputs": Codec(_outputs_from, _outputs_data),
    }

    pipeline: str
    stage: str
    n: int
    owner: str
    state: StepState
    message: str
    item: JsonObject
    """The params that its map gives it."""
    task: str
    """Of a cached step: the task that made its outputs."""
    tries: int
    lost: int
    """How often its allocation ended while it ran there: no failure of its own."""
    key: str
    outputs: dict[str, StepOutput]
    started: float | None
    ended: float | None
