"""Studies of Optuna become studies here: to look at, and to learn from."""

from __future__ import annotations

import time
from collections.abc import Sequence

from diamond.core import ids
from diamond.core.errors import BadRequest
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.studies import store
from diamond.service.studies.rows import DONE, IMPORTED, Counts, Inputs, StudyRow, TrialRow
from diamond.service.studies.schemas import DimensionView, ImportedTrial, PortableStudy, Study
from diamond.service.studies.views import show_study
from diamond.studies.decisions import Streak, best_trial
from diamond.studies.plan import Objective, StudyPlan
from diamond.studies.space import CHOICE, Dimension, check_dimension


async def import_study(
    services: Services, principal: Principal, body: PortableStudy, key: str | None
) -> Study:
    require(principal, Action.WRITE, owner=principal.user)
    row = _study(principal, body)
    trials = [_trial(row, number, each) for number, each in enumerate(body.trials)]

    async def make(tx: Transaction) -> Study:
        await store.add_study(tx, row)
        await store.add_trials(tx, trials)
        await publish(tx, row.owner, [changed("studies")])
        return show_study(row, trials)

    request = Once.of(key, "POST /studies/import", body.model_dump(mode="json"))
    return await once_as(Study, services.store, principal, request, make)


def _study(principal: Principal, body: PortableStudy) -> StudyRow:
    objectives = tuple(
        Objective(name, direction == "maximize") for name, direction in body.objectives.items()
    )
    for n, trial in enumerate(body.trials):
        if trial.state == "complete" and len(trial.values) != len(objectives):
            raise BadRequest(f"Trial {n} is complete, but has {len(trial.values)} values")
    states = [trial.state for trial in body.trials]
    counts = Counts(
        complete=states.count("complete"),
        pruned=states.count("pruned"),
        failed=states.count("failed"),
    )
    now = time.time()
    space = _space(body.space)
    complete = [(n, t.values[0]) for n, t in enumerate(body.trials) if t.state == "complete"]
    best = best_trial(objectives[0], complete) if len(objectives) == 1 else None
    return StudyRow(
        id=ids.new_id(ids.STUDY),
        owner=principal.user,
        project="",
        name=body.name,
        state=DONE,
        message=f"imported from {body.source}" if body.source else "imported",
        spec={"name": body.name},
        code=None,
        plan=StudyPlan(objectives, space, trials=max(1, len(states)), parallel=0),
        counts=counts,
        streak=Streak(),
        warnings=(),
        inputs=Inputs(),
        asked=len(states),
        best=best[0] if best else None,
        open=0,
        node_seconds=0.0,
        saved_seconds=0.0,
        created=now,
        updated=now,
        ended=now,
    )


def _trial(study: StudyRow, number: int, given: ImportedTrial) -> TrialRow:
    space = _space(given.space) or study.plan.space
    for dimension in space:
        if dimension.name in given.params and not dimension.contains(given.params[dimension.name]):
            raise BadRequest(f"Trial {number}: {dimension.name} must be {dimension.words()}")
    names = {dimension.name for dimension in space}
    unknown = [name for name in given.params if name not in names]
    if unknown:
        raise BadRequest(f"Trial {number}: {unknown[0]} is not in its space")
    return TrialRow(
        study=study.id,
        number=number,
        owner=study.owner,
        state=given.state,
        params=dict(given.params),
        space=_space(given.space),
        values=tuple(given.values) if given.state == "complete" else (),
        spread=None,
        steps=tuple(sorted((at, value) for at, value in given.steps)),
        judged=None,
        rungs=(),
        cause="",
        message="",
        origin=IMPORTED,
        attributes={},
        endpoint="",
        task="",
        reruns=0,
        node_seconds=0.0,
        created=given.created or study.created,
        started=given.created,
        ended=given.ended or study.created,
    )


def _space(given: Sequence[DimensionView]) -> tuple[Dimension, ...]:
    space = []
    for each in given:
        dimension = Dimension(
            each.name,
            each.kind,
            each.low,
            each.high,
            each.log,
            each.step,
            tuple(each.choices) if each.kind == CHOICE else (),
        )
        wrong = check_dimension(dimension)
        if wrong:
            raise BadRequest(f"{each.name}: {wrong}")
        space.append(dimension)
    return tuple(space)
