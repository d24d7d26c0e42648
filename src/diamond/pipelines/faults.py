"""Everything that is wrong with a graph of stages, all at once. Pure."""

from __future__ import annotations

import graphlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from diamond.core.errors import BadRequest
from diamond.pipelines.conditions import check_condition, names_in
from diamond.pipelines.graph import Graph, Output, Stage
from diamond.pipelines.items import MOST_STEPS, expand
from diamond.pipelines.references import Reference, read_reference

MOST_STAGES = 200


@dataclass(frozen=True)
class GraphFault:
    field: str
    """Below `pipeline.`."""
    message: str
    hint: str = ""
    near: tuple[str, tuple[str, ...]] | None = None
    """What was written, and the valid names."""


def faults_of(graph: Graph) -> list[GraphFault]:
    if not graph.stages:
        return [GraphFault("", "The pipeline has no stages", "Write at least one: NAME: {run: …}")]
    if len(graph.stages) > MOST_STAGES:
        count = len(graph.stages)
        hint = "Use map: for stages that do the same work on different items."
        return [GraphFault("", f"{count} stages are too many: the maximum is {MOST_STAGES}", hint)]
    found = [fault for stage in graph.stages.values() for fault in _of_stage(graph, stage)]
    return [*found, *_cycle(graph)]


def _of_stage(graph: Graph, stage: Stage) -> Iterator[GraphFault]:
    yield from _needs(graph, stage)
    for reference, where in _named(graph, stage):
        yield from _unknown(graph, reference, f"{stage.name}.{where}")
    yield from _inputs(stage)
    yield from _map(graph, stage)
    yield from _when(graph, stage)
    yield from _datasets(stage)
    yield from _overlaps(stage)
    yield from _names(graph, stage)


def _needs(graph: Graph, stage: Stage) -> Iterator[GraphFault]:
    for parent in stage.needs:
        if parent not in graph.stages:
            yield _no_stage(graph, parent, f"{stage.name}.needs")


def _named(graph: Graph, stage: Stage) -> Iterator[tuple[Reference, str]]:
    for reference in graph.command_reads(stage.name):
        in_inputs = [
            name for name, text in stage.inputs.items() if read_reference(text) == reference
        ]
        yield reference, f"inputs.{in_inputs[0]}" if in_inputs else "run"
    for axis in stage.axes:
        if axis.source:
            yield axis.source, f"map.{axis.name}"
    for name in names_in(stage.when):
        reference_in_when = read_reference(name)
        if reference_in_when:
            yield reference_in_when, "when"


def _unknown(graph: Graph, reference: Reference, where: str) -> Iterator[GraphFault]:
    stage = graph.stages.get(reference.stage)
    if stage is None:
        yield _no_stage(graph, reference.stage, where)
    elif reference.output not in stage.outputs:
        names = tuple(sorted(stage.outputs))
        hint = (
            f"Its outputs: {', '.join(names)}."
            if names
            else f"Declare it: outputs: {{{reference.output}: PATH}} in the stage {stage.name}."
        )
        message = f"The stage {stage.name} has no output {reference.output!r}"
        yield GraphFault(where, message, hint, (reference.output, names))


def _inputs(stage: Stage) -> Iterator[GraphFault]:
    for name, text in stage.inputs.items():
        if read_reference(text) is None:
            hint = f"Write a stage and its output, such as: {name}: prepare.features"
            yield GraphFault(f"{stage.name}.inputs.{name}", f"{text!r} names no output", hint)


def _map(graph: Graph, stage: Stage) -> Iterator[GraphFault]:
    where = f"{stage.name}.map"
    if stage.each_of:
        other = graph.stages.get(stage.each_of)
        if other is None:
            yield _no_stage(graph, stage.each_of, where)
        elif not other.is_mapped:
            hint = "Leave out map, or write the values: map: {seed: [1, 2, 3]}"
            yield GraphFault(where, f"The stage {other.name} has no map of its own", hint)
        return
    for axis in stage.axes:
        if axis.source is None and not axis.values:
            yield GraphFault(
                f"{where}.{axis.name}", "The list is empty", "Give at least one value."
            )
    try:
        expand([axis for axis in stage.axes if axis.source is None], {})
    except BadRequest as error:
        yield GraphFault(where, error.message, error.hint)


def _when(graph: Graph, stage: Stage) -> Iterator[GraphFault]:
    if not stage.when:
        return
    where = f"{stage.name}.when"
    try:
        check_condition(stage.when)
    except BadRequest as error:
        yield GraphFault(where, error.message, error.hint)
        return
    for name in names_in(stage.when):
        reference = read_reference(name)
        if reference is None:
            if name not in stage.own_names | stage.map_names:
                known = tuple(sorted(stage.own_names | stage.map_names))
                hint = f"Params: {', '.join(known) or 'none'}."
                yield GraphFault(where, f"There is no param {name!r}", hint, (name, known))
            continue
        output = _output(graph, reference)
        if output is not None and not output.is_value:
            hint = f"Declare it as a value: {output.name}: {{path: {output.path}, kind: value}}"
            yield GraphFault(where, f"{reference} is {output.kind}, not a value", hint)


def _output(graph: Graph, reference: Reference) -> Output | None:
    stage = graph.stages.get(reference.stage)
    return stage.outputs.get(reference.output) if stage else None


def _datasets(stage: Stage) -> Iterator[GraphFault]:
    """A version is one tree: the outputs of many steps are first brought together."""
    for output in stage.outputs.values():
        where = f"{stage.name}.outputs.{output.name}"
        if output.dataset and stage.is_mapped:
            hint = "Add a stage without map that reads all of them, and name the dataset there."
            message = f"{stage.name} has a map: each step would be a version of {output.dataset}"
            yield GraphFault(where, message, hint)
        if output.dataset and output.kind != "dataset":
            message = f"A {output.kind} cannot become a version of a dataset"
            yield GraphFault(where, message, "Leave out `kind`, or leave out `dataset`.")


def _overlaps(stage: Stage) -> Iterator[GraphFault]:
    outputs = sorted(stage.outputs.values(), key=lambda output: output.path)
    for n, output in enumerate(outputs):
        for other in outputs[n + 1 :]:
            if f"{other.path}/".startswith(f"{output.path}/"):
                message = f"{other.path!r} is in {output.path!r}, the output {output.name!r}"
                hint = "Give each output a path of its own."
                yield GraphFault(f"{stage.name}.outputs.{other.name}", message, hint)


def _names(graph: Graph, stage: Stage) -> Iterator[GraphFault]:
    """A reference becomes a name of the stage's own data or params: each must be there once."""
    taken = {
        **dict.fromkeys(stage.own_names, "a param or data"),
        **dict.fromkeys(stage.inputs, "an input"),
    }
    for name in stage.inputs:
        if name in stage.own_names:
            hint = "Use another name."
            yield GraphFault(
                f"{stage.name}.inputs.{name}", f"{name!r} is a param or data too", hint
            )
    for name in stage.map_names & stage.inputs.keys():
        yield GraphFault(
            f"{stage.name}.map.{name}", f"{name!r} is an input too", "Use another name."
        )
    taken |= dict.fromkeys(stage.map_names, "a param of map")
    bound: dict[str, Reference] = {}
    for reference in graph.text_reads(stage.name):
        name = reference.bound_name
        other = bound.setdefault(name, reference)
        if other != reference:
            taken[name] = f"what {other} becomes"
        if name in taken:
            message = f"{{{reference}}} becomes {name!r}, but that is {taken[name]}"
            yield GraphFault(stage.name, message, "Rename one of them.")


def _cycle(graph: Graph) -> list[GraphFault]:
    try:
        graph.order  # noqa: B018 -- raises
    except graphlib.CycleError as error:
        ring = list(reversed(error.args[1]))
        message = f"These stages wait for each other: {' → '.join(ring)}"
        return [GraphFault(ring[0], message, "Remove one of these references.")]
    return []


def _no_stage(graph: Graph, name: str, where: str) -> GraphFault:
    names: Collection[str] = graph.stages
    hint = f"Stages: {', '.join(names)}."
    return GraphFault(where, f"There is no stage {name!r}", hint, (name, tuple(names)))


__all__ = ["MOST_STAGES", "MOST_STEPS", "GraphFault", "faults_of"]
