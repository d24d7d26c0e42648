"""The attempts of a task for `diamond show`: with the gaps between them, checkpoints, and the budget."""

from __future__ import annotations

from typing import Any

from diamond.cli.format import duration, format_amount, timestamp
from diamond.cli.output import plural
from diamond.core.words import attempt_ending
from diamond.sdk.models import Task


def attempt_lines(task: Task, *, is_local: bool) -> list[str]:
    """Nothing for a task with one attempt that ran once."""
    if len(task.attempts) < 2 and not any(len(one.get("runs") or []) > 1 for one in task.attempts):
        return []
    follow_up = task.chain.get("follow_up")
    return [_attempt(one, is_local, ahead=one["id"] == follow_up) for one in task.attempts]


def chain_lines(task: Task) -> list[str]:
    """How far it came and what it used; only for tasks that could have, or had, more than one attempt."""
    chain = task.chain
    budget = chain.get("budget")
    if len(task.attempts) < 2 and not budget and not chain.get("continues"):
        return []
    lines = [_reached(chain), _spent(task, budget)]
    if chain.get("continues"):
        lines.append(f"goes on where task {chain['continues']} stopped")
    if chain.get("stalled") and not task.is_final:
        lines.append("the last attempt came no further; a second one like it stops the chain")
    return [line for line in lines if line]


def planned_lines(task: Task) -> list[str]:
    """What the plan said when it was asked for, beside what happened."""
    told, came = task.raw.get("prediction"), task.raw.get("happened")
    if not told or not came:
        return []
    finish = f"{duration(told['finish']['soonest'])} to {duration(told['finish']['latest'])}"
    so_far = "" if came["has_ended"] else " so far"
    return [
        f"foretold  {told['steps']} steps in {finish}, {_use(told)}",
        f"happened  {duration(came['seconds'])}, {_use(came)}{so_far}",
    ]


def _use(one: dict[str, Any]) -> str:
    return f"{plural(one['attempts'], 'attempt')}, {format_amount(one['node_hours'])} node-hours"


def _attempt(one: dict[str, Any], is_local: bool, *, ahead: bool) -> str:
    job = f"batch job {one['native_id']}" if one.get("native_id") else "not queued yet"
    parts = [
        f"{one.get('number')}  {one.get('id')}",
        "" if is_local else job,
        "queued ahead" if ahead else timestamp(one.get("started")),
        _gap(one.get("gap")),
        attempt_ending(one),
        _again(one.get("runs") or []),
        f"step {one['step']}" if one.get("step") is not None else "",
        str(one.get("checkpoint") or ""),
    ]
    return "  ".join(part for part in parts if part)


def _again(runs: list[dict[str, Any]]) -> str:
    return f"in {len(runs)} runs, as the site put it back in the queue" if len(runs) > 1 else ""


def _gap(gap: float | None) -> str:
    return "" if gap is None else f"after a gap of {duration(gap)}"


def _reached(chain: dict[str, Any]) -> str:
    step = f"step {chain['step']}" if chain.get("step") is not None else ""
    checkpoint = f"checkpoint {chain['checkpoint']}" if chain.get("checkpoint") else ""
    return (
        "came to " + ", ".join(part for part in (step, checkpoint) if part)
        if step or checkpoint
        else ""
    )


def _spent(task: Task, budget: dict[str, Any] | None) -> str:
    if not budget:
        used = f"used {format_amount(task.chain.get('node_hours', 0.0))} node-hours"
        asks = f"; asks you after {task.chain.get('allowed_attempts')} attempts"
        return used if task.is_final else used + asks
    return (
        f"used {format_amount(budget['spent'])} of {budget['amount']:.4g} {budget['unit']}, "
        f"{format_amount(budget['committed'])} set aside for what is queued or runs, {format_amount(budget['left'])} left"
    )
