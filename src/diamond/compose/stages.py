"""The `pipeline:` block of a spec: its fields, its graph, and each stage as a spec of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from diamond.compose.allocation_spec import PLACED, with_shared
from diamond.compose.fields import Identifier, Printable, Scalar, StrictModel, Whole
from diamond.compose.raw_spec import RawSpec
from diamond.core.errors import InvalidSpec
from diamond.pipelines.graph import Axis, Graph, Output, Stage
from diamond.pipelines.references import read_reference

PIPELINE_FIELDS = ("pipeline", "on_failure", "together", "groups")
"""Fields of a spec that say something about the pipeline as a whole."""
TOGETHER = "together"
"""The group of the stages that name none, where the pipeline has `together:`."""
MERGED = ("params", "resources", "data", "options")
"""Fields that a stage adds to; others replace what stands beside `pipeline:`."""


def _relative(value: str) -> str:
    parts = [part for part in value.split("/") if part not in ("", ".")]
    if value.startswith(("/", "~", "$")) or ".." in parts or not parts:
        raise ValueError(
            f"{value!r} is not a path below the run directory; write for example: out/features"
        )
    return "/".join(parts)


RelativePath = Annotated[Printable, AfterValidator(_relative)]


class OutputSpec(StrictModel):
    path: RelativePath = Field(description="A file or folder below the run directory")
    kind: Literal["files", "model", "dataset", "value"] = Field(
        "files", description="value: a small JSON file whose content later stages get as a param"
    )
    format: Annotated[str, Field(pattern=r"^[a-z0-9._-]{0,32}$")] = ""
    dataset: Annotated[str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,62})?$")] = Field(
        "", description="The dataset of yours that gets it as a new version"
    )


class StageSpec(BaseModel):
    """What a stage has beside the fields of a spec; those are checked as a spec."""

    model_config = ConfigDict(extra="allow")

    needs: list[Identifier] = Field([], description="Stages that must succeed first")
    inputs: dict[Identifier, Printable] = Field(
        {}, description="By name an output, such as prepare.features; found as $DIAMOND_INPUTS/NAME"
    )
    outputs: dict[Identifier, RelativePath | OutputSpec] = Field(
        {}, description="By name a file or folder that it leaves in its run directory"
    )
    map: Identifier | dict[Identifier, Printable | list[Scalar]] | None = Field(
        None,
        description="One step for each value, for each item of an output, or for each step of a stage",
    )
    when: Printable = Field("", description='Run only if this holds: "{evaluate.score} > 0.9"')
    retries: Whole = Field(0, ge=0, le=10)
    cache: bool = Field(True, description="Use the outputs of an earlier step that did the same")
    files: list[Printable] = Field(
        [], description="The code that it uses, such as prepare.py or lib/; default: all files"
    )
    together: Identifier | Literal[False] | None = Field(
        None, description="A group whose allocation it runs in; false: a batch job of its own"
    )


STAGE_FIELDS = frozenset(StageSpec.model_fields)


def is_pipeline(raw: RawSpec) -> bool:
    return "pipeline" in raw


def require_job(raw: RawSpec) -> None:
    """Raises `InvalidSpec` for a pipeline where a job is expected."""
    if is_pipeline(raw):
        raise InvalidSpec(
            "This spec is a pipeline, not a job",
            "Submit it with `diamond run`, Client.run_pipeline or POST /pipelines.",
        )


def shared_fields(raw: RawSpec) -> RawSpec:
    """What all stages have in common."""
    return {name: value for name, value in raw.items() if name not in PIPELINE_FIELDS}


def group_fields(raw: RawSpec) -> dict[str, Any]:
    """Allocations by the name of their group, as they are written."""
    groups = raw.get("groups")
    named = dict(groups) if isinstance(groups, dict) else {}
    return {**({TOGETHER: raw[TOGETHER]} if raw.get(TOGETHER) else {}), **named}


def group_of(raw: RawSpec, stage: str) -> str:
    """The group whose allocation a stage runs in; empty: it is a batch job of its own."""
    own = raw["pipeline"][stage].get(TOGETHER)
    if own is None:
        return TOGETHER if raw.get(TOGETHER) else ""
    return str(own) if own else ""


def allocation_fields(raw: RawSpec, group: str) -> dict[str, Any]:
    given = group_fields(raw).get(group)
    return with_shared(given, shared_fields(raw)) if isinstance(given, dict) else {}


def stage_spec(raw: RawSpec, stage: str) -> RawSpec:
    """One stage as a spec of its own; references still stand in it."""
    shared = shared_fields(raw)
    own = {
        name: value for name, value in raw["pipeline"][stage].items() if name not in STAGE_FIELDS
    }
    merged = {
        name: {**shared[name], **own[name]}
        for name in MERGED
        if isinstance(shared.get(name), dict) and isinstance(own.get(name), dict)
    }
    spec = {**shared, **own, **merged, "name": f"{shared.get('name', 'pipeline')}.{stage}"}
    group = group_of(raw, stage)
    return _inside(spec, allocation_fields(raw, group)) if group else spec


def _inside(spec: RawSpec, allocation: Mapping[str, Any]) -> RawSpec:
    """It runs where its allocation is, at most as long; what it costs is the allocation's."""
    given = spec.get("resources")
    resources = given if given is None or isinstance(given, dict) else None
    rest = {name: value for name, value in spec.items() if name not in PLACED}
    placed = {
        name: value for name, value in allocation.items() if name in PLACED and name != "budget"
    }
    if resources is None and given is not None:
        return {**rest, **placed}
    walltime = {"walltime": allocation["walltime"]} if "walltime" in allocation else {}
    return {**rest, **placed, "resources": {**walltime, **(resources or {})}}


def graph_of(raw: RawSpec, stages: Mapping[str, StageSpec]) -> Graph:
    return Graph({name: _stage(raw, name, stage) for name, stage in stages.items()})


def _stage(raw: RawSpec, name: str, stage: StageSpec) -> Stage:
    spec = stage_spec(raw, name)
    given = stage.map
    return Stage(
        name=name,
        texts=_texts(spec),
        needs=tuple(stage.needs),
        inputs=dict(stage.inputs),
        outputs={key: _output(key, value) for key, value in stage.outputs.items()},
        axes=tuple(_axis(key, value) for key, value in given.items())
        if isinstance(given, dict)
        else (),
        each_of=given if isinstance(given, str) else "",
        when=stage.when,
        own_names=frozenset([*_names(spec, "params"), *_names(spec, "data")]),
    )


def _texts(spec: RawSpec) -> tuple[str, ...]:
    run = spec.get("run")
    words: Any = run if isinstance(run, list) else [run]
    return tuple(word for word in words if isinstance(word, str))


def _names(spec: RawSpec, part: str) -> list[str]:
    given = spec.get(part)
    return [str(name) for name in given] if isinstance(given, dict) else []


def _output(name: str, given: str | OutputSpec) -> Output:
    if isinstance(given, str):
        return Output(name, given)
    kind = "dataset" if given.dataset and given.kind == "files" else given.kind
    return Output(name, given.path, kind, given.format, given.dataset)


def _axis(name: str, given: str | list[Scalar]) -> Axis:
    if isinstance(given, list):
        return Axis(name, values=tuple(given))
    source = read_reference(given)
    return Axis(name, source=source) if source else Axis(name, values=(given,))
