"""Runs side by side: what they share and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest, NotFound
from diamond.service.access.principal import Principal
from diamond.service.images.store import image_used_by
from diamond.service.images.views import find_image
from diamond.service.platform.packed_metrics import HIGHEST, LAST, LOWEST, Entry, unpack_metrics
from diamond.service.platform.services import Services
from diamond.service.runs import store
from diamond.service.runs.columns import Value, less_is_better, plain
from diamond.service.runs.imported_store import find_imported
from diamond.service.runs.rows import ImportedRow
from diamond.service.runs.schemas import ComparedRow, ComparedRun, Comparison, Part, PartName
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.summaries import facts_of
from diamond.service.tasks.tasks import find_task

FEWEST, MOST = 2, 10
NOT_SHARED = "not shared with you"


@dataclass(frozen=True)
class Side:
    """One of the compared runs, as far as the caller may see it."""

    run: ComparedRun
    facts: Mapping[str, Any]
    metrics: Mapping[str, Entry]
    resources: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)


async def compare_runs(
    services: Services, principal: Principal, names: Sequence[str]
) -> Comparison:
    wanted = list(dict.fromkeys(names))
    if not FEWEST <= len(wanted) <= MOST:
        raise BadRequest(
            f"{len(wanted)} different runs to compare", f"Give {FEWEST} to {MOST} of them."
        )
    async with services.store.read() as connection:
        sides = [await _side(connection, principal, name) for name in wanted]
    return Comparison(
        runs=[side.run for side in sides],
        parts=[part for part in _parts(sides) if part.rows],
    )


async def _side(connection: AsyncConnection, principal: Principal, name: str) -> Side:
    imported = await find_imported(connection, principal, name)
    if imported is not None:
        return _imported_side(imported)
    task = await find_task(connection, principal, name)
    metrics = await store.metrics_of(connection, task.id)
    order: dict[str, Any] = task.order_json
    return Side(
        run=_shown(task),
        facts=facts_of(task),
        metrics=unpack_metrics(metrics),
        resources=order.get("resources") or {},
        environment=order.get("environment") or {},
        packages=await _packages(connection, principal, task),
    )


async def _packages(
    connection: AsyncConnection, principal: Principal, task: TaskRow
) -> dict[str, str]:
    """Of its image, if the caller may see that."""
    used = await image_used_by(connection, task.id)
    if used is None:
        return {}
    try:
        image = await find_image(connection, principal, used)
    except NotFound:
        return {"": NOT_SHARED}
    packages = image.manifest.packages or {}
    return {**packages.get("system", {}), **packages.get("python", {})}


def _parts(sides: Sequence[Side]) -> list[Part]:
    return [
        _part("params", sides, lambda side: side.facts.get("params", {})),
        _part("data", sides, lambda side: side.facts.get("data", {})),
        _part("code", sides, _code),
        _part("image", sides, _image),
        _different(_part("packages", sides, lambda side: side.packages)),
        _part("resources", sides, lambda side: side.resources),
        _part("metrics", sides, _last_values),
        _part("best", sides, _best_values),
        _part("ending", sides, _ending),
    ]


def _part(name: PartName, sides: Sequence[Side], read: Callable[[Side], Mapping[str, Any]]) -> Part:
    tables = [read(side) for side in sides]
    names = dict.fromkeys(key for table in tables for key in table)
    rows = [_row(key, [plain(table.get(key)) for table in tables]) for key in names]
    return Part(name=name, rows=rows)


def _row(name: str, values: list[Value]) -> ComparedRow:
    return ComparedRow(name=name, values=values, differs=any(each != values[0] for each in values))


def _different(part: Part) -> Part:
    """Images hold hundreds of packages: only those that differ are worth a line."""
    return Part(name=part.name, rows=[row for row in part.rows if row.differs])


def _code(side: Side) -> dict[str, Value]:
    return {name: side.facts[name] for name in ("code", "commit") if side.facts.get(name)}


def _image(side: Side) -> dict[str, Value]:
    shown = {"image": side.facts.get("image"), "python": side.environment.get("python")}
    return {name: value for name, value in shown.items() if value}


def _last_values(side: Side) -> dict[str, Value]:
    return {name: entry[LAST] for name, entry in side.metrics.items()}


def _best_values(side: Side) -> dict[str, Value]:
    return {
        name: entry[LOWEST if less_is_better(name) else HIGHEST]
        for name, entry in side.metrics.items()
    }


def _ending(side: Side) -> dict[str, Value]:
    run = side.run
    return {
        "state": run.state,
        "reason": run.reason,
        "exit_code": run.exit_code,
        "message": run.message,
        "duration": run.duration,
        "node_hours": run.node_hours,
        "attempts": run.attempts,
        "node": run.node,
    }


def _shown(task: TaskRow) -> ComparedRun:
    return ComparedRun(
        id=task.id,
        source="diamond",
        name=task.name,
        endpoint=task.endpoint_name,
        state=task.state,
        reason=task.reason,
        message=task.message,
        exit_code=task.exit_code,
        created=task.created,
        duration=_duration(task.started, task.ended),
        node_hours=round(task.node_seconds / 3600, 6),
        attempts=len(task.attempts),
        node=task.node,
        has_code=bool(task.order_json.get("code")),
    )


def _imported_side(row: ImportedRow) -> Side:
    run = ComparedRun(
        id=row.id,
        source=row.source,
        name=row.name,
        endpoint=row.experiment,
        state=row.state,
        created=row.created,
        duration=_duration(row.started, row.ended),
    )
    return Side(run=run, facts=row.facts, metrics=unpack_metrics(row.metrics))


def _duration(started: float | None, ended: float | None) -> float | None:
    return None if started is None or ended is None else round(max(0.0, ended - started), 3)
