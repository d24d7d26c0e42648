"""Reads a spec with a `pipeline:` block, and finds everything that is wrong with it before anything is submitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from diamond.compose.allocation_spec import PLACED, AllocationSpec
from diamond.compose.allocations import Allocation
from diamond.compose.encoding import without_invalid_text
from diamond.compose.faults import Faults, from_validation, invalid
from diamond.compose.fields import NAME_WORDS
from diamond.compose.groups import read_groups, stage_misfits, where_is
from diamond.compose.parameters import unused_param
from diamond.compose.raw_spec import RawSpec, has_auto_nodes, runs_something
from diamond.compose.spec import Spec
from diamond.compose.stages import (
    PIPELINE_FIELDS,
    STAGE_FIELDS,
    StageSpec,
    graph_of,
    group_of,
    shared_fields,
    stage_spec,
)
from diamond.core.errors import InvalidSpec
from diamond.core.ids import IDENTIFIER
from diamond.pipelines.faults import faults_of
from diamond.pipelines.graph import Graph, Stage
from diamond.pipelines.references import NamesOf, rename_references, rename_words

ON_FAILURE = ("continue", "stop")
TRIAL_VALUE = "x"
"""Stands for what is known only when earlier stages have run."""
LONGEST_NAME = 60
"""Of a pipeline: names of its tasks add the stage and an item."""
Compose = Callable[[RawSpec], Any]


@dataclass(frozen=True)
class Pipeline:
    """A pipeline as it was written, read and without faults of its own."""

    raw: RawSpec
    stages: Mapping[str, StageSpec]
    graph: Graph
    stops_on_failure: bool = False
    groups: Mapping[str, AllocationSpec] = field(default_factory=dict)
    """Allocations that stages share."""

    def group_of(self, stage: str) -> str:
        """Empty for a stage that is a batch job of its own."""
        return group_of(self.raw, stage)

    @property
    def name(self) -> str:
        return str(self.raw.get("name") or "pipeline")


def read_pipeline(raw: RawSpec) -> Pipeline:
    """Raises `InvalidSpec` with all faults of the block. Stages are not composed yet."""
    pipeline, faults = examine_pipeline(raw)
    faults.raise_if_any()
    assert pipeline is not None
    return pipeline


def examine_pipeline(raw: RawSpec) -> tuple[Pipeline | None, Faults]:
    """The pipeline as far as it can be read, and what is wrong with it."""
    faults = Faults()
    raw = without_invalid_text(raw, faults)
    _check_whole(raw, faults)
    block = raw.get("pipeline")
    if not isinstance(block, dict):
        hint = "Write stages by name, such as: pipeline: {prepare: {run: python prepare.py}}"
        faults.add("pipeline", "This is not a mapping of stages", hint)
        return None, faults
    stages = {str(name): _read_stage(str(name), one, faults) for name, one in block.items()}
    if any(stage is None for stage in stages.values()):
        return None, faults
    known = {name: stage for name, stage in stages.items() if stage is not None}
    groups = read_groups(raw, list(known), faults)
    graph = graph_of(raw, known)
    pipeline = Pipeline(raw, known, graph, raw.get("on_failure") == "stop", groups)
    for fault in faults_of(pipeline.graph):
        where = ".".join(part for part in ("pipeline", fault.field) if part)
        faults.add(where, fault.message, fault.hint, near=fault.near)
    return pipeline, faults


def pipeline_faults(raw: RawSpec) -> list[dict[str, str]]:
    """What is wrong with the text of a pipeline, whatever endpoints there are."""
    pipeline, faults = examine_pipeline(raw)
    if pipeline is None:
        return faults.items
    try:
        check_stages(pipeline, lambda name: _fields_only, faults)
    except InvalidSpec as error:
        return error.faults
    return []


def check_stages(
    pipeline: Pipeline,
    compose_for: Callable[[str], Compose],
    faults: Faults,
    allocations: Mapping[str, Allocation] | None = None,
) -> list[str]:
    """Compose every stage as it would run; raises `InvalidSpec` with `faults` and those of all. Gives their warnings.

    `allocations`: of the groups that could be composed.
    """
    items = list(faults.items)
    warnings: list[str] = []
    for name in pipeline.stages:
        allocation = (allocations or {}).get(pipeline.group_of(name))
        try:
            composed = compose_for(name)(trial_spec(pipeline, name))
            known = tuple(map(unused_param, _named_elsewhere(pipeline, name)))
            warnings += [f"{name}: {one}" for one in composed.warnings if one not in known]
            if allocation is not None:
                items += stage_misfits(name, composed, allocation)
        except InvalidSpec as error:
            items += _below_stage(pipeline, name, error.faults or [_whole(error)])
    if items:
        raise invalid(list({(item["field"], item["message"]): item for item in items}.values()))
    return warnings


def _named_elsewhere(pipeline: Pipeline, name: str) -> list[str]:
    """Params beside `pipeline:` that this stage does not name, but another does."""
    shared = pipeline.raw.get("params")
    own = pipeline.raw["pipeline"][name].get("params")
    texts = [text for stage in pipeline.graph.stages.values() for text in stage.texts]
    return [
        param
        for param in (shared if isinstance(shared, dict) else {})
        if param not in (own if isinstance(own, dict) else {})
        and any(f"{{{param}}}" in text for text in texts)
    ]


def trial_spec(pipeline: Pipeline, name: str) -> RawSpec:
    """A stage with something in place of what is not known yet: enough to find its faults."""
    stage = pipeline.graph.stages[name]
    trial = {
        axis.name: next(iter(axis.values), TRIAL_VALUE) for axis in inherited_axes(pipeline, stage)
    }
    given = dict.fromkeys(stage.inputs, TRIAL_VALUE)
    for reference in pipeline.graph.command_reads(name):
        source = pipeline.graph.stages.get(reference.stage)
        if source and source.is_mapped and stage.each_of != source.name:
            given[f"{source.name}_items"] = TRIAL_VALUE
    spec = stage_spec(pipeline.raw, name)
    run = str(spec.get("run", ""))
    # A command need not name its inputs: a program finds them in $DIAMOND_INPUTS.
    trial |= {each: value for each, value in given.items() if f"{{{each}" in run}
    trial |= {reference.bound_name: TRIAL_VALUE for reference in pipeline.graph.text_reads(name)}
    return with_bound(
        spec,
        params=trial,
        names_of=lambda reference: (
            [reference.bound_name] if reference.stage in pipeline.stages else None
        ),
    )


def with_bound(
    spec: RawSpec,
    *,
    params: Mapping[str, Any],
    data: Mapping[str, Any] | None = None,
    names_of: NamesOf,
) -> RawSpec:
    """With params and data added, and `{prepare.features}` under the names that it has there."""
    run = spec.get("run")
    bound = dict(spec)
    if isinstance(run, str):
        bound["run"] = rename_references(run, names_of)
    elif isinstance(run, list) and all(isinstance(word, str) for word in run):
        bound["run"] = rename_words(run, names_of)
    for name, more in (("params", params), ("data", data or {})):
        given = spec.get(name)
        if more and (given is None or isinstance(given, dict)):
            bound[name] = {**(given or {}), **more}
    return bound


def inherited_axes(pipeline: Pipeline, stage: Stage) -> list[Any]:
    """The axes of its map; of `map: STAGE`, those of that stage."""
    seen: set[str] = set()
    while stage.each_of and stage.each_of in pipeline.graph.stages and stage.name not in seen:
        seen.add(stage.name)
        stage = pipeline.graph.stages[stage.each_of]
    return list(stage.axes)


def _check_whole(raw: RawSpec, faults: Faults) -> None:
    """What stands beside the stages."""
    for name in ("run", "notebook"):
        if name in raw:
            faults.add(
                name,
                f"A pipeline has no {name} of its own",
                f"Move it into a stage: pipeline: {{NAME: {{{name}: …}}}}",
            )
    if raw.get("on_failure", "continue") not in ON_FAILURE:
        hint = "continue runs what does not depend on the failed stage; stop ends everything."
        faults.add("on_failure", f"{raw['on_failure']!r} is neither continue nor stop", hint)
    name = raw.get("name", "pipeline")
    if isinstance(name, str) and len(name) > LONGEST_NAME:
        faults.add(
            "name", f"A pipeline's name has at most {LONGEST_NAME} characters", f"Use {NAME_WORDS}."
        )


def _read_stage(name: str, given: Any, faults: Faults) -> StageSpec | None:
    below = ("pipeline", name)
    where = ".".join(below)
    if not IDENTIFIER.fullmatch(name):
        faults.add(
            where,
            f"{name!r} is not a name of a stage",
            "Use letters, digits and _, and do not start with a digit.",
        )
        return None
    if not isinstance(given, dict):
        faults.add(
            where, "A stage is a mapping of fields", f"Write: {name}: {{run: python {name}.py}}"
        )
        return None
    nested = [field for field in PIPELINE_FIELDS if field in given and field not in STAGE_FIELDS]
    if nested or "name" in given or "code" in given:
        field = [*nested, *(one for one in ("name", "code") if one in given)][0]
        faults.add(
            f"{where}.{field}",
            f"A stage has no {field} of its own",
            f"Write {field} beside pipeline:.",
        )
        return None
    if not runs_something(given):
        faults.add(
            where, "The stage runs nothing", f"Add a command: run: python {name}.py, or a notebook."
        )
    if has_auto_nodes(given):
        faults.add(
            f"{where}.resources.nodes", "A stage cannot find its own node count", "Write a number."
        )
    own = {key: value for key, value in given.items() if key in STAGE_FIELDS}
    try:
        return StageSpec.model_validate(own)
    except ValidationError as error:
        faults.items += from_validation(error, below)
        return None


def _below_stage(
    pipeline: Pipeline, name: str, items: list[dict[str, str]]
) -> list[dict[str, str]]:
    """A fault in what all stages share, or in their allocation, is named there, and so only once."""
    own, shared = pipeline.raw["pipeline"][name], shared_fields(pipeline.raw)
    placed = []
    for item in items:
        top = item["field"].split(".")[0]
        is_shared = top in shared and top not in own
        field = item["field"] if is_shared else f"pipeline.{name}.{item['field']}"
        if _is_of_group(pipeline, name, item["field"]):
            group = where_is(pipeline.group_of(name))
            field = f"{group}.{item['field'].removeprefix('resources.')}"
        hint = item["hint"]
        if item["message"].startswith("Unknown field") and not is_shared:
            hint = f"{hint}, {', '.join(sorted(STAGE_FIELDS))}"
        placed.append({**item, "field": field, "hint": hint})
    return placed


def _is_of_group(pipeline: Pipeline, name: str, field: str) -> bool:
    """Whether a stage has this from the allocation that it runs in."""
    if not pipeline.group_of(name):
        return False
    if field != "resources.walltime":
        return field.split(".")[0] in PLACED
    written = [part.get("resources") for part in (pipeline.raw, pipeline.raw["pipeline"][name])]
    return not any(isinstance(part, dict) and "walltime" in part for part in written)


@dataclass(frozen=True)
class _Read:
    warnings: tuple[str, ...] = ()


def _fields_only(spec: RawSpec) -> _Read:
    try:
        Spec.model_validate(spec)
    except ValidationError as error:
        raise invalid(from_validation(error)) from None
    return _Read()


def _whole(error: InvalidSpec) -> dict[str, str]:
    return {"field": "run", "message": error.message, "hint": error.hint}
