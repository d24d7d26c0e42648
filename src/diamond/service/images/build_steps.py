"""The lines that a build reports (docs/internals/images.md), put together as its progress."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from diamond.core.decoding import decode
from diamond.core.errors import BadRequest
from diamond.service.images.schemas import BuildFailure, StepState
from diamond.service.platform.text import clean

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlannedStep:
    name: str
    title: str


@dataclass(frozen=True)
class BuildLine:
    """One line of a build; each event has some of these fields."""

    event: str
    identity: str = ""
    runtime: str = ""
    route: str = ""
    definition: str = ""
    steps: list[PlannedStep] = field(default_factory=list)
    step: str = ""
    at: float | None = None
    seconds: float | None = None
    exit_code: int | None = None
    log_from: int | None = None
    log_to: int | None = None
    cause: str = ""
    message: str = ""
    hint: str = ""
    last_lines: list[str] = field(default_factory=list)
    shell: list[str] = field(default_factory=list)
    reused: bool = False
    record: dict[str, Any] | None = None
    recipe: dict[str, Any] | None = None


@dataclass(frozen=True)
class StepProgress:
    name: str
    title: str
    state: StepState = "waiting"
    started: float | None = None
    seconds: float | None = None
    exit_code: int | None = None
    log_from: int | None = None
    log_to: int | None = None


@dataclass(frozen=True)
class BuildProgress:
    identity: str = ""
    runtime: str = ""
    route: str = ""
    definition: str = ""
    steps: tuple[StepProgress, ...] = ()
    failure: BuildFailure | None = None
    reused: bool = False

    def with_step(self, name: str, change: Callable[[StepProgress], StepProgress]) -> BuildProgress:
        steps = (change(step) if step.name == name else step for step in self.steps)
        return replace(self, steps=tuple(steps))


def read_steps(lines: Iterable[BuildLine]) -> BuildProgress:
    progress = BuildProgress()
    for line in lines:
        reader = _READERS.get(line.event)
        if reader is not None:
            progress = reader(progress, line)
    return progress


def parse_lines(data: bytes) -> list[BuildLine]:
    """Whole lines that can be read; the rest is skipped."""
    lines = []
    for text in data.splitlines():
        try:
            lines.append(decode(BuildLine, clean(json.loads(text))))
        except (ValueError, RecursionError):
            continue
        except BadRequest as error:
            log.info("a line of a build is left out: %s", error.message)
    return lines


def _plan(progress: BuildProgress, line: BuildLine) -> BuildProgress:
    return replace(
        progress,
        identity=line.identity,
        runtime=line.runtime,
        route=line.route,
        definition=line.definition,
        steps=tuple(StepProgress(step.name, step.title) for step in line.steps),
        failure=None,
    )


def _started(progress: BuildProgress, line: BuildLine) -> BuildProgress:
    return progress.with_step(
        line.step,
        lambda step: replace(step, state="running", started=line.at, log_from=line.log_from),
    )


def _cached(progress: BuildProgress, line: BuildLine) -> BuildProgress:
    return progress.with_step(
        line.step,
        lambda step: replace(
            step,
            state="cached",
            seconds=0.0,
            exit_code=0,
            log_from=line.log_from,
            log_to=line.log_to,
        ),
    )


def _ended(progress: BuildProgress, line: BuildLine) -> BuildProgress:
    return progress.with_step(
        line.step,
        lambda step: replace(
            step,
            state="failed" if line.exit_code else "done",
            seconds=line.seconds,
            exit_code=line.exit_code,
            log_from=line.log_from,
            log_to=line.log_to,
        ),
    )


def _failed(progress: BuildProgress, line: BuildLine) -> BuildProgress:
    failure = BuildFailure(
        step=line.step,
        exit_code=line.exit_code,
        cause=line.cause,
        message=line.message,
        hint=line.hint,
        last_lines=line.last_lines,
        shell=shlex.join(line.shell),
    )
    failed = progress.with_step(line.step, lambda step: replace(step, state="failed"))
    return replace(failed, failure=failure)


def _refused(progress: BuildProgress, line: BuildLine) -> BuildProgress:
    if progress.failure is not None:
        return progress
    failure = BuildFailure(
        step="", mend=line.step, cause="refused", message=line.message, hint=line.hint
    )
    return replace(progress, failure=failure)


def _image(progress: BuildProgress, line: BuildLine) -> BuildProgress:
    manifest = line.record or {}
    return replace(
        progress,
        reused=line.reused,
        identity=progress.identity or str(manifest.get("identity", "")),
        runtime=progress.runtime or str(manifest.get("runtime", "")),
    )


_READERS: dict[str, Callable[[BuildProgress, BuildLine], BuildProgress]] = {
    "plan": _plan,
    "started": _started,
    "cached": _cached,
    "ended": _ended,
    "failed": _failed,
    "refused": _refused,
    "image": _image,
}
