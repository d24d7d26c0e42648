"""How far a training is, and how long the rest takes: from the steps or epochs it logged and the number it was started with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from diamond.planning.step_times import Point

Unit = Literal["step", "epoch"]
STEPS = frozenset(
    [
        "steps",
        "max_steps",
        "num_steps",
        "total_steps",
        "train_steps",
        "training_steps",
        "num_train_steps",
        "max_train_steps",
        "num_training_steps",
        "max_updates",
        "total_updates",
        "iters",
        "max_iters",
        "num_iters",
        "total_iters",
        "iterations",
        "max_iterations",
        "num_iterations",
        "total_iterations",
        "timesteps",
        "n_timesteps",
        "total_timesteps",
    ]
)
EPOCHS = frozenset(
    [
        "epochs",
        "max_epochs",
        "num_epochs",
        "n_epochs",
        "total_epochs",
        "train_epochs",
        "num_train_epochs",
        "training_epochs",
    ]
)
NAMES: tuple[tuple[Unit, frozenset[str]], ...] = (("step", STEPS), ("epoch", EPOCHS))
EPOCH_METRICS = ("epoch", "epochs", "train/epoch", "trainer/epoch")
_WORD = re.compile(r"-{0,2}([A-Za-z][\w.-]*)(?:=(\S+))?")


@dataclass(frozen=True)
class Target:
    unit: Unit
    total: float


@dataclass(frozen=True)
class Reading:
    """What a task logged: (step, time), and (epoch, time) where it logs epochs. Oldest first, the newest points only."""

    steps: Sequence[Point] = ()
    epochs: Sequence[Point] = ()
    counts_from_zero: bool = False
    """Its first step was 0."""


@dataclass(frozen=True)
class Progress:
    unit: Unit
    done: float
    total: float | None = None
    seconds_left: float | None = None
    """None: not known, or it has ended."""

    @property
    def fraction(self) -> float | None:
        return min(1.0, self.done / self.total) if self.total else None


def target_of(params: Mapping[str, object], arguments: Sequence[str] = ()) -> Target | None:
    """The number of steps or epochs that a job's parameters name, else the words of its command."""
    return _named(dict(params)) or _named(_options(arguments))


def measure_progress(
    target: Target | None, reading: Reading, *, now: float | None
) -> Progress | None:
    """`now` is None of a task that has ended. None if it has logged no step."""
    if not reading.steps:
        return None
    unit, points = _counted(target, reading)
    total = target.total if target is not None and target.unit == unit else None
    if target is not None and total is None and _steps_are_epochs(target, reading):
        unit, total = "epoch", target.total
    done = points[-1][0] + (1 if reading.counts_from_zero and points is reading.steps else 0)
    done = min(done, total) if total else done
    left = None if total is None or now is None else _seconds_left(points, total - done, now)
    return Progress(unit, done, total, left)


def _named(numbers: Mapping[str, object]) -> Target | None:
    for unit, names in NAMES:
        for name, value in numbers.items():
            number = _positive(value)
            if number is not None and _plain(name) in names:
                return Target(unit, number)
    return None


def _plain(name: str) -> str:
    """`--trainer.max-steps` is `max_steps`."""
    return name.lstrip("-").rsplit(".", 1)[-1].replace("-", "_").lower()


def _options(arguments: Sequence[str]) -> dict[str, object]:
    """`--steps 100`, `--steps=100` and `trainer.steps=100`; the last of a name counts."""
    options: dict[str, object] = {}
    for word, following in pairwise([*arguments, ""]):
        match = _WORD.fullmatch(word)
        if match is None:
            continue
        name, value = match.groups()
        if value is not None:
            options[name] = value
        elif word.startswith("-"):
            options[name] = following
    return options


def _positive(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(str(value).replace("_", ""))
    except ValueError:
        return None
    return number if 0 < number < float("inf") else None


def _counted(target: Target | None, reading: Reading) -> tuple[Unit, Sequence[Point]]:
    if target is not None and target.unit == "epoch" and reading.epochs:
        return "epoch", reading.epochs
    return "step", reading.steps


def _steps_are_epochs(target: Target, reading: Reading) -> bool:
    """A program that logs once per epoch: no step is beyond the number of epochs."""
    return target.unit == "epoch" and reading.steps[-1][0] <= target.total


def _seconds_left(points: Sequence[Point], rest: float, now: float) -> float | None:
    """At the pace of the newest points, pauses between them included."""
    first, last = points[0], points[-1]
    if last[0] <= first[0] or last[1] <= first[1]:
        return None
    pace = (last[1] - first[1]) / (last[0] - first[0])
    return max(0.0, rest * pace - max(0.0, now - last[1]))
