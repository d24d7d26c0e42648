"""Check a `study:` block beyond its field types, and the rest of the spec as one of its trials."""

from __future__ import annotations

from typing import Any

from diamond.compose.faults import Faults
from diamond.compose.fields import AUTO_NODES
from diamond.compose.spec import Spec
from diamond.compose.study import StudySpec, is_grid, pruner_of, sampler_of
from diamond.studies.space import MOST_GRID_POINTS, middle_point, ordered

_LIST = "Give it `step:`, or list the values: choice: […]"


def example_trial(spec: Spec, faults: Faults) -> Spec:
    """The spec of a trial in the middle of the space; one without a study stays as it is."""
    study = spec.study
    if study is None:
        return spec
    resumes = bool(spec.continue_ and spec.continue_.from_)
    check_study(study, spec.params, resumes, faults)
    if spec.resources.nodes == AUTO_NODES:
        hint = "Give a number, or find it first: diamond scale start SPEC"
        faults.add("resources.nodes", "Trials of a study need a number of nodes", hint)
    elif isinstance(study.pack, int) and study.pack > 1 and spec.resources.nodes > 1:
        hint = "Leave `pack` out: each trial gets an allocation of its own."
        faults.add("study.pack", "Trials on several nodes share no allocation", hint)
    changed: dict[str, Any] = {"params": {**spec.params, **example_params(study)}}
    if study.on:
        changed["on"] = study.on
    return spec.model_copy(update=changed)


def check_study(study: StudySpec, params: dict[str, Any], resumes: bool, faults: Faults) -> None:
    """Beyond its field types."""
    if not study.objective:
        hint = "Name a metric that your program logs: objective: {accuracy: maximize}"
        faults.add("study.objective", "A study needs an objective", hint)
    _check_conditions(study, faults)
    if is_grid(study):
        _check_grid(study, faults)
    elif sampler_of(study).name == "bruteforce":
        _check_lengths(study, faults)
    pruner = pruner_of(study)
    if pruner.name != "none" and len(study.objective) > 1:
        faults.add("study.pruner", "Several objectives cannot be pruned", "Leave `pruner` out.")
    if pruner.name in ("asha", "hyperband") and pruner.min >= pruner.max:
        faults.add("study.pruner", f"`min: {pruner.min:g}` is not below `max: {pruner.max:g}`")
    if pruner.mode == "promote" and not resumes:
        hint = (
            "Add `continue: {from: 'ckpt/*.pt'}` with what your program saves, or use `mode: stop`."
        )
        faults.add("study.pruner", "`mode: promote` continues trials from checkpoints", hint)
    if study.tune and (list(study.objective) != ["throughput"] or study.repeats > 1):
        hint = "Write `objective: {throughput: maximize}`, without `repeats`."
        faults.add("study.tune", "A tuning study measures the throughput alone", hint)
    if study.repeats > 1 and "seed" not in params:
        hint = "Add `params: {seed: 0}`: repeats run with seed, seed + 1, …"
        faults.add("study.repeats", "Repeats need a param `seed`", hint)


def example_params(study: StudySpec) -> dict[str, Any]:
    """Of a trial in the middle of the space: to check the rest of the spec with."""
    return dict(middle_point([each.dimension(name) for name, each in study.space.items()]))


def _check_conditions(study: StudySpec, faults: Faults) -> None:
    for name, each in study.space.items():
        for other in each.when:
            if other not in study.space:
                known = ", ".join(study.space)
                faults.add(
                    f"study.space.{name}.when", f"{other} is not in the space", f"It has: {known}"
                )
                return
    try:
        ordered([each.dimension(name) for name, each in study.space.items()])
    except ValueError as error:
        faults.add("study.space", str(error), "Remove one of the conditions.")


def _check_grid(study: StudySpec, faults: Faults) -> None:
    """The sampler lists all points before the first one is tried."""
    points = 1
    for name, each in study.space.items():
        if each.when:
            faults.add(
                f"study.space.{name}", "A grid has no conditions", "Use `sampler: bruteforce`."
            )
            continue
        values = len(each.dimension(name).grid())
        if not values:
            faults.add(f"study.space.{name}", "A grid needs a list of values", _LIST)
        points *= values or 1
        if points > MOST_GRID_POINTS:
            hint = "List fewer values, or use `sampler: random`, which makes no list of all points."
            faults.add("study.space", f"The grid has more than {MOST_GRID_POINTS:,} points", hint)
            return


def _check_lengths(study: StudySpec, faults: Faults) -> None:
    for name, each in study.space.items():
        if not each.dimension(name).is_short:
            message = f"`sampler: bruteforce` tries all values; at most {MOST_GRID_POINTS:,} are possible here"
            faults.add(f"study.space.{name}", message, _LIST)
