"""How fast a training runs: as the goal says, or as the log of an earlier task or probe shows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.errors import BadRequest, NotFound
from diamond.planning.step_times import Point, startup_seconds, step_seconds
from diamond.service.access.principal import Principal
from diamond.service.output.metrics import TRAINING, task_curves
from diamond.service.planning.advice import count_nodes
from diamond.service.planning.scales import find_scale
from diamond.service.tasks.goal_schemas import Goal
from diamond.service.tasks.tasks import find_task


@dataclass(frozen=True)
class Pace:
    step_seconds: float
    startup_seconds: float
    measured: bool
    warnings: tuple[str, ...] = ()


async def pace_of(
    connection: AsyncConnection, principal: Principal, goal: Goal, nodes: int
) -> Pace:
    """What the goal says comes before what a log shows."""
    if goal.step_seconds is not None:
        return Pace(goal.step_seconds, goal.startup_seconds or 0.0, measured=False)
    if not goal.like:
        raise BadRequest(
            "The goal does not say how long a step takes",
            "Give step_seconds (--step-seconds 0.5), or name a task that logged its steps: like (--like TASK).",
        )
    task = await _task_like(connection, principal, goal.like, nodes)
    pace = await _measured(connection, principal, task, nodes)
    startup = goal.startup_seconds
    return pace if startup is None else replace(pace, startup_seconds=startup)


async def _task_like(
    connection: AsyncConnection, principal: Principal, like: str, nodes: int
) -> str:
    """A task as it is named; of a scale, the probe on as many nodes."""
    if not like.startswith(ids.SCALE):
        return like
    try:
        scale = await find_scale(connection, principal, like)
    except NotFound:
        return like
    measured = {probe.nodes: probe.task for probe in scale.probes if probe.is_measured}
    if nodes not in measured:
        known = ", ".join(map(str, sorted(measured))) or "none"
        raise BadRequest(
            f"Scale {scale.id} has not measured this on {count_nodes(nodes)}",
            f"It measured these node counts: {known}. To probe this one: diamond scale SPEC --nodes {nodes}",
        )
    return measured[nodes]


async def _measured(
    connection: AsyncConnection, principal: Principal, name: str, nodes: int
) -> Pace:
    task = await find_task(connection, principal, name)
    points = await _longest_curve(connection, task.id)
    pace = step_seconds(points)
    if pace is None:
        raise BadRequest(
            f"Task {task.id} has not logged two steps with their times, so its pace is not known",
            "Name a task that calls diamond.training.log(step, …), or give step_seconds.",
        )
    started = task.started if task.started is not None else points[0][1]
    startup = startup_seconds(points, started, pace)
    ran_on = task.resources.nodes
    return Pace(pace, startup, measured=True, warnings=_size_warnings(task.id, ran_on, nodes))


async def _longest_curve(connection: AsyncConnection, task: str) -> list[Point]:
    """(step, time) of the curve with most points; a program may log either without the other."""
    curves = await task_curves(connection, task, TRAINING)
    known = [
        [
            (step, at)
            for step, at in zip(curve.steps, curve.times, strict=True)
            if step == step and at == at
        ]
        for curve in curves
    ]
    return max(known, key=len, default=[])


def _size_warnings(task: str, ran_on: int, nodes: int) -> tuple[str, ...]:
    if ran_on == nodes:
        return ()
    return (
        f"Task {task} ran on {count_nodes(ran_on)} and this asks for {nodes}: the pace may differ. "
        f"`diamond scale` measures it, and --like accepts a scale.",
    )
