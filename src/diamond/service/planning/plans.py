"""A plan for a spec: from its goal, the pace of an earlier task, past waits in the queue, and the site's limits and rates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.raw_spec import continues, has_auto_nodes
from diamond.compose.site import charge_rate, longest_walltime_minutes
from diamond.compose.spec_check import Composed
from diamond.core.batch_systems import read_abilities
from diamond.core.errors import BadRequest
from diamond.planning.budget import UNASKED_FOLLOW_UPS, NodeUsage, may_start, parse_budget
from diamond.planning.chains import (
    ChainPlan,
    RunConditions,
    Work,
    epochs_as_steps,
    plan_chain,
)
from diamond.planning.waits import Forecast, PastWait, forecast
from diamond.service.access.principal import Principal
from diamond.service.chains.granting import known_waits
from diamond.service.chains.grants import hand_over_seconds
from diamond.service.composer.compose import resolve
from diamond.service.composer.request import read_request
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.planning.node_count import settle_node_count
from diamond.service.planning.pace import Pace, pace_of
from diamond.service.planning.schemas import Ceiling, OtherLimit, Plan, PlanRequest, WaitForecast
from diamond.service.platform.services import Services
from diamond.service.tasks.goal_schemas import FinishSpan, Goal, Prediction
from diamond.training.checkpoints.interval import lead_before_deadline

SHARES = (0.25, 0.5, 1.0)
"""Of the partition's longest wall-time: the alternatives that a plan shows."""
LIKELY = 0.5
"""So many expected interruptions are worth a warning."""
OVER_BUDGET = "no attempt starts unless its whole time limit fits, so it may end with the reason budget, and can be resumed."


async def make_plan(services: Services, principal: Principal, body: PlanRequest) -> Plan:
    requested = await read_request(services, principal, body, project=body.project)
    async with services.store.read() as connection:
        composer = await resolve(connection, principal, requested, body.project)
        composed = composer.compose(requested.spec)
        counted = await settle_node_count(connection, composer, composed, principal.user)
        endpoint = composer.endpoint_of(counted.composed)
        return await plan_for(connection, principal, counted.composed, endpoint, body.goal)


def prediction_of(plan: Plan, goal: Goal) -> Prediction:
    """What is kept of a plan with the task."""
    return Prediction(
        made=time.time(),
        goal=goal,
        nodes=plan.nodes,
        steps=plan.steps,
        step_seconds=plan.step_seconds,
        measured=plan.measured,
        attempts=plan.attempts,
        finish=plan.finish,
        node_hours=plan.node_hours,
        node_hours_at_most=plan.node_hours_at_most,
    )


async def plan_for(
    connection: AsyncConnection,
    principal: Principal,
    composed: Composed,
    endpoint: EndpointRow,
    goal: Goal,
) -> Plan:
    past = await known_waits(connection, endpoint, principal.user)
    asked = composed.order.resources
    pace = await pace_of(connection, principal, goal, asked.nodes)
    work = _work(goal, pace, composed.order.resume.lead_seconds)

    def planned(minutes: int) -> ChainPlan:
        conditions = _conditions(composed, endpoint, past, minutes)
        return plan_chain(work, replace(conditions, save_every_seconds=goal.save_every_seconds))

    plan = planned(asked.walltime_minutes)
    partition = composed.order.placement.partition
    facts = effective_facts(endpoint)
    rate = charge_rate(facts, partition)
    longest = longest_walltime_minutes(facts, partition)
    return Plan(
        endpoint=composed.endpoint,
        partition=partition,
        nodes=asked.nodes,
        steps=work.steps,
        step_seconds=pace.step_seconds,
        measured=pace.measured,
        attempts=plan.attempts,
        attempt_minutes=round(plan.attempt_seconds / 60),
        last_attempt_minutes=round(plan.last_attempt_seconds / 60),
        save_every_seconds=plan.save_every_seconds,
        saves=plan.saves,
        finish=_finish(plan),
        node_hours=plan.node_hours,
        node_hours_at_most=plan.node_hours_at_most,
        charge_at_most=None if rate is None else rate * plan.node_hours_at_most,
        interruptions=plan.interruptions,
        lost_seconds=plan.lost_seconds,
        lost_at_most_seconds=plan.lost_at_most_seconds,
        waits=_waits(plan.waits),
        budget=_budget_check(composed.order.budget, plan, rate),
        others=_others(asked.walltime_minutes, longest, planned),
        warnings=[
            *composed.warnings,
            *pace.warnings,
            *_save_warnings(work, plan),
            *_warnings(composed, plan),
        ],
    )


def _work(goal: Goal, pace: Pace, lead_seconds: float) -> Work:
    """Without a `lead` the stop flag comes as early as saves have taken, as inside the job."""
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
            "The goal has both steps and epochs",
            "Give one of them: steps (--steps 1000), or epochs with samples and batch.",
        )
    if goal.steps is not None:
        return goal.steps
    if goal.epochs is None or goal.samples is None or goal.batch is None:
        raise BadRequest(
            "The goal has no amount of training",
            "Give steps (--steps 1000), or epochs with samples and batch (batch: samples of one step over all ranks).",
        )
    return epochs_as_steps(goal.epochs, goal.samples, goal.batch)


def _conditions(
    composed: Composed, endpoint: EndpointRow, past: list[PastWait], minutes: int
) -> RunConditions:
    """Without a batch system nothing is queued ahead: the next attempt starts at once."""
    order, facts = composed.order, effective_facts(endpoint)
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


def _finish(plan: ChainPlan) -> FinishSpan:
    return FinishSpan(soonest=plan.finish.soonest, latest=plan.finish.latest)


def _waits(waits: Forecast) -> WaitForecast:
    return WaitForecast(
        typical=waits.typical,
        bound=waits.bound,
        quantile=waits.quantile,
        confidence=waits.confidence,
        samples=waits.samples,
        words=waits.words,
    )


def _budget_check(text: str, plan: ChainPlan, rate: float | None) -> Ceiling | None:
    if not text:
        return None
    budget = parse_budget(text)
    chain = NodeUsage(1, 3600 * plan.node_hours_at_most)
    verdict = may_start(budget, chain, units_per_node_hour=rate)
    sentence = f"The whole chain may use {verdict.cost:.4g} of {budget.amount:.4g} {budget.unit}"
    sentence += "." if verdict.may_start else f": {OVER_BUDGET}"
    return Ceiling(
        fits=verdict.may_start,
        cost=verdict.cost,
        amount=budget.amount,
        unit=budget.unit,
        words=sentence,
    )


def _others(asked: int, longest: int, planned: Callable[[int], ChainPlan]) -> list[OtherLimit]:
    """Other wall-times that the partition allows; those too short for a step are left out."""
    others = []
    for minutes in sorted({round(longest * share) for share in SHARES} - {0, asked}):
        try:
            plan = planned(minutes)
        except BadRequest:
            continue
        other = OtherLimit(
            walltime_minutes=minutes,
            attempts=plan.attempts,
            finish=_finish(plan),
            node_hours=plan.node_hours,
        )
        others.append(other)
    return others


def _save_warnings(work: Work, plan: ChainPlan) -> Iterator[str]:
    if work.save_seconds > plan.save_every_seconds:
        yield (
            f"A checkpoint takes {work.save_seconds:.0f} s, longer than the {plan.save_every_seconds:.0f} s of training between two: "
            "most of the time goes into saving. Save more rarely, or make the checkpoint cheaper."
        )


def _warnings(composed: Composed, plan: ChainPlan) -> Iterator[str]:
    """What could keep the chain from going as planned."""
    order = composed.order
    resume = order.resume
    if has_auto_nodes(composed.spec):
        yield "The plan assumes one node: the node count of `nodes: auto` is known once its probes have run."
    if plan.attempts > 1 and not continues(composed.spec):
        yield (
            "The spec has no `continue:`. It continues only if the program saves and exits with code 75 before its time limit, "
            "and every attempt waits in the queue again."
        )
    if plan.interruptions >= LIKELY and "node-lost" not in resume.on:
        yield (
            f"{plan.interruptions:.2g} interruptions are expected, and a lost node ends the task: "
            "name node-lost in continue.on."
        )
    if plan.attempts > 1 + UNASKED_FOLLOW_UPS and not order.budget:
        yield (
            f"Without a `budget` it asks you after {1 + UNASKED_FOLLOW_UPS} attempts whether to continue, "
            "and nothing runs until you answer."
        )
    if plan.attempts > resume.max_attempts:
        yield (
            f"The training takes {plan.attempts} attempts, and the spec allows {resume.max_attempts}: "
            "raise continue.max_attempts."
        )
