"""How fast a training goes: as its person says, or as the log of an earlier task or probe tells."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from diamond.core import ids
from diamond.core.errors import BadRequest, NotFound
from diamond.planning.probe_runs import ProbeState
from diamond.planning.step_times import Point, startup_seconds, step_seconds
from diamond.service.access.principal import Principal
from diamond.service.output.metrics import TRAINING, CurvesWanted, read_metrics
from diamond.service.planning.scales import find_scale
from diamond.service.platform.services import Services
from diamond.service.tasks.goal_schemas import Goal
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import load_task


@dataclass(frozen=True)
class Pace:
    step_seconds: float
    startup_seconds: float
    measured: bool
    warnings: tuple[str, ...] = ()


async def pace_of(services: Services, principal: Principal, goal: Goal, nodes: int) -> Pace:
    """What the person says goes before what a log tells."""
    if goal.step_seconds is not None:
        return Pace(goal.step_seconds, goal.startup_seconds or 0.0, measured=False)
    if not goal.like:
        raise BadRequest(
            "The plan does not say how long a step takes",
            "Give step_seconds (--step-seconds 0.5), or name a task that logged its steps: like (--like TASK).",
        )
    task = await _task_like(services, principal, goal.like, nodes)
    found = await _measured(services, principal, task, nodes)
    said = goal.startup_seconds
    return found if said is None else replace(found, startup_seconds=said)


async def _task_like(services: Services, principal: Principal, like: str, nodes: int) -> str:
    """A task as it is named; of a scale, the probe on as many nodes."""
    if not like.startswith(ids.SCALE):
        return like
    try:
        async with services.store.read() as connection:
            scale = await find_scale(connection, principal, like)
    except NotFound:
        return like
    told = {
        one["nodes"]: one["task"]
        for one in scale["probes"]
        if one["state"] == ProbeState.MEASURED.value
    }
    if nodes not in told:
        known = ", ".join(map(str, sorted(told))) or "none"
        raise BadRequest(
            f"Scale {scale['id']} has not measured this on {nodes} node{'s' * (nodes > 1)}",
            f"Numbers of nodes that it measured: {known}. To probe this one: diamond scale SPEC --nodes {nodes}",
        )
    return str(told[nodes])


async def _measured(services: Services, principal: Principal, task: str, nodes: int) -> Pace:
    row = await load_task(services, principal, task)
    points = _longest(await read_metrics(services, principal, row["id"], CurvesWanted(TRAINING)))
    pace = step_seconds(points)
    if pace is None:
        raise BadRequest(
            f"Task {row['id']} has logged no two steps with their times, so it tells no pace",
            "Name a task that calls diamond.training.log(step, …), or give step_seconds.",
        )
    started = row["started"] if row["started"] is not None else points[0][1]
    startup = startup_seconds(points, started, pace)
    return Pace(pace, startup, measured=True, warnings=_of_another_size(row, nodes))


def _longest(metrics: bytes) -> list[Point]:
    """(step, time) of the curve that has most of them; a program may log either without the other."""
    curves = [
        [(step, at) for step, at, _ in one["points"] if step is not None and at is not None]
        for one in json.loads(metrics)["items"]
    ]
    return max(curves, key=len, default=[])


def _of_another_size(row: TaskRow, nodes: int) -> tuple[str, ...]:
    ran = row.resources.nodes
    if ran == nodes:
        return ()
    return (
        f"Task {row['id']} ran on {ran} node{'s' * (ran > 1)} and this asks for {nodes}: its pace may be another one. "
        f"`diamond scale` measures it, and --like takes a scale.",
    )
