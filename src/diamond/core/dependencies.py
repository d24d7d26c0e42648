"""What a task waits for before it may start, and what follows when one of these things is there or fails. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Iterable, Sequence, Tuple

from diamond.core.task import Phase


class DependencyKind(str, Enum):
    BUILD = "build"
    """Of its image; the id names the build's task."""
    TRANSFER = "transfer"
    """Of its image or data to the machine."""
    PROBE = "probe"
    """Short runs that find its number of nodes."""
    TASK = "task"
    """Another task that must succeed first."""


class DependencyState(str, Enum):
    WAITING = "waiting"
    MET = "met"
    FAILED = "failed"


@dataclass(frozen=True)
class Dependency:
    """One thing that a task waits for."""

    kind: DependencyKind
    id: str
    state: DependencyState = DependencyState.WAITING
    message: str = ""
    """Why it waits for this; once it has failed, why."""

    @property
    def is_open(self) -> bool:
        return self.state is DependencyState.WAITING


class Decision(str, Enum):
    """What follows for the task."""

    WAIT = "wait"
    SUBMIT = "submit"
    FAIL = "fail"


@dataclass(frozen=True)
class Outcome:
    dependencies: Tuple[Dependency, ...]
    decision: Decision
    message: str = ""
    """Why it still waits, or why it fails."""


_PHASES = {
    DependencyKind.BUILD: Phase.BUILDING,
    DependencyKind.TRANSFER: Phase.STAGING,
    DependencyKind.PROBE: Phase.PROBING,
    DependencyKind.TASK: Phase.HELD,
}


def is_ready(dependencies: Iterable[Dependency]) -> bool:
    """Whether a task with these may be submitted."""
    return all(dependency.state is DependencyState.MET for dependency in dependencies)


def meet(dependencies: Sequence[Dependency], target: str) -> Outcome:
    """One of them is there: the task is submitted when it was the last."""
    return _decided(_with(dependencies, target, DependencyState.MET, ""))


def fail(dependencies: Sequence[Dependency], target: str, message: str) -> Outcome:
    """One of them will never be there: the task fails, whatever else it waits for."""
    return _decided(_with(dependencies, target, DependencyState.FAILED, message))


def waiting_phase(dependencies: Iterable[Dependency]) -> Phase:
    """By the first that is open; none for a task that waits for nothing."""
    return next(
        (_PHASES[dependency.kind] for dependency in dependencies if dependency.is_open), Phase.NONE
    )


def waiting_message(dependencies: Iterable[Dependency]) -> str:
    return "; ".join(
        dependency.message
        for dependency in dependencies
        if dependency.is_open and dependency.message
    )


def _with(
    dependencies: Sequence[Dependency], target: str, state: DependencyState, message: str
) -> Tuple[Dependency, ...]:
    """What has been met or has failed stays so."""
    return tuple(
        replace(dependency, state=state, message=message or dependency.message)
        if dependency.id == target and dependency.is_open
        else dependency
        for dependency in dependencies
    )


def _decided(dependencies: Tuple[Dependency, ...]) -> Outcome:
    failed = [
        dependency for dependency in dependencies if dependency.state is DependencyState.FAILED
    ]
    if failed:
        return Outcome(dependencies, Decision.FAIL, failed[0].message)
    if is_ready(dependencies):
        return Outcome(dependencies, Decision.SUBMIT)
    return Outcome(dependencies, Decision.WAIT, waiting_message(dependencies))
