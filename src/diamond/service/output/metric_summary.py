"""The last, lowest and highest value of each metric of a task, kept in the transaction that stores its points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import bindparam, select, update

from diamond.service.output.curves import Curve
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import run_summaries
from diamond.service.platform.packed_metrics import Entry, pack_metrics, unpack_metrics

MOST_NAMES = 200
"""Of one task: more columns than anybody chooses from, and each costs every reader of the table."""
LONGEST_NAME = 200
Values = tuple[float | None, float | None]
"""A step and a value; None for a value: the program logged NaN or an infinity."""
Summary = dict[str, Entry]
_READ = (
    select(run_summaries.c.metrics)
    .where(run_summaries.c.task == bindparam("of_task"))
    .with_for_update()
)
_SAVE = (
    update(run_summaries)
    .where(run_summaries.c.task == bindparam("of_task"))
    .values(metrics=bindparam("new_metrics"))
)


async def note_values(tx: Transaction, task: str, values: Mapping[str, Iterable[Values]]) -> None:
    """A task without a summary is older than they are: `runs/old_tasks.py` makes one."""
    row = (await tx.connection.execute(_READ, {"of_task": task})).first()
    if row is None:
        return
    changed = pack_metrics(with_values(unpack_metrics(row[0]), values))
    if changed != row[0]:
        await tx.connection.execute(_SAVE, {"of_task": task, "new_metrics": changed})


def with_values(summary: Mapping[str, Entry], values: Mapping[str, Iterable[Values]]) -> Summary:
    changed = dict(summary)
    for name, points in values.items():
        is_known = name in changed
        if not is_known and (len(changed) >= MOST_NAMES or len(name) > LONGEST_NAME):
            continue
        after = _after(changed.get(name), points)
        if after is not None:
            changed[name] = after
    return changed


def curve_summary(curves: Iterable[tuple[str, Curve]]) -> Summary:
    """Of curves that were stored before summaries were kept."""
    summary: Summary = {}
    for name, curve in curves:
        points = ((step, value) for step, _, value in (curve.at(n) for n in range(len(curve))))
        summary = with_values(summary, {name: points})
    return summary


def _after(entry: Entry | None, points: Iterable[Values]) -> Entry | None:
    """The last value is None where the program logged NaN: a run that diverged shows no number of an hour ago."""
    after = entry
    for step, value in points:
        _, low, high, _ = after or (None, None, None, None)
        if value is not None:
            low = value if low is None else min(low, value)
            high = value if high is None else max(high, value)
        after = (value, low, high, step)
    return after
