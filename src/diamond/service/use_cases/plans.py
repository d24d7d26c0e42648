"""A plan for a spec: its goal, the pace of an earlier task, the person's own waits, the site's limits and rates."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from diamond.compose.checking import Composed
from diamond.compose.site import partition_named
from diamond.core.errors import BadRequest
from diamond.planning.budget import Budget, Use, may_start, parse_budget
from diamond.planning.chains import ChainPlan, Place, Work, epochs_as_steps, plan_chain
from diamond.planning.measuring import startup_seconds, step_seconds
from diamond.planning.waits import PastWait, forecast
from diamond.service import schemas
from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.store.rows import Row
from diamond.service.use_cases.asked import asked_for
from diamond.service.use_cases.auto_nodes import check_job
from diamond.service.use_cases.community import usable_endpoint
from diamond.service.use_cases.granting import known_waits
from diamond.service.use_cases.metrics import TRAINING, CurvesWanted, read_metrics
from diamond.service.use_cases.tasks import load_task
from diamond.service.views import effective_facts
from diamond.training.checkpoints.interval import lead_before_deadline

PREDICTED = (
    "nodes", "steps", "step_seconds", "measured", "attempts", "finish", "node_hours", "node_hours_at_most",
)  # fmt: skip
SHARES = (0.25, 0.5, 1.0)
"""Of the partition's longest wall-time: what else one might ask for."""


@dataclass(frozen=True)
class Pace:
    step_seconds: float
    startup_seconds: float
    measured: bool


async def make_plan(
    services: Services, principal: Principal, body: schemas.PlanRequest
) -> dict[str, Any]:
    spec, code = await asked_for(services, body)
    return await plan_for(services, principal, spec, code, body.goal, body.project)


async def predict(
    services: Services, principal: Principal, spec: dict[str, Any], code: dict[str, Any] | None,
    goal: schemas.Goal, project: str = "",
) -> dict[str, Any]:  # fmt: skip
    """What is kept of a plan beside a task."""
    plan = await plan_for(services, principal, spec, code, goal, project)
    kept = {name: plan[name] for name in PREDICTED}
    return {"made": time.time(), "goal": goal.model_dump(), **kept}


async def plan_for(
    services: Services, principal: Principal, spec: dict[str, Any], code: dict[str, Any] | None,
    goal: schemas.Goal, project: str = "",
) -> dict[str, Any]:  # fmt: skip
    composed = await check_job(services, principal, spec, code, project)
    row, past = await _known(services, principal, composed.endpoint)
    pace = await _pace(services, principal, goal)
    work = _work(goal, pace, composed.order.resume.lead_seconds)
    minutes = composed.order.resources.walltime_minutes
    place = _place(composed, row, past, minutes)
    plan = plan_chain(work, replace(place, save_every_seconds=goal.save_every_seconds))
    return {
        **_where(composed),
        "steps": work.steps,
        "step_seconds": pace.step_seconds,
        "measured": pace.measured,
        **_shown(plan),
        **_money(composed, row, spec, plan),
        "others": _others(composed, row, past, work, minutes),
        "warnings": [*composed.warnings, *_warnings(composed, plan)],
    }


async def _known(
    services: Services, principal: Principal, endpoint: str
) -> tuple[Row, list[PastWait]]:
    async with services.store.read() as connection:
        row = await usable_endpoint(connection, principal.user, endpoint)
        return row, await known_waits(connection, row, principal.user)


def _work(goal: schemas.Goal, pace: Pace, lead_seconds: float) -> Work:
    """Without a `lead` the stop flag comes by what saves have cost, as inside the job."""
    return Work(
        _steps(goal),
        pace.step_seconds,
        save_seconds=goal.save_seconds,
        save_bytes=int(1e9 * (goal.save_gigabytes or 0)),
        startup_seconds=pace.startup_seconds,
        lead_seconds=lead_seconds or lead_before_deadline(goal.save_seconds),
    )


def _steps(goal: schemas.Goal) -> int:
    if goal.steps is not None:
        return goal.steps
    if goal.epochs is None or goal.samples is None or goal.batch is None:
        raise BadRequest(
            "The plan does not say how much is to be trained",
            "Give steps (--steps 1000), or epochs with samples and batch (samples of one step over all ranks).",
        )
    return epochs_as_steps(goal.epochs, goal.samples, goal.batch)


async def _pace(services: Services, principal: Principal, goal: schemas.Goal) -> Pace:
    """What the person says goes before what a task's log tells."""
    if goal.step_seconds is not None:
        return Pace(goal.step_seconds, goal.startup_seconds or 0.0, measured=False)
    if not goal.like:
        raise BadRequest(
            "The plan does not say how long a step takes",
            "Give step_seconds (--step-seconds 0.5), or name a task that logged its steps: like (--like TASK).",
        )
    found = await _measured(services, principal, goal.like)
    said = goal.startup_seconds
    return found if said is None else replace(found, startup_seconds=said)


async def _measured(services: Services, principal: Principal, task: str) -> Pace:
    row = await load_task(services, principal, task)
    text = await read_metrics(services, principal, row["id"], CurvesWanted(TRAINING))
    curves = [
        [(point[0], point[1]) for point in one["points"]] for one in json.loads(text)["items"]
    ]
    points = max(curves, key=len, default=[])
    pace = step_seconds(points)
    if pace is None:
        raise BadRequest(
            f"Task {row['id']} has logged no two steps, so it tells no pace",
            "Name a task that calls diamond.training.log(step, …), or give step_seconds.",
        )
    started = row["started"] if row["started"] is not None else points[0][1]
    return Pace(pace, startup_seconds(points, started, pace), measured=True)


def _place(composed: Composed, row: Row, past: list[PastWait], minutes: int) -> Place:
    nodes, limit = composed.order.resources.nodes, 60.0 * minutes
    queue = composed.order.placement.partition
    waits = forecast(past, queue=queue, nodes=nodes, limit_seconds=limit)
    megabytes = float(effective_facts(row).get("write_mb_per_second") or 0)
    return Place(nodes, limit, waits, write_budget=1e6 * megabytes)


def _where(composed: Composed) -> dict[str, Any]:
    order = composed.order
    return {
        "endpoint": composed.endpoint,
        "partition": order.placement.partition,
        "nodes": order.resources.nodes,
    }


def _money(
    composed: Composed, row: Row, spec: Mapping[str, Any], plan: ChainPlan
) -> dict[str, Any]:
    charges = effective_facts(row).get("charge") or {}
    rate = charges.get(composed.order.placement.partition)
    return {
        "charge_at_most": None if rate is None else rate * plan.node_hours_at_most,
        "budget": _ceiling(spec.get("budget"), plan, rate),
    }


def _shown(plan: ChainPlan) -> dict[str, Any]:
    return {
        "attempts": plan.attempts,
        "attempt_minutes": round(plan.attempt_seconds / 60),
        "last_attempt_minutes": round(plan.last_attempt_seconds / 60),
        "save_every_seconds": plan.save_every_seconds,
        "saves": plan.saves,
        "finish": asdict(plan.finish),
        "node_hours": plan.node_hours,
        "node_hours_at_most": plan.node_hours_at_most,
        "interruptions": plan.interruptions,
        "lost_seconds": plan.lost_seconds,
        "lost_at_most_seconds": plan.lost_at_most_seconds,
        "waits": {**asdict(plan.waits), "words": plan.waits.words},
    }


def _ceiling(text: Any, plan: ChainPlan, rate: float | None) -> dict[str, Any] | None:
    if not text:
        return None
    budget: Budget = parse_budget(str(text))
    chain = Use(1, 3600 * plan.node_hours_at_most)
    verdict = may_start(budget, chain, units_per_node_hour=rate)
    words = f"The whole chain may use {verdict.cost:.4g} of {budget.amount:.4g} {budget.unit}."
    return {
        "fits": verdict.may_start,
        "cost": verdict.cost,
        "amount": budget.amount,
        "unit": budget.unit,
        "words": words,
    }


def _others(
    composed: Composed, row: Row, past: list[PastWait], work: Work, asked: int
) -> list[dict[str, Any]]:
    """Other wall-times that the partition allows; those too short for a step are left out."""
    partition: Mapping[str, Any] = (
        partition_named(effective_facts(row), composed.order.placement.partition) or {}
    )
    longest = int(partition.get("max_minutes") or 0)
    found = []
    for minutes in sorted({round(longest * share) for share in SHARES} - {0, asked}):
        try:
            plan = plan_chain(work, _place(composed, row, past, minutes))
        except BadRequest:
            continue
        found.append(
            {
                "walltime_minutes": minutes,
                "attempts": plan.attempts,
                "finish": asdict(plan.finish),
                "node_hours": plan.node_hours,
            }
        )
    return found


def _warnings(composed: Composed, plan: ChainPlan) -> list[str]:
    most = composed.order.resume.max_attempts
    if plan.attempts > most:
        return [
            f"The work takes {plan.attempts} attempts, and the spec allows {most}: raise continue.max_attempts."
        ]
    return []
