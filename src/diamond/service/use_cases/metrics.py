"""Reading metrics: one curve per name, over all attempts and runs, in few enough points to draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.store import metrics
from diamond.service.thinning import thin
from diamond.service.use_cases.tasks import find_task

TRAINING = ["metrics", "tensorboard"]
USAGE = ["usage"]


@dataclass(frozen=True)
class CurvesWanted:
    sources: list[str]
    names: frozenset[str] = frozenset()
    """Empty: all."""
    points: int = 1000
    from_step: float | None = None
    to_step: float | None = None


async def compare(services, person, tasks, wanted):
    raise NotImplementedError


async def as_csv(services, person, task, *, usage):
    raise NotImplementedError


async def read_metrics(
    services: Services, principal: Principal, task: str, wanted: CurvesWanted,
) -> list[dict[str, Any]]:  # fmt: skip
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        curves: dict[str, list[Any]] = {}
        thinned: dict[str, bool] = {}
        for series in await metrics.series_of(connection, row["id"], wanted.sources):
            if not wanted.names or series["name"] in wanted.names:
                found = await metrics.points_after(connection, series["id"], 0)
                curves.setdefault(series["name"], []).extend(found)
                thinned[series["name"]] = thinned.get(series["name"], False) or series["stride"] > 1
    return [_curve(one, curves[one], thinned[one], wanted.points) for one in sorted(curves)]


def _curve(name: str, found: list[Any], thinned: bool, limit: int) -> dict[str, Any]:
    ordered = sorted(found, key=lambda point: point["time"] or 0.0)
    triples = [(point["step"], point["time"], point["value"]) for point in ordered]
    kept = thin(triples, [point["value"] for point in ordered], limit)
    return {"name": name, "points": kept, "thinned": thinned or len(kept) < len(triples)}
