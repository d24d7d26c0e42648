"""Studies in memory: their trials and an Optuna study made of them. Each process has its own, read from the rows."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Store
from diamond.service.platform.services import Services
from diamond.service.studies import store
from diamond.service.studies.rows import StudyRow, TrialRow
from diamond.studies.optuna_mirror import Asked, MirrorTrial, OptunaMirror
from diamond.studies.plan import StudyPlan
from diamond.studies.space import Dimension
from diamond.studies.values import LoggedPoint

MOST_STUDIES = 50
"""In memory at once; the one that was used longest ago is dropped."""


@dataclass
class CachedCurve:
    count: int
    points: list[LoggedPoint]


@dataclass
class StudyMirror:
    """One study. Whoever uses it holds the study's lock."""

    revision: int = 0
    trials: list[TrialRow] = field(default_factory=list)
    curves: dict[int, CachedCurve] = field(default_factory=dict)
    """By series: what open trials have logged."""
    learned: tuple[Dimension, ...] = ()
    """Dimensions that programs named themselves."""
    _optuna: OptunaMirror | None = None
    _plan: StudyPlan | None = None
    _before: Sequence[MirrorTrial] = ()

    def space(self, plan: StudyPlan) -> tuple[Dimension, ...]:
        known = {dimension.name for dimension in plan.space}
        return (*plan.space, *(each for each in self.learned if each.name not in known))

    def take(self, rows: Sequence[TrialRow], plan: StudyPlan, revision: int) -> None:
        for row in rows:
            if row.number < len(self.trials):
                self.trials[row.number] = row
            else:
                self.trials.append(row)
        self._learn(rows)
        if self._optuna is not None:
            for row in rows:
                self._optuna.put(row.mirrored(plan.space))
        self.revision = revision

    def ask(self, plan: StudyPlan, count: int, before: Sequence[MirrorTrial]) -> list[Asked]:
        """The next points. Takes milliseconds for each, more with many trials: call it in a thread."""
        optuna = self._optuna
        if optuna is None or plan.sampler != getattr(self._plan, "sampler", None):
            optuna = OptunaMirror(plan, before)
            for row in self.trials:
                optuna.put(row.mirrored(plan.space))
        self._optuna, self._plan = optuna, plan
        space = self.space(plan)
        return [optuna.ask(space, len(self.trials) + n) for n in range(count)]

    def _learn(self, rows: Sequence[TrialRow]) -> None:
        known = {each.name: each for each in self.learned}
        for row in rows:
            known.update((each.name, each) for each in row.space if each.name not in known)
        self.learned = tuple(known.values())

    @property
    def optuna(self) -> OptunaMirror | None:
        return self._optuna


class Mirrors:
    def __init__(self) -> None:
        self._mirrors: OrderedDict[str, StudyMirror] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    def lock(self, study: str) -> asyncio.Lock:
        return self._locks.setdefault(study, asyncio.Lock())

    async def refresh(self, connection: AsyncConnection, study: StudyRow) -> StudyMirror:
        """With everything that was saved up to the study's version."""
        mirror = self._mirrors.setdefault(study.id, StudyMirror())
        self._mirrors.move_to_end(study.id)
        while len(self._mirrors) > MOST_STUDIES:
            self._mirrors.popitem(last=False)
        if mirror.revision < study.version:
            rows = await store.trials_since(connection, study.id, mirror.revision)
            mirror.take(rows, study.plan, study.version)
        return mirror

    def at_version(self, study: StudyRow) -> StudyMirror | None:
        """If it has been asked for points, and knows exactly what this version of the study does."""
        mirror = self._mirrors.get(study.id)
        if mirror is None or mirror.optuna is None or mirror.revision != study.version:
            return None
        self._mirrors.move_to_end(study.id)
        return mirror

    def forget(self, study: str) -> None:
        """What was asked and not saved must not count."""
        self._mirrors.pop(study, None)


_ALL: WeakKeyDictionary[Store, Mirrors] = WeakKeyDictionary()


def mirrors_of(services: Services) -> Mirrors:
    return _ALL.setdefault(services.store, Mirrors())
