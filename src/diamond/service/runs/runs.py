"""The table of runs: what a caller may see, in the columns and the order that they ask for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic_core import to_json

from diamond.core.errors import BadRequest
from diamond.service.access.principal import Principal
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project, sees_all
from diamond.service.runs import store, table
from diamond.service.runs.columns import Column, own_columns
from diamond.service.runs.rows import RunRow
from diamond.service.runs.schemas import ColumnNames, RunColumn
from diamond.service.runs.table import Asked

MOST_ROWS = 10_000
NAMES_SHOWN = 500


@dataclass(frozen=True)
class Window:
    """Which of the matching rows an answer holds."""

    limit: int = 100
    cursor: str | None = None

    @property
    def start(self) -> int:
        if not self.cursor:
            return 0
        if not (self.cursor.isascii() and self.cursor.isdigit() and len(self.cursor) < 10):
            raise BadRequest(
                f"{self.cursor[:40]!r} is not a cursor", "Take it from `next` of an earlier answer."
            )
        return int(self.cursor)


async def run_table(
    services: Services, principal: Principal, asked: Asked, window: Window, *, project: str = ""
) -> bytes:
    """A RunTable as JSON, written at once: checking 200 000 cells against a schema takes longer than reading them."""
    start = window.start
    runs = await visible_runs(services, principal, project)
    return await asyncio.to_thread(_answer, runs, asked, start, window.limit)


async def run_csv(
    services: Services, principal: Principal, asked: Asked, *, project: str = ""
) -> str:
    runs = await visible_runs(services, principal, project)
    return await asyncio.to_thread(lambda: table.as_csv(table.chosen(runs, asked), asked.columns))


async def column_names(
    services: Services, principal: Principal, *, project: str = ""
) -> ColumnNames:
    """The most used first."""
    runs = await visible_runs(services, principal, project)
    return ColumnNames(
        own=[_column(each) for each in own_columns()],
        params=_most_used(run.facts.get("params", ()) for run in runs),
        metrics=_most_used(run.metrics.places for run in runs),
        data=_most_used(run.facts.get("data", ()) for run in runs),
        tags=_most_used(run.tags for run in runs),
    )


async def visible_runs(services: Services, principal: Principal, project: str) -> list[RunRow]:
    """The caller's own; or those of a project, in a course only for its managers."""
    async with services.store.read() as connection:
        if not project:
            return await store.read_runs(connection, owner=principal.user)
        row = await find_project(connection, principal, project)
        owner = "" if sees_all(principal, row) else principal.user
        return await store.read_runs(connection, owner=owner, project=row.id)


def _answer(runs: Sequence[RunRow], asked: Asked, start: int, limit: int) -> bytes:
    kept = table.chosen(runs, asked)
    grouped, group_count = table.groups(kept, asked) if asked.group else ([], 0)
    shown = [] if asked.group else kept[start : start + limit]
    after = start + limit
    values = table.cells(shown, asked.columns)
    return to_json(
        {
            "columns": [_column(each).model_dump() for each in asked.columns],
            "rows": [
                {"id": run.id, "source": run.source, "values": row}
                for run, row in zip(shown, values, strict=True)
            ],
            "groups": grouped,
            "group_count": group_count,
            "total": len(kept),
            "looked_at": len(runs),
            "is_complete": len(runs) < store.MOST_RUNS,
            "next": str(after) if not asked.group and after < len(kept) else None,
        },
        inf_nan_mode="null",
    )


def _column(each: Column) -> RunColumn:
    return RunColumn(name=each.name, kind=each.kind)


def _most_used(names: Iterable[Iterable[str]]) -> list[str]:
    counts = Counter(name for each in names for name in each)
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))][
        :NAMES_SHOWN
    ]
