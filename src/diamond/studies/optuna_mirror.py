"""A study's trials as an Optuna study in memory: rebuilt from our rows at any time, never stored.

Optuna is imported when the first study is opened: it takes 0.15 s, which every start of the service would feel.
"""

from __future__ import annotations

import importlib.util
import inspect
import math
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diamond.core.errors import BadRequest
from diamond.studies.plan import Sampler, StudyPlan
from diamond.studies.space import CHOICE, FLOAT, INT, Dimension, Space, Value, is_active

if TYPE_CHECKING:
    import optuna

NEEDS = {"gp": ("scipy", "torch"), "cmaes": ("cmaes",), "qmc": ("scipy",)}
"""Packages that some samplers need beside Optuna."""
_CLASSES = {
    "tpe": "TPESampler",
    "random": "RandomSampler",
    "grid": "GridSampler",
    "gp": "GPSampler",
    "cmaes": "CmaEsSampler",
    "nsga2": "NSGAIISampler",
    "nsga3": "NSGAIIISampler",
    "qmc": "QMCSampler",
    "bruteforce": "BruteForceSampler",
}
_ONE_SEED = ("grid", "qmc")
"""Samplers that walk through an order which the seed decides."""
_INNER = ("_random_sampler", "_independent_sampler")
_OURS = frozenset({"seed", "search_space", "constant_liar"})
"""Arguments that the study itself gives."""


@dataclass(frozen=True)
class MirrorTrial:
    """A trial as Optuna sees it."""

    number: int
    params: Mapping[str, Value]
    space: Sequence[Dimension]
    """The dimensions of its params."""
    is_open: bool = True
    values: tuple[float, ...] = ()
    """Empty: pruned or failed."""
    steps: tuple[tuple[float, float], ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """What the sampler noted about it."""


@dataclass(frozen=True)
class Asked:
    number: int
    params: Mapping[str, Value]
    attributes: Mapping[str, Any]


class OptunaMirror:
    """Knows the trials of one study up to some number. Not for several threads at once."""

    def __init__(self, plan: StudyPlan, before: Sequence[MirrorTrial] = ()) -> None:
        """`before`: trials of other studies to learn from."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
        self._optuna = optuna
        self._plan = plan
        directions = [objective.direction for objective in plan.objectives]
        self._study = optuna.create_study(
            directions=directions, sampler=make_sampler(plan, 0), pruner=optuna.pruners.NopPruner()
        )
        self._before = 0
        for trial in before:
            self._study.add_trial(self._frozen(trial))
            self._before += 1
        self._open: set[int] = set()
        self._count = 0

    @property
    def count(self) -> int:
        """How many trials of the study itself it knows."""
        return self._count

    def put(self, trial: MirrorTrial) -> None:
        """Add the next trial, or give one its end."""
        if trial.number == self._count:
            self._add(trial)
        elif trial.number in self._open and not trial.is_open:
            self._end(trial)

    def ask(self, space: Space, number: int) -> Asked:
        """The next point, open from now on."""
        reseed(self._study.sampler, self._plan, number)
        trial = self._study.ask()
        params: dict[str, Value] = {}
        for dimension in space:
            if is_active(dimension, params):
                params[dimension.name] = trial._suggest(dimension.name, distribution(dimension))
        self._open.add(number)
        self._count += 1
        attributes = self._study._storage.get_trial(trial._trial_id).system_attrs
        return Asked(number, params, attributes)

    @property
    def study(self) -> optuna.Study:
        return self._study

    def _add(self, trial: MirrorTrial) -> None:
        self._study._storage.create_new_trial(self._study._study_id, self._frozen(trial))
        self._count += 1
        if trial.is_open:
            self._open.add(trial.number)

    def _end(self, trial: MirrorTrial) -> None:
        frozen, storage = self._frozen(trial), self._study._storage
        key = storage.get_trial_id_from_study_id_trial_number(
            self._study._study_id, self._before + trial.number
        )
        known = storage.get_trial(key).params
        for name, each in frozen.distributions.items():
            if name not in known:
                internal = each.to_internal_repr(frozen.params[name])
                storage.set_trial_param(key, name, internal, each)
        for step, value in frozen.intermediate_values.items():
            storage.set_trial_intermediate_value(key, step, value)
        storage.set_trial_state_values(key, frozen.state, frozen.values)
        self._open.discard(trial.number)

    def _frozen(self, trial: MirrorTrial) -> optuna.trial.FrozenTrial:
        states = self._optuna.trial.TrialState
        state = states.RUNNING if trial.is_open else states.PRUNED
        if trial.values:
            state = states.COMPLETE
        made = self._optuna.trial.create_trial(
            state=state,
            values=list(trial.values) or None,
            params=dict(trial.params),
            distributions={
                dimension.name: distribution(dimension)
                for dimension in trial.space
                if dimension.name in trial.params
            },
            system_attrs=dict(trial.attributes),
            intermediate_values={
                round(step): value for step, value in trial.steps if not math.isnan(value)
            },
        )
        made.number = self._before + trial.number
        return made


def distribution(dimension: Dimension) -> optuna.distributions.BaseDistribution:
    from optuna import distributions

    if dimension.kind == CHOICE:
        return distributions.CategoricalDistribution(dimension.choices)
    if dimension.kind == INT:
        return distributions.IntDistribution(
            int(dimension.low),
            int(dimension.high),
            log=dimension.log,
            step=int(dimension.step or 1),
        )
    return distributions.FloatDistribution(
        dimension.low, dimension.high, log=dimension.log, step=dimension.step
    )


def dimension_of(name: str, given: optuna.distributions.BaseDistribution) -> Dimension:
    """Our word for one of Optuna's distributions."""
    from optuna import distributions

    if isinstance(given, distributions.CategoricalDistribution):
        return Dimension(name, CHOICE, choices=tuple(given.choices))
    kind = INT if isinstance(given, distributions.IntDistribution) else FLOAT
    assert isinstance(given, (distributions.IntDistribution, distributions.FloatDistribution))
    step = None if kind == INT and given.step == 1 else given.step
    return Dimension(name, kind, given.low, given.high, given.log, step)


def make_sampler(plan: StudyPlan, number: int) -> optuna.samplers.BaseSampler:
    """Seeded for one trial: its point depends on what is known, not on who asked before."""
    from optuna import samplers

    sampler = plan.sampler
    kind = getattr(samplers, _CLASSES[sampler.name])
    taken = inspect.signature(kind).parameters
    given: dict[str, Any] = dict(sampler.options)
    if "seed" in taken:
        given["seed"] = plan.seed if sampler.name in _ONE_SEED else seed_of(plan.seed, number)
    if sampler.name == "tpe":
        given["constant_liar"] = plan.parallel * plan.repeats != 1
    if sampler.name == "grid":
        given["search_space"] = {each.name: list(each.grid()) for each in plan.space}
    return kind(**given)  # type: ignore[no-any-return]


def reseed(sampler: optuna.samplers.BaseSampler, plan: StudyPlan, number: int) -> None:
    """As a sampler made for this trial would be seeded; but one that stays keeps what it knows about the space."""
    from optuna.samplers._lazy_random_state import LazyRandomState

    if plan.sampler.name in _ONE_SEED:
        return
    for each in (sampler, *(getattr(sampler, name, None) for name in _INNER)):
        for name in ("_rng", "_cma_rng"):
            state = getattr(each, name, None)
            if isinstance(state, LazyRandomState):
                state.rng.seed(seed_of(plan.seed, number))


def seed_of(seed: int, number: int) -> int:
    return zlib.crc32(f"{seed}:{number}".encode())


def check_sampler(sampler: Sampler) -> None:
    """Raises `BadRequest` if it is not here or has other options."""
    missing = [name for name in NEEDS.get(sampler.name, ()) if not importlib.util.find_spec(name)]
    if missing:
        raise BadRequest(
            f"The sampler {sampler.name} needs {' and '.join(missing)}, which the service does not have",
            f"Install it beside the service: pip install {' '.join(missing)}. Or choose tpe, random or grid.",
        )
    from optuna import samplers

    taken = set(inspect.signature(getattr(samplers, _CLASSES[sampler.name])).parameters) - _OURS
    unknown = [name for name in sampler.options if name not in taken]
    if unknown:
        raise BadRequest(
            f"The sampler {sampler.name} has no option {unknown[0]}",
            f"Options: {', '.join(sorted(taken))}. They are those of Optuna's {_CLASSES[sampler.name]}.",
        )
