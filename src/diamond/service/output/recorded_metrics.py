"""The metrics of an ended task, for its record."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from diamond.provenance import entries as kinds
from diamond.provenance.bodies import MetricsSeen, Value
from diamond.provenance.entries import Draft
from diamond.service.entries.store import entries_of_many
from diamond.service.output import metric_store
from diamond.service.output.metrics import USAGE
from diamond.service.output.rows import SeriesValues
from diamond.service.output.summary import final_values
from diamond.service.platform.database.engine import Transaction
from diamond.service.tasks.record_entries import record
from diamond.service.tasks.rows import TaskRow

ENERGY = "energy_joules"
"""As the sampler writes it: of all nodes, from the beginning of a run."""
MOST_NAMES = 200
MOST_ENTRIES = 20
"""Of one task: an agent that sends late metrics in ever smaller pieces makes no longer record."""


async def record_metrics(tx: Transaction, tasks: Sequence[TaskRow]) -> None:
    """Those of tasks that have ended, in the transaction that ends them or brings later points."""
    if not tasks:
        return
    ids = [task.id for task in tasks]
    values = await final_values(tx.connection, ids)
    energy = await _energy(tx, ids)
    with_values = [task for task in tasks if values.get(task.id) or task.id in energy]
    if not with_values:
        return
    known = await entries_of_many(tx.connection, [task.id for task in with_values], {kinds.METRICS})
    changes = []
    for task in with_values:
        before = [row.entry.body for row in known[task.id]]
        draft = _draft(values.get(task.id, {}), energy.get(task.id))
        if len(before) < MOST_ENTRIES and (not before or _data(draft) != _known(before[-1])):
            changes.append((task, [draft]))
    await record(tx, changes)


async def _energy(tx: Transaction, tasks: Sequence[str]) -> dict[str, float]:
    """Joules of each task over all its attempts and runs, where the machine said it: each run counts from zero."""
    joules: dict[str, float] = defaultdict(float)
    for series in await metric_store.series_of(tx.connection, tasks, USAGE):
        if series.name == ENERGY and series.last is not None:
            joules[series.task] += series.last
    return joules


def _draft(values: Mapping[str, SeriesValues], energy: float | None) -> Draft:
    names = sorted(name for name, known in values.items() if known.last is not None)
    seen = {
        name: Value(one.last, one.low, one.high, one.last_step)
        for name in names[:MOST_NAMES]
        for one in [values[name]]
    }
    return Draft(kinds.METRICS, time.time(), MetricsSeen(seen, energy))


def _data(draft: Draft) -> tuple[object, object]:
    seen: MetricsSeen = draft.body
    return {name: vars(value) for name, value in seen.values.items()}, seen.energy_joules


def _known(body: Mapping[str, object]) -> tuple[object, object]:
    return body["values"], body.get("energy_joules")
