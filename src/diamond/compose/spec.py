"""The spec: what a user asks for, as a `diamond.yaml`, a form or an SDK object."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, TypeAdapter, model_validator

from diamond.compose.allocation_spec import AllocationSpec
from diamond.compose.environment import ImageEnvironmentSpec
from diamond.compose.fields import (
    BudgetText,
    Command,
    FilePattern,
    Identifier,
    Megabytes,
    Minutes,
    Name,
    Nodes,
    Printable,
    Scalar,
    Seconds,
    SiteWord,
    StrictModel,
    TreeDigest,
    Whole,
)
from diamond.compose.stages import StageSpec
from diamond.compose.study import StudySpec
from diamond.core.order import MANY_ATTEMPTS, MOST_AHEAD

CONTINUE_CAUSES = ("exit-75", "wall-time", "preempted", "node-lost", "out-of-memory", "exit-code")


LaunchKind = Literal[
    "auto", "single", "torchrun", "per-rank", "mpi", "accelerate", "jax", "tensorflow"
]


class ResourcesSpec(StrictModel):
    nodes: Nodes = Field(1, description="A number, or auto: as many as probe runs recommend")
    gpus_per_node: Whole = Field(0, ge=0, le=64)
    gpu_type: SiteWord = ""
    cpus_per_task: Whole = Field(1, ge=1, le=4096)
    memory: Megabytes = Field(0, description="Per node, such as 4GB; default: the site's own")
    tasks_per_node: Whole = Field(
        0, ge=0, le=4096, description="Processes on each node; default: one per GPU, or one"
    )
    walltime: Minutes = Field(
        0, description="Such as 30m, 2h or 1d12h; default: 1h, or less if the site's limit is lower"
    )

    @property
    def node_count(self) -> int:
        """One for `auto`, until probes have decided."""
        return max(self.nodes, 1)


class ContinueSpec(StrictModel):
    on: list[
        Literal["exit-75", "wall-time", "preempted", "node-lost", "out-of-memory", "exit-code"]
    ] = ["exit-75"]
    from_: FilePattern = Field(
        "",
        alias="from",
        description="Checkpoints in the run directory, such as ckpt/*.pt; the newest is `{resume}` in `run`",
    )
    lead: Seconds = Field(
        0,
        description="How long before the time limit to stop; default: from the time that a save takes",
    )
    max_attempts: Whole = Field(MANY_ATTEMPTS, ge=1, le=1000)
    ahead: bool | Annotated[int, Field(ge=0, le=MOST_AHEAD)] | Literal["auto"] = Field(
        True,
        description="Queue the next attempt before this one ends, several where waits are long; a number sets the maximum",
    )


class LaunchSpec(StrictModel):
    kind: LaunchKind = "auto"
    hang: Seconds = Field(
        0,
        description="End the program after this long without a step; default: 20 times the longest gap",
    )


class DataSpec(StrictModel):
    """A version of a dataset, or a result of yours by its digest, with how it is on the machine."""

    dataset: Printable = Field(
        "",
        description="NAME, NAME@v2, NAME@sha256:…, OWNER/NAME for one that is shared with you, or model:NAME@v2",
    )
    tree: TreeDigest = Field("", description="Instead of a dataset: a result, as sha256:…")
    file: FilePattern = Field(
        "", description="With tree: the one file in it that the program reads"
    )
    layout: Literal["files", "archive"] | None = Field(
        None, description="Files, or one read-only archive; default: the dataset's own"
    )
    cache: Literal["node"] | None = Field(
        None,
        description="node: read from a copy on the node's own disk, made by the first task there",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.dataset) == bool(self.tree):
            raise ValueError("name either a dataset or a tree")
        if self.tree and (self.layout == "archive" or self.cache):
            raise ValueError("a tree is read as files, where it is")
        return self


class Spec(StrictModel):
    name: Name = "job"
    run: Command | None = Field(
        None,
        description="A line for bash, or a list of words. `{lr}` is the param lr; `{lr:--lr %}` is left out if that is empty, "
        "`{resume:--resume %}` if there is no checkpoint yet",
    )
    notebook: Printable = Field(
        "", description="Run this notebook instead of `run`; the result is saved as executed.ipynb"
    )
    params: dict[Identifier, Scalar | list[Scalar]] = {}
    code: Printable | None = None
    environment: Printable | ImageEnvironmentSpec | None = None
    data: dict[Identifier, Printable | DataSpec] = Field(
        {},
        description="By name: a path on the machine, a dataset such as era5@v2, or a model such as model:digits@v3",
    )
    secrets: list[Identifier] = []
    launch: LaunchKind | LaunchSpec = "auto"
    resources: ResourcesSpec = Field(default_factory=lambda: ResourcesSpec.model_validate({}))
    on: Printable | list[Printable] = "auto"
    partition: SiteWord = ""
    account: SiteWord = "auto"
    qos: SiteWord = ""
    reservation: SiteWord = ""
    constraint: SiteWord = ""
    continue_: ContinueSpec | None = Field(None, alias="continue")
    budget: BudgetText | None = Field(
        None, description="A limit such as 200 node-hours, or in the units that the site charges"
    )
    options: dict[Identifier, dict[Printable, Scalar]] = {}
    study: StudySpec | None = Field(
        None, description="Search the params: many trials of this spec instead of one run"
    )


def spec_schema() -> dict[str, Any]:
    """JSON Schema of a spec, for forms and editors. A pipeline has `pipeline:` instead of `run` and `notebook`."""
    schema = Spec.model_json_schema(by_alias=True)
    block = TypeAdapter(dict[Identifier, StageSpec]).json_schema(ref_template="#/$defs/{model}")
    schema["$defs"] |= block.pop("$defs")
    schema["$defs"]["AllocationSpec"] = AllocationSpec.model_json_schema()
    schema["properties"] |= {
        "pipeline": {**block, "description": "Stages by name; see docs/pipelines.md"},
        "on_failure": {"enum": ["continue", "stop"], "default": "continue"},
        "together": {
            "anyOf": [{"$ref": "#/$defs/AllocationSpec"}, {"const": False}],
            "default": False,
            "description": "Run the stages inside one allocation",
        },
        "groups": {
            "type": "object",
            "additionalProperties": {"$ref": "#/$defs/AllocationSpec"},
            "description": "Allocations by name, for stages with together: NAME",
        },
    }
    return schema
