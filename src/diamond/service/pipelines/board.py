"""A pipeline with all its steps, as one transaction sees them. No I/O."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from diamond.compose.pipeline_check import Pipeline, read_pipeline
from diamond.pipelines.graph import Output
from diamond.pipelines.items import Item
from diamond.pipelines.readiness import GOOD, StepState
from diamond.pipelines.references import Reference
from diamond.service.pipelines.rows import PipelineRow, StepRow


@dataclass(frozen=True)
class Board:
    row: PipelineRow
    pipeline: Pipeline
    steps: dict[tuple[str, int], StepRow]

    @classmethod
    def of(cls, row: PipelineRow, steps: Iterable[StepRow]) -> Board:
        return cls(row, _read(row), {(step.stage, step.n): step for step in steps})

    @property
    def states(self) -> dict[str, dict[int, StepState]]:
        states: dict[str, dict[int, StepState]] = defaultdict(dict)
        for (stage, n), step in self.steps.items():
            states[stage][n] = step.state
        return dict(states)

    def steps_read(self, step: StepRow, parent: str) -> list[StepRow]:
        """The steps of another stage whose outputs a step gets."""
        if self.pipeline.graph.stages[step.stage].each_of == parent:
            own = self.steps.get((parent, step.n))
            return [own] if own else []
        return [
            other
            for (stage, _), other in sorted(self.steps.items())
            if stage == parent and other.state in GOOD
        ]

    def is_gathered(self, stage: str, reference: Reference) -> bool:
        """Whether the stage gets the output of every step of a mapped stage."""
        stages = self.pipeline.graph.stages
        return stages[reference.stage].is_mapped and stages[stage].each_of != reference.stage

    def output(self, reference: Reference) -> Output:
        return self.pipeline.graph.stages[reference.stage].outputs[reference.output]


MOST_READ = 64
_read_ones: dict[str, Pipeline] = {}
"""Specs of pipelines never change: each is read once, not at each look."""


def _read(row: PipelineRow) -> Pipeline:
    known = _read_ones.get(row.id)
    if known is None or known.raw != row.spec:
        if len(_read_ones) >= MOST_READ:
            _read_ones.clear()
        known = _read_ones[row.id] = read_pipeline(row.spec)
    return known


def new_step(
    row: PipelineRow,
    stage: str,
    n: int,
    item: Item,
    *,
    state: StepState = StepState.WAITING,
    message: str = "",
) -> StepRow:
    return StepRow(
        pipeline=row.id,
        stage=stage,
        n=n,
        owner=row.owner,
        state=state,
        message=message,
        item=item,
        task="",
        tries=0,
        lost=0,
        key="",
        outputs={},
        started=None,
        ended=None,
    )
