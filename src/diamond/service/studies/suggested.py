"""Dimensions that the program of a trial named itself: they become part of its point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from diamond.compose.study import MOST_DIMENSIONS
from diamond.core.facts import Suggested
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.wakeups.notifier import STUDIES
from diamond.service.studies import store
from diamond.studies.space import Dimension, Value, check_dimension

MOST_CHOICES = 1000
LONGEST_TEXT = 1000


async def note_suggested(tx: Transaction, task: str, suggested: Sequence[Suggested]) -> None:
    """Does nothing for other tasks, and for a trial that has ended."""
    if not suggested:
        return
    place = await store.study_of_task(tx.connection, task)
    study = await store.find_study(tx.connection, place[0]) if place else None
    trial = await store.find_trial(tx.connection, *place) if place else None
    if study is None or trial is None or not trial.is_open:
        return
    known = trial.space or study.plan.space
    new = new_dimensions(suggested, trial.params, room=MOST_DIMENSIONS - len(known))
    if not new:
        return
    params: dict[str, Value] = {name: value for name, (_, value) in new.items()}
    space = (*known, *(dimension for dimension, _ in new.values()))
    revision = await store.next_version(tx, study.id)
    changed = replace(trial, params={**trial.params, **params}, space=space, revision=revision)
    await store.save_trials(tx, [changed])
    tx.wake(STUDIES)


def new_dimensions(
    suggested: Sequence[Suggested], known: Mapping[str, Value], *, room: int
) -> dict[str, tuple[Dimension, Value]]:
    """With their values, by name: at most as many as there is room for, as a program may name them without end."""
    new: dict[str, tuple[Dimension, Value]] = {}
    for each in suggested:
        if len(new) >= room:
            break
        if each.name not in known and (dimension := _dimension(each)) is not None:
            new[each.name] = (dimension, each.value)
    return new


def _dimension(given: Suggested) -> Dimension | None:
    """None for one that is not valid: a job may write anything."""
    choices = tuple(each for each in given.choices if _is_scalar(each))
    if len(choices) != len(given.choices) or len(choices) > MOST_CHOICES:
        return None
    dimension = Dimension(
        given.name, given.kind, given.low, given.high, given.log, given.step, choices
    )
    if check_dimension(dimension) or not dimension.contains(given.value):
        return None
    return dimension


def _is_scalar(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT
    return value is None or isinstance(value, (bool, int, float))
