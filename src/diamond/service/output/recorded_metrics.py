"""The metrics of an ended task, for its record."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from diamond.provenance import entries as kinds
from diamond.provenance.bodies import MetricsSeen, Value
from diamond.provenance.entries import Draft
from diamond.service.entries.store import entries_of_many
from diamond.service.output.rows import SeriesValues
from diamond.service.output.summary import final_values
from diamond.service.platform.database.engine import Transaction
from diamond.service.tasks.record_entries import record
from diamond.service.tasks.rows import TaskRow

MOST_NAMES = 200
MOST_ENTRIES = 20
"""Of one task: an agent that sends late metrics in ever smaller pieces makes no longer record."""


async def record_metrics(tx: Transaction, tasks: Sequence[TaskRow]) -> None:
    """Those of tasks that have ended, in the transaction that ends them or brings later points."""
    if not tasks:
        return
    ids = [task.id for task in tasks]
    values = await final_values(tx.connection, ids)
    with_values = [task for task in tasks if values.get(task.id)]
    if not with_values:
        return
    known = await entries_of_many(tx.connection, [task.id for task in with_values], {kinds.METRICS})
    changes = []
    for task in with_values:
        before = [row.entry.body for row in known[task.id]]
        draft = _draft(values[task.id])
        if len(before) < MOST_ENTRIES and (not before or before[-1]["values"] != _data(draft)):
            changes.append((task, [draft]))
    await record(tx, changes)


def _draft(values: Mapping[str, SeriesValues]) -> Draft:
    names = sorted(name for name, known in values.items() if known.last is not None)
    seen = {
        name: Value(one.last, one.low, one.high, one.last_step)
        for name in names[:MOST_NAMES]
        for one in [values[name]]
    }
    return Draft(kinds.METRICS, time.time(), MetricsSeen(seen))


def _data(draft: Draft) -> dict[str, dict[str, object]]:
    return {name: vars(value) for name, value in draft.body.values.items()}
