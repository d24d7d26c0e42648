"""The stages of a pipeline and what each reads. Pure."""

from __future__ import annotations

import graphlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from diamond.pipelines.references import Reference, read_reference, references_in

OutputKind = Literal["files", "model", "dataset", "value"]
Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Output:
    """What a stage leaves below its run directory."""

    name: str
    path: str
    kind: OutputKind = "files"
    format: str = ""
    dataset: str = ""
    """It becomes a version of this dataset."""

    @property
    def is_value(self) -> bool:
        return self.kind == "value"


@dataclass(frozen=True)
class Axis:
    """One param of a map: its values, or the output whose items they are."""

    name: str
    values: tuple[Scalar, ...] = ()
    source: Reference | None = None


@dataclass(frozen=True)
class Stage:
    name: str
    texts: tuple[str, ...] = ()
    """The command's words: references stand here."""
    needs: tuple[str, ...] = ()
    """Stages that must succeed first, whether or not it reads from them."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Names with the outputs that they stand for, as written."""
    outputs: Mapping[str, Output] = field(default_factory=dict)
    axes: tuple[Axis, ...] = ()
    each_of: str = ""
    """One step for each step of this stage."""
    when: str = ""
    own_names: frozenset[str] = frozenset()
    """Its params and data: no reference may have one of these names."""

    @property
    def is_mapped(self) -> bool:
        return bool(self.axes or self.each_of)

    @property
    def map_names(self) -> frozenset[str]:
        return frozenset(axis.name for axis in self.axes)


@dataclass(frozen=True)
class Graph:
    stages: Mapping[str, Stage]

    def reads(self, name: str) -> list[Reference]:
        """Every output that a stage names, in its command, its inputs, its condition or its map."""
        return list(dict.fromkeys(self._each_read(self.stages[name])))

    def command_reads(self, name: str) -> list[Reference]:
        """Those that its task gets: in its command and its inputs."""
        return list(dict.fromkeys(self._command_reads(self.stages[name])))

    def text_reads(self, name: str) -> list[Reference]:
        """Those in its command."""
        texts = self.stages[name].texts
        found = [one for text in texts for one in references_in(text, self.stages)]
        return list(dict.fromkeys(found))

    def parents(self, name: str) -> list[str]:
        """Stages that must have ended before it."""
        stage = self.stages[name]
        each = [stage.each_of] if stage.each_of else []
        read = [reference.stage for reference in self.reads(name)]
        known = [parent for parent in (*each, *stage.needs, *read) if parent in self.stages]
        return list(dict.fromkeys(known))

    def is_read_by(self, parent: str, name: str) -> bool:
        """Whether it takes something from the parent, rather than only waiting for it."""
        reads = {reference.stage for reference in self.reads(name)}
        return parent in reads or self.stages[name].each_of == parent

    @cached_property
    def order(self) -> list[str]:
        """Each stage after its parents. Raises `graphlib.CycleError`."""
        parents = {name: self.parents(name) for name in self.stages}
        return list(graphlib.TopologicalSorter(parents).static_order())

    def with_descendants(self, names: Collection[str]) -> set[str]:
        """These, and every stage behind them."""
        found = set(names)
        for name in self.order:
            if found.intersection(self.parents(name)):
                found.add(name)
        return found

    def _each_read(self, stage: Stage) -> Iterator[Reference]:
        yield from self._command_reads(stage)
        yield from references_in(stage.when, self.stages)
        yield from (axis.source for axis in stage.axes if axis.source)

    def _command_reads(self, stage: Stage) -> Iterator[Reference]:
        yield from self.text_reads(stage.name)
        for text in stage.inputs.values():
            reference = read_reference(text)
            if reference:
                yield reference
