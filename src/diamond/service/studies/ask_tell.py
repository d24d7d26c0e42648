"""Ask and tell by calls of the API, for programs that try the points themselves."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from diamond.core.errors import BadRequest, Conflict
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.studies import schemas, store
from diamond.service.studies.advance import TRIES, ask, new_trial, trials_before
from diamond.service.studies.find import find_study
from diamond.service.studies.mirrors import StudyMirror, mirrors_of
from diamond.service.studies.rows import ASKED, DONE, RUNNING, Counts, StudyRow, TrialRow
from diamond.service.studies.schemas import Asked, TellRequest, ToldTrial
from diamond.service.studies.store import StaleStudy
from diamond.service.studies.views import show_trial
from diamond.studies.decisions import TrialState
from diamond.studies.optuna_mirror import MirrorTrial


async def tell_and_ask(
    services: Services, principal: Principal, study: str, body: TellRequest | schemas.AskRequest
) -> Asked:
    """Take the ends of some points, and give the next."""
    told = body.trials if isinstance(body, TellRequest) else []
    count = body.ask if isinstance(body, TellRequest) else body.count
    async with services.store.read() as connection:
        found = await find_study(connection, principal, study, Action.WRITE)
    mirrors = mirrors_of(services)
    async with mirrors.lock(found.id):
        for _ in range(TRIES):
            try:
                row, mirror, before = await _look(services, found)
                return await _once(services, row, mirror, before, told, count)
            except StaleStudy:
                mirrors.forget(found.id)
            except BaseException:
                mirrors.forget(found.id)
                raise
    raise Conflict("The study changed at the same time", "Try again.")


async def _look(
    services: Services, found: StudyRow
) -> tuple[StudyRow, StudyMirror, Sequence[MirrorTrial]]:
    """The study and its copy in memory. What was read before the lock was there counts, if the copy is of that version:
    on PostgreSQL each further reading takes milliseconds, and saving fails if somebody was faster."""
    mirrors = mirrors_of(services)
    known = mirrors.at_version(found)
    if known is not None:
        return found, known, ()
    async with services.store.read() as connection:
        row = await store.find_study(connection, found.id)
        assert row is not None
        mirror = await mirrors.refresh(connection, row)
        return row, mirror, await trials_before(connection, row) if mirror.optuna is None else ()


async def _once(
    services: Services,
    row: StudyRow,
    mirror: StudyMirror,
    before: Sequence[MirrorTrial],
    told: Sequence[ToldTrial],
    count: int,
) -> Asked:
    now = time.time()
    ended = _ended(row, mirror, told, now)
    count = min(count, row.plan.trials - row.asked)
    if count and row.state != RUNNING:
        raise Conflict(f"{row.name} is {row.state}", f"Resume it: diamond study resume {row.id}")
    mirror.take(list(ended.values()), row.plan, mirror.revision)
    points = await ask(mirror, row.plan, count, before)
    new = [
        replace(new_trial(row, each, now, ASKED), state=TrialState.RUNNING.value, started=now)
        for each in points
    ]
    after = _counted(row, mirror, ended, len(new), now)
    saved = await services.store.run(lambda tx: _save(tx, after, list(ended.values()), new))
    mirror.take(saved.trials, row.plan, saved.study.version)
    return Asked(trials=[show_trial(each) for each in new])


def _ended(
    row: StudyRow, mirror: StudyMirror, told: Sequence[ToldTrial], now: float
) -> Mapping[int, TrialRow]:
    ended: dict[int, TrialRow] = {}
    for each in told:
        known = mirror.trials[each.number] if each.number < len(mirror.trials) else None
        if known is None:
            raise BadRequest(f"There is no trial {each.number}", f"Trials so far: {row.asked}.")
        if known.origin != ASKED:
            raise Conflict(f"Trial {each.number} is tried by tasks of its own")
        if not known.is_open or each.number in ended:
            raise Conflict(f"Trial {each.number} has ended already: it is {known.state}")
        wanted = len(row.plan.objectives)
        if each.values and len(each.values) != wanted:
            raise BadRequest(f"Trial {each.number} has {len(each.values)} values, not {wanted}")
        ended[each.number] = _end(known, each, now)
    return ended


def _end(known: TrialRow, told: ToldTrial, now: float) -> TrialRow:
    state = TrialState.FAILED
    if told.pruned:
        state = TrialState.PRUNED
    elif told.values:
        state = TrialState.COMPLETE
    return replace(
        known,
        state=state.value,
        values=tuple(told.values) if state is TrialState.COMPLETE else (),
        steps=tuple(sorted((at, value) for at, value in told.steps)),
        cause="told" if state is TrialState.FAILED else "",
        message=told.message,
        ended=now,
    )


def _counted(
    row: StudyRow, mirror: StudyMirror, ended: Mapping[int, TrialRow], new: int, now: float
) -> StudyRow:
    counts = vars(row.counts).copy()
    counts["running"] += new - len(ended)
    best, plan = row.best, row.plan
    for trial in ended.values():
        counts[trial.state] += 1
        if trial.is_complete and plan.is_single:
            known = mirror.trials[best].values[0] if best is not None else None
            if known is None or plan.objectives[0].is_better(trial.values[0], known):
                best = trial.number
    open_now, asked = row.open + new - len(ended), row.asked + new
    is_done = asked >= plan.trials and not open_now and row.state == RUNNING
    after = replace(row, counts=Counts(**counts), best=best, open=open_now, asked=asked)
    return replace(after, state=DONE, ended=now) if is_done else after


@dataclass(frozen=True)
class _Saved:
    """So that the copy in memory need not read it again."""

    study: StudyRow
    trials: Sequence[TrialRow]


async def _save(
    tx: Transaction, row: StudyRow, ended: Sequence[TrialRow], new: Sequence[TrialRow]
) -> _Saved:
    saved = await store.save_study(tx, row)
    ends = [replace(each, revision=saved.version) for each in ended]
    begun = [replace(each, revision=saved.version) for each in new]
    await store.save_trials(tx, ends)
    await store.add_trials(tx, begun)
    return _Saved(saved, [*ends, *begun])
