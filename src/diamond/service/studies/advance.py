"""Advances studies: reads what trials have logged, ends, tells, asks and starts, in one transaction on one version."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import DiamondError
from diamond.core.events import STOP_FLAG
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.notifications.notify import Notice, notify
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import STUDIES
from diamond.service.studies import store
from diamond.service.studies.curves import read_values
from diamond.service.studies.launch import Launcher, launcher
from diamond.service.studies.mirrors import Mirrors, StudyMirror, mirrors_of
from diamond.service.studies.packing import count_inside, pilot_facts, study_pilots
from diamond.service.studies.round import (
    HELD_BACK,
    Repeats,
    Round,
    Start,
    conclude,
    look_at_trials,
    plan_starts,
)
from diamond.service.studies.rows import (
    CANCELLED,
    DONE,
    PAUSED,
    SAMPLED,
    StudyRow,
    TrialRow,
    TrialTask,
)
from diamond.service.studies.store import StaleStudy
from diamond.service.tasks.store import has_note, tasks_by_id
from diamond.service.tasks.tasks import end_task
from diamond.studies.decisions import TrialState
from diamond.studies.optuna_mirror import Asked, MirrorTrial
from diamond.studies.plan import StudyPlan
from diamond.studies.space import Dimension

TRIES = 8
OVER_LIMIT = "over-limit"


async def advance_all(services: Services) -> bool:
    """Whether any study is still open."""
    async with services.store.read() as connection:
        studies = await store.open_studies(connection)
    await separately(studies, partial(advance, services), "advancing a study")
    return bool(studies)


async def advance(services: Services, study: str) -> None:
    """Do what can be done now."""
    mirrors = mirrors_of(services)
    async with mirrors.lock(study):
        for _ in range(TRIES):
            try:
                await _advance_once(services, mirrors, study)
            except StaleStudy:
                mirrors.forget(study)
                continue
            except BaseException:
                mirrors.forget(study)
                raise
            return


async def _advance_once(services: Services, mirrors: Mirrors, study: str) -> None:
    async with services.store.read() as connection:
        row = await store.find_study(connection, study)
        if row is None:
            return
        mirror = await mirrors.refresh(connection, row)
        tasks = await _open_tasks(connection, row, mirror)
        groups = [group for repeats in tasks.values() for group in repeats.values()]
        values = await read_values(connection, row.plan, mirror, groups)
        flags = await _flags(connection, mirror, groups)
        before = await trials_before(connection, row) if mirror.optuna is None else ()
        away = await _away(connection, row, groups)
        inside = {task.pilot for group in groups for task in group} - {""}
        pilots = await pilot_facts(connection, row, inside)
    work = Round(row, mirror.trials, time.time(), away=away, pilots=pilots)
    look_at_trials(work, tasks, values, flags)
    plan_starts(work, tasks, row.inputs.node_hours)
    asked = await ask(mirror, row.plan, work.asks, before)
    work.asked = len(asked)
    work.study = replace(work.study, asked=row.asked + len(asked))
    conclude(work)
    if not asked and not work.starts and not work.changed and work.study == row:
        return
    learned = mirror.space(row.plan) if mirror.learned else ()
    await services.store.run(lambda tx: _save(tx, row, work, asked, groups, learned))


async def ask(
    mirror: StudyMirror, plan: StudyPlan, count: int, before: Sequence[MirrorTrial]
) -> list[Asked]:
    if count <= 0:
        return []
    return await asyncio.to_thread(mirror.ask, plan, count, before)


async def trials_before(connection: AsyncConnection, row: StudyRow) -> list[MirrorTrial]:
    """Ended trials of the studies that this one learns from, as far as they fit its space."""
    before: list[MirrorTrial] = []
    for other in row.plan.warm_start:
        source = await store.find_study(connection, other)
        rows = await store.trials_since(connection, other, 0) if source else []
        for trial in rows:
            shown = trial.mirrored(source.plan.space if source else ())
            fits = {dimension.name for dimension in shown.space}
            if not trial.is_open and fits & {each.name for each in row.plan.space}:
                before.append(replace(shown, number=len(before), attributes={}))
    return before


async def _open_tasks(
    connection: AsyncConnection, row: StudyRow, mirror: StudyMirror
) -> dict[int, Repeats]:
    numbers = [trial.number for trial in mirror.trials if trial.is_open]
    found: dict[int, dict[int, list[TrialTask]]] = {}
    for task in await store.tasks_of_trials(connection, row.id, numbers):
        found.setdefault(task.trial, {}).setdefault(task.repeat, []).append(task)
    return dict(found)


async def _flags(
    connection: AsyncConnection, mirror: StudyMirror, groups: Sequence[Sequence[TrialTask]]
) -> set[str]:
    """Ended tasks of trials that are being stopped or held back, if they had the stop flag."""
    flagged = set()
    for group in groups:
        task = group[-1]
        trial = mirror.trials[task.trial]
        is_stopping = trial.state == TrialState.STOPPING.value or (
            trial.cause == HELD_BACK and task.state == "succeeded"
        )
        if task.has_ended and is_stopping and await has_note(connection, task.task, STOP_FLAG):
            flagged.add(task.task)
    return flagged


async def _away(
    connection: AsyncConnection, row: StudyRow, groups: Sequence[Sequence[TrialTask]]
) -> set[str]:
    """Endpoints that hold points ahead and are not online."""
    if not row.plan.ahead_minutes:
        return set()
    open_on = {group[-1].endpoint for group in groups if not group[-1].has_ended}
    found = await endpoints_by_id(connection, open_on)
    return {endpoint.id for endpoint in found.values() if endpoint.state != "online"}


def _load(groups: Sequence[Sequence[TrialTask]]) -> dict[str, tuple[int, int]]:
    load: dict[str, tuple[int, int]] = {}
    for group in groups:
        task = group[-1]
        if not task.has_ended:
            waiting, running = load.get(task.endpoint_name, (0, 0))
            is_running = task.started is not None
            load[task.endpoint_name] = (waiting + (not is_running), running + is_running)
    return load


async def _save(
    tx: Transaction,
    row: StudyRow,
    work: Round,
    asked: Sequence[Asked],
    groups: Sequence[Sequence[TrialTask]],
    learned: tuple[Dimension, ...],
) -> None:
    """The version is taken first: whoever comes second starts again."""
    saved = await store.save_study(tx, replace(work.study, version=row.version))
    changes = dict(work.changed)
    new = [new_trial(saved, each, work.now, space=learned) for each in asked]
    inside = count_inside([group[-1] for group in groups])
    pilots = await study_pilots(tx, saved, inside=inside, lasted=work.lasted, left=work.left)
    starting = await launcher(tx, saved, _load(groups), pilots)
    problem = await _start_waiting(starting, work, changes)
    if not problem:
        new, problem = await _start_new(starting, new)
    revision = saved.version
    await store.save_trials(tx, (replace(each, revision=revision) for each in changes.values()))
    await store.add_trials(tx, [replace(each, revision=revision) for each in new])
    await _stop_tasks(tx, work)
    if work.has_more and not problem:
        tx.wake(STUDIES)
    is_over = work.study.state in (DONE, CANCELLED)
    if is_over or not work.may_need_more:
        await pilots.release(is_over=is_over)
    await _finish(tx, row, starting.study, problem)


async def _start_waiting(
    starting: Launcher, work: Round, changes: dict[int, TrialRow]
) -> DiamondError | None:
    for start in work.starts:
        trial = changes.get(start.trial.number, start.trial)
        try:
            started, _ = await starting.start(replace(start, trial=trial))
        except DiamondError as error:
            return error
        changes[started.number] = started
    return None


async def _start_new(
    starting: Launcher, new: Sequence[TrialRow]
) -> tuple[list[TrialRow], DiamondError | None]:
    """Those that cannot be started stay waiting: no point is lost."""
    trials, problem = list(new), None
    for index in range(len(new)):
        for repeat in range(starting.study.plan.repeats):
            try:
                trials[index], _ = await starting.start(Start(trials[index], repeat))
            except DiamondError as error:
                return trials, error
    return trials, problem


async def _stop_tasks(tx: Transaction, work: Round) -> None:
    stops = {stop.task: stop for stop in work.stops}
    for task in (await tasks_by_id(tx.connection, set(stops))).values():
        await end_task(tx, task, by=stops[task.id].words, grace=stops[task.id].grace)


async def _finish(
    tx: Transaction, before: StudyRow, study: StudyRow, problem: DiamondError | None
) -> None:
    """What was learned while starting is saved; a study that asks notifies its owner."""
    if problem is not None and problem.code != OVER_LIMIT:
        message = " ".join(part for part in (problem.message, problem.hint) if part)
        study = replace(study, state=PAUSED, message=message)
    elif problem is not None:
        study = replace(study, message=f"Waiting: {problem.message}")
    elif study.message.startswith("Waiting: "):
        study = replace(study, message="")
    await store.update_study(tx, study)
    news = [changed("studies")]
    if study.state == PAUSED and before.state != PAUSED:
        news += await notify(tx, study.owner, [paused_notice(study)])
    await publish(tx, study.owner, news)


def paused_notice(study: StudyRow) -> Notice:
    return Notice(
        f"{study.id}:paused:{study.version}",
        "asking",
        f"The study {study.name} is paused and asks you",
        f"{study.message}. Continue it: diamond study resume {study.id}",
    )


def new_trial(
    study: StudyRow,
    asked: Asked,
    now: float,
    origin: str = SAMPLED,
    space: tuple[Dimension, ...] = (),
) -> TrialRow:
    """`space`: where it is not the plan's own."""
    return TrialRow(
        study=study.id,
        number=asked.number,
        owner=study.owner,
        state=TrialState.WAITING.value,
        params=dict(asked.params),
        space=space,
        values=(),
        spread=None,
        steps=(),
        judged=None,
        rungs=(),
        cause="",
        message="",
        origin=origin,
        attributes=dict(asked.attributes),
        endpoint="",
        task="",
        reruns=0,
        node_seconds=0.0,
        created=now,
        started=None,
        ended=None,
    )
