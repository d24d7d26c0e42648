"""Studies are listed and shown."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from diamond.core.errors import BadRequest
from diamond.service.access.authorize import role_of
from diamond.service.access.principal import Principal
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.studies import store
from diamond.service.studies.advance import trials_before
from diamond.service.studies.find import find_study, find_trial
from diamond.service.studies.mirrors import StudyMirror, mirrors_of
from diamond.service.studies.rows import StudyRow, TrialRow
from diamond.service.studies.schemas import (
    Importance,
    Importances,
    PortableStudy,
    Study,
    StudyDetail,
    Trial,
    TrialColumns,
    TrialCurves,
    TrialDetail,
)
from diamond.service.studies.views import (
    best_trials,
    show_columns,
    show_curves,
    show_portable,
    show_study,
    show_study_detail,
    show_trial,
    show_trial_detail,
)
from diamond.studies.importance import FEWEST_TRIALS, METHODS, importances


async def list_studies(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> Page[Study]:
    projects = [each for each in principal.projects if role_of(principal, owner="", project=each)]
    async with services.store.read() as connection:
        page = await store.list_studies(
            connection, principal.user, projects, limit=limit, cursor=cursor
        )
        best = await store.best_trials(connection, page.rows)
    shown = [show_study(row, [best[row.id]] if row.id in best else []) for row in page.rows]
    return Page[Study](items=shown, next=page.next)


async def get_study(services: Services, principal: Principal, study: str) -> StudyDetail:
    async with _opened(services, principal, study) as (row, mirror):
        return show_study_detail(row, mirror.trials)


async def list_trials(
    services: Services,
    principal: Principal,
    study: str,
    *,
    states: Sequence[str],
    limit: int,
    cursor: str | None,
) -> Page[Trial]:
    """Newest first; the cursor is the number of the last one seen."""
    before = _number(cursor)
    async with _opened(services, principal, study) as (_, mirror):
        rows = [
            row
            for row in reversed(mirror.trials)
            if (before is None or row.number < before) and (not states or row.state in states)
        ]
    more = str(rows[limit - 1].number) if len(rows) > limit else None
    return Page[Trial](items=[show_trial(row) for row in rows[:limit]], next=more)


async def get_trial(
    services: Services, principal: Principal, study: str, number: int
) -> TrialDetail:
    async with services.store.read() as connection:
        row = await find_study(connection, principal, study)
        trial = await find_trial(connection, row, number)
        tasks = await store.tasks_of_trials(connection, row.id, [number])
    return show_trial_detail(trial, [task.task for task in tasks])


async def best(services: Services, principal: Principal, study: str) -> list[Trial]:
    """The best trial; with several objectives all that no other one beats."""
    async with _opened(services, principal, study) as (row, mirror):
        return [show_trial(each) for each in best_trials(row, mirror.trials)]


async def columns(services: Services, principal: Principal, study: str) -> TrialColumns:
    async with _opened(services, principal, study) as (row, mirror):
        return show_columns(row, mirror.trials)


async def curves(services: Services, principal: Principal, study: str) -> TrialCurves:
    async with _opened(services, principal, study) as (row, mirror):
        return show_curves(row, mirror.trials)


async def get_importances(
    services: Services, principal: Principal, study: str, objective: str, method: str
) -> Importances:
    if method not in METHODS:
        raise BadRequest(f"{method!r} is not a method", f"Methods: {', '.join(METHODS)}.")
    async with _opened(services, principal, study) as (row, mirror):
        names = [each.name for each in row.plan.objectives]
        name = objective or names[0]
        if name not in names:
            raise BadRequest(f"{name!r} is not an objective", f"Objectives: {', '.join(names)}.")
        complete = sum(trial.is_complete for trial in mirror.trials)
        answer = Importances(objective=name, method=method, trials=complete, items=[])
        if complete < FEWEST_TRIALS:
            answer.message = f"Needs {FEWEST_TRIALS} complete trials; there are {complete}."
            return answer
        async with services.store.read() as connection:
            before = await trials_before(connection, row)
        await asyncio.to_thread(mirror.ask, row.plan, 0, before)
        assert mirror.optuna is not None
        shares = await asyncio.to_thread(
            importances, mirror.optuna.study, names.index(name), method
        )
    answer.items = [Importance(name=each, share=share) for each, share in shares.items()]
    if not shares:
        answer.message = "All values are equal, or no dimension is part of every trial."
    return answer


async def export_csv(services: Services, principal: Principal, study: str) -> tuple[str, str]:
    """The name of the study, and its trials as CSV."""
    async with _opened(services, principal, study) as (row, mirror):
        return row.name, _csv(row, mirror.trials)


async def portable(services: Services, principal: Principal, study: str) -> PortableStudy:
    async with _opened(services, principal, study) as (row, mirror):
        return show_portable(row, mirror.trials)


def _csv(row: StudyRow, trials: Sequence[TrialRow]) -> str:
    names = list(dict.fromkeys(name for trial in trials for name in trial.params))
    objectives = [objective.name for objective in row.plan.objectives]
    out = io.StringIO()
    writer = csv.writer(out)
    heads = [*(f"params_{name}" for name in names), *(f"values_{name}" for name in objectives)]
    rest = ["spread", "cause", "message", "endpoint", "task", "node_hours", "started", "ended"]
    writer.writerow(["number", "state", *heads, *rest])
    for trial in trials:
        values = [*trial.values, *[""] * (len(objectives) - len(trial.values))]
        writer.writerow(
            [
                trial.number,
                trial.state,
                *(_cell(trial.params.get(name)) for name in names),
                *values,
                "" if trial.spread is None else trial.spread,
                trial.cause,
                _cell(trial.message),
                trial.endpoint,
                trial.task,
                trial.node_seconds / 3600,
                trial.started or "",
                trial.ended or "",
            ]
        )
    return out.getvalue()


def _cell(value: object) -> object:
    """A spreadsheet takes a text that begins like this for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value


@asynccontextmanager
async def _opened(
    services: Services, principal: Principal, study: str
) -> AsyncIterator[tuple[StudyRow, StudyMirror]]:
    """The study with all its trials, from memory as far as they have not changed."""
    async with services.store.read() as connection:
        row = await find_study(connection, principal, study)
    mirrors = mirrors_of(services)
    async with mirrors.lock(row.id):
        async with services.store.read() as connection:
            current = await store.find_study(connection, row.id) or row
            mirror = await mirrors.refresh(connection, current)
        yield current, mirror


def _number(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not cursor.isdigit() or len(cursor) > 9:
        raise BadRequest(f"{cursor!r} is not a cursor of this list", "Start without one.")
    return int(cursor)
