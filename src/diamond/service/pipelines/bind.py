"""References become data by digest and params by value: a step as an ordinary spec. No I/O."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from diamond.compose.pipeline_check import with_bound
from diamond.compose.raw_spec import RawSpec, params_of
from diamond.compose.stages import stage_spec
from diamond.core.artifacts import PREFIX
from diamond.pipelines.conditions import is_true, names_in
from diamond.pipelines.references import Reference, read_reference
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.rows import StepOutput, StepRow

_LABEL = re.compile(r"[A-Za-z0-9._-]{1,32}")


@dataclass(frozen=True)
class Bound:
    spec: RawSpec
    inputs: dict[str, str]
    """Digests by name."""
    parents: tuple[StepRow, ...]
    """The steps whose outputs it reads."""


def bind(board: Board, step: StepRow) -> Bound:
    graph = board.pipeline.graph
    stage = graph.stages[step.stage]
    names: dict[Reference, list[str]] = {}
    params: dict[str, JsonValue] = dict(step.item)
    data: dict[str, dict[str, str]] = {}
    parents: dict[tuple[str, int], StepRow] = {}
    wanted = [(reference.bound_name, reference) for reference in graph.text_reads(step.stage)]
    wanted += [(name, one) for name, text in stage.inputs.items() if (one := read_reference(text))]
    for name, reference in wanted:
        sources = board.steps_read(step, reference.stage)
        parents |= {(source.stage, source.n): source for source in sources}
        outputs = [source.outputs[reference.output] for source in sources]
        is_many = board.is_gathered(step.stage, reference)
        if board.output(reference).is_value:
            values = [output.value for output in outputs]
            params[name] = values if is_many else values[0]
            used = [name]
        else:
            used = [f"{name}_{n}" for n in range(len(outputs))] if is_many else [name]
            data |= {one: _tree(output) for one, output in zip(used, outputs, strict=True)}
        if is_many:
            params.setdefault(f"{reference.stage}_items", _labels(sources))
        if name == reference.bound_name:
            names[reference] = used
    spec = with_bound(
        stage_spec(board.pipeline.raw, step.stage), params=params, data=data, names_of=names.get
    )
    mapped = stage.is_mapped
    spec["name"] = f"{spec['name']} {label(step)}" if mapped else spec["name"]
    inputs = {name: one["tree"] for name, one in data.items()}
    return Bound(spec, inputs, tuple(parents.values()))


def should_run(board: Board, step: StepRow) -> bool:
    """Whether its condition holds. Raises `BadRequest` where it cannot be decided."""
    condition = board.pipeline.graph.stages[step.stage].when
    if not condition:
        return True
    spec = stage_spec(board.pipeline.raw, step.stage)
    known: dict[str, JsonValue] = {**params_of(spec), **step.item}
    for name in names_in(condition):
        reference = read_reference(name)
        if reference is not None:
            sources = board.steps_read(step, reference.stage)
            values = [source.outputs[reference.output].value for source in sources]
            known[name] = values if board.is_gathered(step.stage, reference) else values[0]
    return is_true(condition, known)


def label(step: StepRow) -> str:
    """A short name of a step among those of its stage: its item where that is a plain word."""
    words = "-".join(str(value) for value in step.item.values())
    return words if _LABEL.fullmatch(words) else str(step.n + 1)


def _tree(output: StepOutput) -> dict[str, str]:
    tree = {"tree": PREFIX + output.tree}
    return {**tree, "file": output.file} if output.file else tree


def _labels(steps: Sequence[StepRow]) -> list[JsonValue]:
    """In the order of the outputs: the value of a map over one param, else all of them in one text."""
    return [
        next(iter(step.item.values()))
        if len(step.item) == 1
        else ",".join(f"{name}={value}" for name, value in step.item.items())
        for step in steps
    ]
