"""What may happen next in a pipeline, decided from the states of its steps alone. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from diamond.pipelines.graph import Graph


class StepState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    """It has a task that has not ended, or whose outputs are still being read."""
    DONE = "done"
    CACHED = "cached"
    """An earlier step did the same: its outputs are used."""
    SKIPPED = "skipped"
    """Its condition was false, or what it reads was skipped."""
    FAILED = "failed"
    STOPPED = "stopped"
    """It never ran, since something before it failed."""
    CANCELLED = "cancelled"


OPEN = frozenset({StepState.WAITING, StepState.RUNNING})
GOOD = frozenset({StepState.DONE, StepState.CACHED})
BAD = frozenset({StepState.FAILED, StepState.STOPPED, StepState.CANCELLED})


class Act(StrEnum):
    EXPAND = "expand"
    START = "start"
    SKIP = "skip"
    STOP = "stop"


@dataclass(frozen=True)
class Move:
    act: Act
    stage: str
    index: int = 0
    message: str = ""


Steps = Mapping[str, Mapping[int, StepState]]
"""By stage and index; a stage that has no steps yet is not there."""


class _Has(StrEnum):
    OPEN = "open"
    GOOD = "good"
    SKIPPED = "skipped"
    BAD = "bad"


def moves(graph: Graph, steps: Steps) -> list[Move]:
    """Everything that can be done now. Carry it out and ask again: a stopped stage stops those behind it."""
    return [move for name in graph.order for move in _of_stage(graph, name, steps)]


def is_over(graph: Graph, steps: Steps) -> bool:
    return all(
        steps.get(name) and not OPEN.intersection(steps[name].values()) for name in graph.stages
    )


def outcome(steps: Steps) -> StepState:
    """Of a pipeline that is over."""
    states = {state for some in steps.values() for state in some.values()}
    for state in (StepState.FAILED, StepState.CANCELLED):
        if state in states:
            return state
    return StepState.FAILED if StepState.STOPPED in states else StepState.DONE


def _of_stage(graph: Graph, name: str, steps: Steps) -> Iterator[Move]:
    if name not in steps:
        yield from _unexpanded(graph, name, steps)
        return
    for index, state in steps[name].items():
        if state is StepState.WAITING:
            has, parent = _standing(graph, name, index, steps)
            if has is not _Has.OPEN:
                yield _move(has, name, index, parent)


def _unexpanded(graph: Graph, name: str, steps: Steps) -> Iterator[Move]:
    """Its items come from an output, or from the steps of another stage."""
    stage = graph.stages[name]
    if stage.each_of:
        if stage.each_of in steps:
            yield Move(Act.EXPAND, name)
        return
    sources = dict.fromkeys(axis.source.stage for axis in stage.axes if axis.source)
    standing = [(_of_parent(steps.get(source)), source) for source in sources]
    has, parent = _worst(standing)
    if has is _Has.GOOD:
        yield Move(Act.EXPAND, name)
    elif has is not _Has.OPEN:
        yield _move(has, name, 0, parent)


def _standing(graph: Graph, name: str, index: int, steps: Steps) -> tuple[_Has, str]:
    each_of = graph.stages[name].each_of
    standing = []
    for parent in graph.parents(name):
        known = steps.get(parent)
        if parent == each_of and known is not None and index in known:
            known = {index: known[index]}
        has = _of_parent(known)
        if has is _Has.SKIPPED and not graph.is_read_by(parent, name):
            has = _Has.GOOD
        standing.append((has, parent))
    return _worst(standing)


def _of_parent(states: Mapping[int, StepState] | None) -> _Has:
    if states is None:
        return _Has.OPEN
    present = set(states.values())
    if present & BAD:
        return _Has.BAD
    if present & OPEN:
        return _Has.OPEN
    return _Has.GOOD if present & GOOD else _Has.SKIPPED


def _worst(standing: list[tuple[_Has, str]]) -> tuple[_Has, str]:
    for has in (_Has.BAD, _Has.OPEN, _Has.SKIPPED):
        for one, parent in standing:
            if one is has:
                return has, parent
    return _Has.GOOD, ""


def _move(has: _Has, name: str, index: int, parent: str) -> Move:
    if has is _Has.BAD:
        return Move(Act.STOP, name, index, f"{parent} did not succeed")
    if has is _Has.SKIPPED:
        return Move(Act.SKIP, name, index, f"{parent} was skipped")
    return Move(Act.START, name, index)
