"""What a study is to find, and within which limits: its `study:` block as a frozen value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from diamond.studies.pruning import Pruner
from diamond.studies.space import Dimension, Value

BEST, LAST = "best", "last"
SAMPLERS = ("tpe", "random", "grid", "gp", "cmaes", "nsga2", "nsga3", "qmc", "bruteforce")
"""By Optuna's names."""


@dataclass(frozen=True)
class Objective:
    """A metric that the program logs."""

    name: str
    maximize: bool = False

    @property
    def direction(self) -> Literal["maximize", "minimize"]:
        return "maximize" if self.maximize else "minimize"

    def best(self, values: Sequence[float]) -> float:
        return max(values) if self.maximize else min(values)

    def is_better(self, value: float, than: float) -> bool:
        return value > than if self.maximize else value < than


@dataclass(frozen=True)
class Sampler:
    name: str = "tpe"
    options: Mapping[str, Value] = field(default_factory=dict)
    """Keyword arguments of Optuna's class."""


@dataclass(frozen=True)
class Tune:
    """The objective is the throughput of short runs, measured by the service, and a metric may not fall behind."""

    metric: str
    """That is minimized, such as the loss."""
    within: float = 0.05
    """By how much of itself it may be worse than as written."""
    steps: int = 30
    """To measure in each trial, after the warm-up."""
    batch: str = ""
    """The param that holds the samples of a batch; empty: batches are counted."""
    samples_each: int = 1
    """Batches in an update: ranks times accumulated ones."""


@dataclass(frozen=True)
class StudyPlan:
    objectives: tuple[Objective, ...]
    space: tuple[Dimension, ...]
    value: str = BEST
    """Which value of a curve counts: the best or the last."""
    sampler: Sampler = Sampler()
    pruner: Pruner = field(default_factory=Pruner)
    trials: int = 100
    parallel: int = 4
    budget: str = ""
    on: tuple[str, ...] = ()
    """ENDPOINT or ENDPOINT/PARTITION; empty: where the spec says."""
    repeats: int = 1
    seed: int = 0
    warm_start: tuple[str, ...] = ()
    """Studies whose trials the sampler learns from."""
    ahead_minutes: int = 0
    """For how long agents get points ahead, so that they need not wait for the service."""
    pack: int | str = "off"
    """How many trials share an allocation; `auto`: as measured, `off`: none do."""
    tune: Tune | None = None

    @property
    def is_single(self) -> bool:
        return len(self.objectives) == 1

    @property
    def promotes(self) -> bool:
        return self.pruner.mode == "promote"

    def raised(self, *, trials: int | None, budget: str, parallel: int | None) -> StudyPlan:
        return replace(
            self,
            trials=self.trials if trials is None else trials,
            budget=budget or self.budget,
            parallel=self.parallel if parallel is None else parallel,
        )


def plan_json(plan: StudyPlan) -> dict[str, Any]:
    return asdict(plan)


def plan_from(stored: Mapping[str, Any]) -> StudyPlan:
    """Keys that another version of Diamond wrote are ignored."""
    data = dict(stored)
    space = tuple(dimension_from(each) for each in data.pop("space", ()))
    objectives = tuple(Objective(**each) for each in data.pop("objectives", ()))
    sampler = Sampler(**data.pop("sampler", {}))
    pruner = Pruner(**_known(Pruner, data.pop("pruner", {})))
    tune = data.pop("tune", None)
    rest = _known(StudyPlan, data)
    rest["tune"] = Tune(**_known(Tune, tune)) if tune else None
    rest |= {name: tuple(rest[name]) for name in ("on", "warm_start") if name in rest}
    return StudyPlan(objectives=objectives, space=space, sampler=sampler, pruner=pruner, **rest)


def dimension_from(stored: Mapping[str, Any]) -> Dimension:
    data = _known(Dimension, stored)
    when = {name: tuple(values) for name, values in (data.pop("when", None) or {}).items()}
    return Dimension(**{**data, "choices": tuple(data.get("choices", ())), "when": when})


def _known(kind: type, stored: Mapping[str, Any]) -> dict[str, Any]:
    names = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return {name: value for name, value in stored.items() if name in names}
