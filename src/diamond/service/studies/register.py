"""What the best trial left behind becomes a version of a model."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence

from diamond.core.errors import BadRequest, Conflict
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.models.schemas import ModelVersion, NewVersion
from diamond.service.models.versions import add_version
from diamond.service.platform.services import Services
from diamond.service.results.rows import READY, ResultRow
from diamond.service.results.store import results_by_task
from diamond.service.studies.find import find_study, find_trial
from diamond.service.studies.rows import StudyRow, TrialRow
from diamond.service.studies.schemas import Registration

MODEL = "model"
PATIENCE_SECONDS = 5.0


async def register_best(
    services: Services, principal: Principal, study: str, body: Registration
) -> ModelVersion:
    """Nothing is copied. The same trial again is the same version."""
    async with services.store.read() as connection:
        row = await find_study(connection, principal, study, Action.WRITE)
        number = row.best if body.trial is None else body.trial
        if number is None:
            hint = "Wait for a complete trial; with several objectives, name one of the front: --trial NUMBER."
            raise Conflict(f"{row.name} has no best trial", hint)
        trial = await find_trial(connection, row, number)
    result = _result(trial, await _results(services, trial))
    version = NewVersion(task=trial.task, result=result.name, note=_note(row, trial))
    return await add_version(services, principal, body.model or _name(row), version)


async def _results(services: Services, trial: TrialRow) -> list[ResultRow]:
    """A trial that has just ended is still being read: that takes a moment."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        async with services.store.read() as connection:
            by_task = await results_by_task(connection, [trial.task] if trial.task else [])
        found = [each for results in by_task.values() for each in results]
        is_read = any(each.state == READY for each in found)
        if is_read or time.monotonic() > until:
            return found
        await asyncio.sleep(0.3)


def _result(trial: TrialRow, found: Sequence[ResultRow]) -> ResultRow:
    """What it called a model, if it did."""
    ready = [each for each in found if each.state == READY]
    if ready:
        return min(ready, key=lambda each: each.kind != MODEL)
    if found:
        raise Conflict(
            f"The results of trial {trial.number} are {found[0].state}: {found[0].message or 'they are being read'}",
            "Try again in a moment, or look at its task.",
        )
    raise BadRequest(
        f"Trial {trial.number} left no result",
        "Save the model in your training: diamond.training.save_model(network, NAME), or write into the folder artifacts/.",
    )


def _note(study: StudyRow, trial: TrialRow) -> str:
    objectives = study.plan.objectives
    values = [f"{o.name} {v:.6g}" for o, v in zip(objectives, trial.values, strict=False)]
    params = " ".join(f"{name}={value}" for name, value in trial.params.items())
    return f"Trial {trial.number} of the study {study.name}: {', '.join(values)} with {params}"[
        :2000
    ]


def _name(study: StudyRow) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", study.name).strip("-._")[:60] or "model"
