"""The attempts of a task for `diamond show`: the gaps between them, checkpoints and the budget."""

from __future__ import annotations

from typing import Any

from diamond.cli.format import duration, format_amount, timestamp
from diamond.cli.output import plural
from diamond.core.words import attempt_ending
from diamond.sdk.models import Task


def attempt_lines(task: Task, *, is_local: bool) -> list[str]:
    """One line per attempt; nothing for a single attempt that ran once."""
    requeued = any(len(attempt.get("runs") or []) > 1 for attempt in task.attempts)
    if len(task.attempts) < 2 and not requeued:
        return []
    follow_up = task.chain.get("follow_up")
    return [
        _attempt(attempt, is_local, ahead=attempt["id"] == follow_up) for attempt in task.attempts
    ]


def chain_lines(task: Task) -> list[str]:
    """Progress and cost, for tasks that have or could have several attempts."""
    chain = task.chain
    budget = chain.get("budget")
    if len(task.attempts) < 2 and not budget and not chain.get("continues"):
        return []
    lines = [_progress(chain), _usage(task, budget)]
    if chain.get("continues"):
        lines.append(f"continues where task {chain['continues']} stopped")
    if chain.get("stalled") and not task.is_final:
        lines.append("the last attempt made no progress; a second one like it stops the chain")
    return [line for line in lines if line]


def planned_lines(task: Task) -> list[str]:
    """The plan made at submission, and what actually happened."""
    planned, actual = task.raw.get("prediction"), task.raw.get("happened")
    if not planned or not actual:
        return []
    finish = f"{duration(planned['finish']['soonest'])} to {duration(planned['finish']['latest'])}"
    so_far = "" if actual["has_ended"] else " so far"
    return [
        f"planned  {planned['steps']} steps in {finish}, {_cost(planned)}",
        f"actual   {duration(actual['seconds'])}, {_cost(actual)}{so_far}",
    ]


def _cost(use: dict[str, Any]) -> str:
    return f"{plural(use['attempts'], 'attempt')}, {format_amount(use['node_hours'])} node-hours"


def _attempt(attempt: dict[str, Any], is_local: bool, *, ahead: bool) -> str:
    job = f"batch job {attempt['native_id']}" if attempt.get("native_id") else "not queued yet"
    parts = [
        f"{attempt.get('number')}  {attempt.get('id')}",
        "" if is_local else job,
        "queued ahead" if ahead else timestamp(attempt.get("started")),
        _gap(attempt.get("gap")),
        attempt_ending(attempt),
        _requeues(attempt.get("runs") or []),
        f"step {attempt['step']}" if attempt.get("step") is not None else "",
        str(attempt.get("checkpoint") or ""),
    ]
    return "  ".join(part for part in parts if part)


def _requeues(runs: list[dict[str, Any]]) -> str:
    return f"in {len(runs)} runs, because the site requeued it" if len(runs) > 1 else ""


def _gap(gap: float | None) -> str:
    return "" if gap is None else f"after a gap of {duration(gap)}"


def _progress(chain: dict[str, Any]) -> str:
    step = f"step {chain['step']}" if chain.get("step") is not None else ""
    checkpoint = f"checkpoint {chain['checkpoint']}" if chain.get("checkpoint") else ""
    reached = ", ".join(part for part in (step, checkpoint) if part)
    return f"reached {reached}" if reached else ""


def _usage(task: Task, budget: dict[str, Any] | None) -> str:
    if not budget:
        used = f"used {format_amount(task.chain.get('node_hours', 0.0))} node-hours"
        asks = f"; asks you after {task.chain.get('allowed_attempts')} attempts"
        return used if task.is_final else used + asks
    return (
        f"used {format_amount(budget['spent'])} of {budget['amount']:.4g} {budget['unit']}, "
        f"{format_amount(budget['committed'])} reserved for queued and running attempts, "
        f"{format_amount(budget['left'])} left"
    )
