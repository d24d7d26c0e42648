"""A plan for a spec: its goal, the pace of an earlier task, the person's own waits, the site's limits and rates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from diamond.compose.site import partition_named
from diamond.compose.spec_check import Composed
from diamond.core.batch_systems import read_abilities
from diamond.core.errors import BadRequest
from diamond.planning.budget import UNASKED_FOLLOW_UPS, Budget, NodeUsage, may_start, parse_budget
from diamond.planning.chains import ChainPlan, RunConditions, Work, epochs_as_steps, plan_chain
from diamond.planning.waits import PastWait, forecast
from diamond.service.access.principal import Principal
from diamond.service.chains.granting import known_waits
from diamond.service.chains.grants import hand_over_seconds
from diamond.service.composer.request import asked_for
from diamond.service.endpoints.community import usable_endpoint
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.planning import schemas
from diamond.service.planning.node_count import check_job, is_auto
from diamond.service.planning.pace import Pace, pace_of
from diamond.service.platform.services import Services
from diamond.service.tasks.goal_schemas import Goal
from diamond.training.checkpoints.interval import lead_before_deadline

PREDICTED = (
    "nodes",
    "steps",
    "step_seconds",
    "measured",
    "attempts",
    "finish",
    "node_hours",
    "node_hours_at_most",
)
SHARES = (0.25, 0.5, 1.0)
"""Of the partition's longest wall-time: what else one might ask for."""
LIKELY = 0.5
"""So many expected interruptions are worth a warning."""


async def make_plan(
    services: Services, principal: Principal, body: schemas.PlanRequest
) -> dict[str, Any]:
    spec, code = await asked_for(services, body)
    return await plan_for(services, principal, spec, code, body.goal, body.project)


async def predict(
    services: Services,
    principal: Principal,
    spec: dict[str, Any],
    code: dict[str, Any] | None,
    goal: Goal,
    project: str = "",
) -> dict[str, Any]:
    """What is kept of a plan beside a task."""
    plan = await plan_for(services, principal, spec, code, goal, project)
    kept = {name: plan[name] for name in PREDICTED}
    return {"made": time.time(), "goal": goal.model_dump(), **kept}


async def plan_for(
    services: Services,
    principal: Principal,
    spec: dict[str, Any],
    code: dict[str, Any] | None,
    goal: Goal,
    project: str = "",
) -> dict[str, Any]:
    composed = await check_job(services, principal, spec, code, project)
    row, past = await _known(services, principal, composed.endpoint)
    asked = composed.order.resources
    pace = await pace_of(services, principal, goal, asked.nodes)
    work = _work(goal, pace, composed.order.resume.lead_seconds)

    def planned(minutes: int) -> ChainPlan:
        place = _place(composed, row, past, minutes)
        return plan_chain(work, replace(place, save_every_seconds=goal.save_every_seconds))

    plan = planned(asked.walltime_minutes)
    return {
        **_where(composed),
        "steps": work.steps,
        "step_seconds": pace.step_seconds,
        "measured": pace.measured,
        **_shown(plan),
        **_money(composed, row, spec, plan),
        "others": _others(composed, row, planned),
        "warnings": [
            *composed.warnings,
            *pace.warnings,
            *_of_saves(work, plan),
            *_warnings(composed, plan),
        ],
    }


async def _known(
    services: Services, principal: Principal, endpoint: str
) -> tuple[EndpointRow, list[PastWait]]:
    async with services.store.read() as connection:
        row = await usable_endpoint(connection, principal.user, endpoint)
        return row, await known_waits(connection, row, principal.user)


def _work(goal: Goal, pace: Pace, lead_seconds: float) -> Work:
    """Without a `lead` the stop flag comes by what saves have cost, as inside the job."""
    return Work(
        _steps(goal),
        pace.step_seconds,
        save_seconds=goal.save_seconds,
        save_bytes=int(1e9 * (goal.save_gigabytes or 0)),
        startup_seconds=pace.startup_seconds,
        lead_seconds=lead_seconds or lead_before_deadline(goal.save_seconds),
    )


def _steps(goal: Goal) -> int:
    if goal.steps is not None and goal.epochs is not None:
        raise BadRequest(
            "Both steps and epochs say how much is to be trained",
            "Give one of them: steps (--steps 1000), or epochs with samples and batch.",
        )
    if goal.steps is not None:
        return goal.steps
    if goal.epochs is None or goal.samples is None or goal.batch is None:
        raise BadRequest(
            "The plan does not say how much is to be trained",
            "Give steps (--steps 1000), or epochs with samples and batch (samples of one step over all ranks).",
        )
    return epochs_as_steps(goal.epochs, goal.samples, goal.batch)


def _place(
    composed: Composed, row: EndpointRow, past: list[PastWait], minutes: int
) -> RunConditions:
    """Where no batch system is, nothing is queued ahead: the next attempt starts at once."""
    order, facts = composed.order, effective_facts(row)
    sized = replace(order, resources=replace(order.resources, walltime_minutes=minutes))
    nodes, limit = order.resources.nodes, 60.0 * minutes
    return RunConditions(
        nodes,
        limit,
        forecast(past, queue=order.placement.partition, nodes=nodes, limit_seconds=limit),
        ahead=bool(order.resume.ahead) and read_abilities(facts).has_queue,
        hand_over_seconds=hand_over_seconds(sized),
        write_budget=1e6 * float(facts.get("write_mb_per_second") or 0),
    )


def _where(composed: Composed) -> dict[str, Any]:
    order = composed.order
    return {
        "endpoint": composed.endpoint,
        "partition": order.placement.partition,
        "nodes": order.resources.nodes,
    }


def _money(
    composed: Composed, row: EndpointRow, spec: Mapping[str, Any], plan: ChainPlan
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
    chain = NodeUsage(1, 3600 * plan.node_hours_at_most)
    verdict = may_start(budget, chain, units_per_node_hour=rate)
    words = f"The whole chain may use {verdict.cost:.4g} of {budget.amount:.4g} {budget.unit}"
    words += "." if verdict.may_start else f": {_SHORT}"
    return {
        "fits": verdict.may_start,
        "cost": verdict.cost,
        "amount": budget.amount,
        "unit": budget.unit,
        "words": words,
    }


_SHORT = "no attempt starts unless its whole time limit fits, so it may end with the reason budget, and can be resumed."


def _others(
    composed: Composed, row: EndpointRow, planned: Callable[[int], ChainPlan]
) -> list[dict[str, Any]]:
    """Other wall-times that the partition allows; those too short for a step are left out."""
    asked = composed.order.resources.walltime_minutes
    partition: Mapping[str, Any] = (
        partition_named(effective_facts(row), composed.order.placement.partition) or {}
    )
    longest = int(partition.get("max_minutes") or 0)
    found = []
    for minutes in sorted({round(longest * share) for share in SHARES} - {0, asked}):
        try:
            plan = planned(minutes)
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


def _of_saves(work: Work, plan: ChainPlan) -> Iterator[str]:
    if work.save_seconds > plan.save_every_seconds:
        yield (
            f"A checkpoint takes {work.save_seconds:.0f} s, longer than the {plan.save_every_seconds:.0f} s of training between two: "
            "most of the time goes into saving. Save more rarely, or make the checkpoint cheaper."
        )


def _warnings(composed: Composed, plan: ChainPlan) -> Iterator[str]:
    """What would keep the chain from going as planned."""
    resume, spec = composed.order.resume, composed.spec
    if is_auto(spec):
        yield "The plan counts one node: how many `nodes: auto` becomes is not known before its probes have run."
    if plan.attempts > 1 and not spec.get("continue"):
        yield (
            "The spec has no `continue:`. It goes on only if the program saves and exits with code 75 before its time limit, "
            "and every attempt waits in the queue anew."
        )
    if plan.interruptions >= LIKELY and "node-lost" not in resume.on:
        yield (
            f"{plan.interruptions:.2g} interruptions are expected, and a lost node ends the task: "
            "name node-lost in continue.on."
        )
    if plan.attempts > 1 + UNASKED_FOLLOW_UPS and not spec.get("budget"):
        yield (
            f"Without a `budget` it asks you after {1 + UNASKED_FOLLOW_UPS} attempts whether it may go on, "
            "and nothing runs until you answer."
        )
    if plan.attempts > resume.max_attempts:
        yield (
            f"The work takes {plan.attempts} attempts, and the spec allows {resume.max_attempts}: "
            "raise continue.max_attempts."
        )
