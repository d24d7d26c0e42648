"""The owner of a study pauses, resumes, raises and cancels it, adds points and stops trials."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from diamond.core.errors import BadRequest, Conflict
from diamond.core.task import Reason
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import STUDIES
from diamond.service.studies import store
from diamond.service.studies.advance import TRIES, new_trial
from diamond.service.studies.find import find_study, find_trial
from diamond.service.studies.mirrors import mirrors_of
from diamond.service.studies.packing import study_pilots
from diamond.service.studies.read import get_study
from diamond.service.studies.round import GRACE_SECONDS
from diamond.service.studies.rows import (
    ADDED,
    CANCELLED,
    DONE,
    PAUSED,
    RUNNING,
    Counts,
    StudyRow,
    TrialRow,
)
from diamond.service.studies.schemas import StudyChange, StudyDetail
from diamond.service.studies.start import check_budget
from diamond.service.studies.store import StaleStudy
from diamond.service.tasks.store import tasks_by_id
from diamond.service.tasks.tasks import end_task
from diamond.studies.decisions import Streak, TrialState
from diamond.studies.optuna_mirror import Asked
from diamond.studies.space import Value, check_point

Work = Callable[[Transaction, StudyRow], Awaitable[StudyRow]]


async def pause(services: Services, principal: Principal, study: str) -> StudyDetail:
    """No new trial starts; those that run continue."""

    async def work(tx: Transaction, row: StudyRow) -> StudyRow:
        if row.state != RUNNING:
            return row
        return replace(row, state=PAUSED, message=f"paused by {principal.name}")

    return await _change(services, principal, study, work)


async def resume(services: Services, principal: Principal, study: str) -> StudyDetail:
    async def work(tx: Transaction, row: StudyRow) -> StudyRow:
        if row.state == PAUSED:
            return replace(row, state=RUNNING, message="", streak=Streak())
        if row.state == RUNNING:
            return row
        hint = f"Allow more trials: diamond study raise {row.id} --trials {row.plan.trials + 100}"
        raise Conflict(
            f"{row.name} is {row.state}", hint if row.state == DONE else "Start another."
        )

    return await _change(services, principal, study, work)


async def raise_limits(
    services: Services, principal: Principal, study: str, wanted: StudyChange
) -> StudyDetail:
    """A study that is done continues."""
    check_budget(wanted.budget or "")

    async def work(tx: Transaction, row: StudyRow) -> StudyRow:
        if row.state == CANCELLED:
            raise Conflict(f"{row.name} was cancelled", "Start another study.")
        if wanted.trials is not None and wanted.trials < row.asked:
            raise BadRequest(
                f"{row.asked} trials were asked for already", f"Give at least {row.asked}."
            )
        plan = row.plan.raised(
            trials=wanted.trials, budget=wanted.budget or "", parallel=wanted.parallel
        )
        again = row.state == DONE and plan != row.plan
        state = RUNNING if again else row.state
        return replace(
            row,
            plan=plan,
            state=state,
            message="" if again else row.message,
            ended=None if again else row.ended,
        )

    return await _change(services, principal, study, work)


async def cancel(services: Services, principal: Principal, study: str) -> StudyDetail:
    """Its trials end; what they have logged stays."""

    async def work(tx: Transaction, row: StudyRow) -> StudyRow:
        if row.state == CANCELLED:
            return row
        message = f"cancelled by {principal.name}"
        row = replace(row, state=CANCELLED, message=message, ended=time.time())
        trials = [
            each for each in await store.trials_since(tx.connection, row.id, 0) if each.is_open
        ]
        stopped = await _stop(tx, row, trials, message)
        pilots = await study_pilots(tx, row, inside={})
        await pilots.release(is_over=True)
        return stopped

    return await _change(services, principal, study, work, action=Action.STOP)


async def stop_trial(
    services: Services, principal: Principal, study: str, number: int
) -> StudyDetail:
    """One trial ends, and counts as pruned."""

    async def work(tx: Transaction, row: StudyRow) -> StudyRow:
        trial = await find_trial(tx.connection, row, number)
        if not trial.is_open:
            return row
        return await _stop(tx, row, [trial], f"stopped by {principal.name}")

    return await _change(services, principal, study, work)


async def add_points(
    services: Services, principal: Principal, study: str, points: Sequence[Mapping[str, Value]]
) -> StudyDetail:
    """They are tried before the sampler's own; `trials` grows if they would not fit."""

    async def work(tx: Transaction, row: StudyRow) -> StudyRow:
        if row.state == CANCELLED:
            raise Conflict(f"{row.name} was cancelled", "Start another study.")
        for n, point in enumerate(points):
            wrong = check_point(row.plan.space, point)
            if wrong:
                raise BadRequest(f"Point {n}: {wrong}")
        asked = row.asked + len(points)
        grown = replace(
            row,
            asked=asked,
            open=row.open + len(points),
            counts=replace(row.counts, waiting=row.counts.waiting + len(points)),
            plan=replace(row.plan, trials=max(row.plan.trials, asked)),
        )
        if row.state == DONE:
            grown = replace(grown, state=RUNNING, message="", ended=None)
        now, revision = time.time(), row.version + 1
        rows = [
            new_trial(row, Asked(row.asked + n, point, {}), now, ADDED)
            for n, point in enumerate(points)
        ]
        await store.add_trials(tx, [replace(each, revision=revision) for each in rows])
        return grown

    return await _change(services, principal, study, work)


async def _stop(
    tx: Transaction, row: StudyRow, trials: Sequence[TrialRow], message: str
) -> StudyRow:
    """Those with tasks end with them; the others at once."""
    tasks = await store.tasks_of_trials(tx.connection, row.id, [each.number for each in trials])
    running = {task.trial: task for task in tasks if not task.has_ended}
    counts, changes = vars(row.counts).copy(), []
    for trial in trials:
        ends = trial.number not in running
        state = TrialState.PRUNED if ends else TrialState.STOPPING
        counts[trial.state] -= 1
        counts[state.value] += 1
        cause = Reason.BY_PERSON.value
        stopped = replace(trial, state=state.value, cause=cause, message=message)
        ended = time.time() if ends else None
        changes.append(replace(stopped, ended=ended, revision=row.version + 1))
    await store.save_trials(tx, changes)
    wanted = {task.task for task in tasks if not task.has_ended}
    for task in (await tasks_by_id(tx.connection, wanted)).values():
        await end_task(tx, task, by=message, grace=GRACE_SECONDS)
    over = sum(not each.is_open for each in changes)
    return replace(row, counts=Counts(**counts), open=row.open - over)


async def _change(
    services: Services,
    principal: Principal,
    study: str,
    work: Work,
    *,
    action: Action = Action.WRITE,
) -> StudyDetail:
    """Again from the start, if a round was saved meanwhile."""

    async def change(tx: Transaction) -> str:
        row = await find_study(tx.connection, principal, study, action)
        after = await work(tx, row)
        if after is not row:
            await store.save_study(tx, replace(after, version=row.version))
            tx.wake(STUDIES)
            await publish(tx, row.owner, [changed("studies")])
        return row.id

    for attempt in range(TRIES):
        try:
            found = await services.store.run(change)
            break
        except StaleStudy:
            mirrors_of(services).forget(study)
            if attempt == TRIES - 1:
                raise Conflict("The study changed at the same time", "Try again.") from None
    return await get_study(services, principal, found)
