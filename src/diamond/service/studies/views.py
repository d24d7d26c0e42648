"""Studies and trials as the API shows them."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict

from diamond.service.studies.rows import StudyRow, TrialRow
from diamond.service.studies.schemas import (
    CurveLine,
    DimensionView,
    ImportedTrial,
    ObjectiveView,
    PortableStudy,
    PrunerView,
    Study,
    StudyDetail,
    Trial,
    TrialColumns,
    TrialCounts,
    TrialCurves,
    TrialDetail,
)
from diamond.studies.decisions import best_trial, pareto_front
from diamond.studies.pruning import Steps
from diamond.studies.space import Dimension

MOST_CURVES = 200
MOST_CURVE_POINTS = 200


def show_trial(row: TrialRow) -> Trial:
    shown = {name: value for name, value in vars(row).items() if name in _TRIAL_FIELDS}
    return Trial.model_validate(
        {
            **shown,
            "values": list(row.values),
            "rungs": list(row.rungs),
            "last": _last(row),
            "reached": row.steps[-1][0] if row.steps else None,
            "node_hours": row.node_seconds / 3600,
        }
    )


_TRIAL_FIELDS = frozenset(Trial.model_fields)


def show_trial_detail(row: TrialRow, tasks: Sequence[str]) -> TrialDetail:
    return TrialDetail(**show_trial(row).model_dump(), steps=_points(row.steps), tasks=list(tasks))


def show_study(row: StudyRow, trials: Sequence[TrialRow]) -> Study:
    return Study.model_validate(_study_data(row, trials))


def show_study_detail(row: StudyRow, trials: Sequence[TrialRow]) -> StudyDetail:
    return StudyDetail.model_validate({**_study_data(row, trials), "spec": row.spec})


def _study_data(row: StudyRow, trials: Sequence[TrialRow]) -> dict[str, object]:
    plan = row.plan
    shown = {name: value for name, value in vars(row).items() if name in _STUDY_FIELDS}
    pruner = {name: getattr(plan.pruner, name) for name in PrunerView.model_fields}
    front = best_trials(row, trials)
    return {
        **shown,
        "objectives": [ObjectiveView(name=o.name, direction=o.direction) for o in plan.objectives],
        "value": plan.value,
        "space": [show_dimension(each) for each in plan.space],
        "sampler": plan.sampler.name,
        "pruner": PrunerView.model_validate(pruner),
        "trials": plan.trials,
        "parallel": plan.parallel,
        "pack": plan.pack,
        "tuned_metric": plan.tune.metric if plan.tune else "",
        "repeats": plan.repeats,
        "seed": plan.seed,
        "budget": plan.budget,
        "on": list(plan.on),
        "counts": TrialCounts(**asdict(row.counts)),
        "best": show_trial(front[0]) if front and plan.is_single else None,
        "front": [] if plan.is_single else [show_trial(each) for each in front],
        "warnings": list(row.warnings),
        "node_hours": row.node_seconds / 3600,
        "node_hours_saved": row.saved_seconds / 3600,
        "seconds_left": seconds_left(row),
    }


_STUDY_FIELDS = frozenset(Study.model_fields)


def best_trials(row: StudyRow, trials: Sequence[TrialRow]) -> list[TrialRow]:
    """The best one; with several objectives all that no other beats."""
    complete = {trial.number: trial for trial in trials if trial.is_complete}
    if row.plan.is_single:
        best = best_trial(
            row.plan.objectives[0], ((n, trial.values[0]) for n, trial in complete.items())
        )
        return [complete[best[0]]] if best else []
    points = {number: trial.values for number, trial in complete.items()}
    return [complete[number] for number in pareto_front(row.plan.objectives, points)]


def seconds_left(row: StudyRow, now: float | None = None) -> float | None:
    """By how fast trials have ended since the study began."""
    counts = row.counts
    ended = counts.complete + counts.pruned + counts.failed
    if row.state != "running" or not ended:
        return None
    pace = ((now or time.time()) - row.created) / ended
    return max(0, row.plan.trials - ended) * pace


def show_dimension(dimension: Dimension) -> DimensionView:
    return DimensionView.model_validate(
        {
            **asdict(dimension),
            "choices": list(dimension.choices),
            "when": {name: list(values) for name, values in dimension.when.items()},
        }
    )


def show_columns(row: StudyRow, trials: Sequence[TrialRow]) -> TrialColumns:
    names = dict.fromkeys(name for trial in trials for name in trial.params)
    count = len(row.plan.objectives)
    return TrialColumns(
        study=row.id,
        version=row.version,
        number=[trial.number for trial in trials],
        state=[trial.state for trial in trials],  # type: ignore[misc]
        params={name: [trial.params.get(name) for trial in trials] for name in names},
        values=[[_nth(trial.values, n) for trial in trials] for n in range(count)],
        last=[_last(trial) for trial in trials],
        reached=[trial.steps[-1][0] if trial.steps else None for trial in trials],
        rung=[len(trial.rungs) for trial in trials],
        node_hours=[round(trial.node_seconds / 3600, 6) for trial in trials],
        started=[trial.started for trial in trials],
        ended=[trial.ended for trial in trials],
        endpoint=[trial.endpoint for trial in trials],
        task=[trial.task for trial in trials],
        message=[trial.message for trial in trials],
    )


def show_curves(row: StudyRow, trials: Sequence[TrialRow]) -> TrialCurves:
    """The best and the newest; more lines than that nobody can tell apart."""
    having = [trial for trial in trials if trial.steps]
    chosen = {trial.number: trial for trial in having[-MOST_CURVES // 2 :]}
    objective = row.plan.objectives[0]
    ranked = sorted(
        (trial for trial in having if trial.is_complete),
        key=lambda trial: trial.values[0],
        reverse=objective.maximize,
    )
    chosen |= {trial.number: trial for trial in ranked[: MOST_CURVES // 2]}
    lines = [
        CurveLine(
            number=trial.number,
            state=trial.state,  # type: ignore[arg-type]
            points=_thin(_points(trial.steps)),
        )
        for _, trial in sorted(chosen.items())
    ]
    return TrialCurves(
        objective=objective.name,
        unit=row.plan.pruner.unit,
        curves=lines,
        left_out=len(having) - len(lines),
    )


def show_portable(row: StudyRow, trials: Sequence[TrialRow]) -> PortableStudy:
    """Those that have ended; a value that is not finite is left out."""
    ended = [trial for trial in trials if not trial.is_open]
    return PortableStudy.model_construct(
        name=row.name,
        objectives={each.name: each.direction for each in row.plan.objectives},
        space=[show_dimension(each) for each in row.plan.space],
        trials=[
            ImportedTrial.model_construct(
                state=trial.state,
                params=trial.params,
                space=[show_dimension(each) for each in trial.space],
                values=list(trial.values),
                steps=[(at, value) for at, value in trial.steps if math.isfinite(value)],
                created=trial.created,
                ended=trial.ended,
            )
            for trial in ended
        ],
        source=f"study {row.id}",
    )


def _thin(points: list[tuple[float, float | None]]) -> list[tuple[float, float | None]]:
    apart = -(-len(points) // MOST_CURVE_POINTS)
    return points if apart < 2 else [*points[:-1:apart], points[-1]]


def _points(steps: Steps) -> list[tuple[float, float | None]]:
    return [(at, value if math.isfinite(value) else None) for at, value in steps]


def _last(row: TrialRow) -> float | None:
    if not row.steps or not math.isfinite(row.steps[-1][1]):
        return None
    return row.steps[-1][1]


def _nth(values: Sequence[float], n: int) -> float | None:
    return values[n] if n < len(values) else None
