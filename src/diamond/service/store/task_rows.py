"""A task's row as the life cycle sees it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.core.task import Attempt, ContinuePolicy, Phase, Reason, State, Task


def core_task(row: Mapping[str, Any]) -> Task:
    return Task(
        id=row["id"],
        state=State(row["state"]),
        phase=Phase(row["phase"]),
        reason=Reason(row["reason"]),
        message=row["message"],
        native_state=row["native_state"],
        exit_code=row["exit_code"],
        signal=row["signal"],
        as_of=row["as_of"],
        cancel_requested=row["cancel_requested"],
        attempt=_attempt(row),
        policy=policy_of(row["order"]),
    )


def policy_of(order: Mapping[str, Any]) -> ContinuePolicy:
    resume = order.get("resume") or {}
    return ContinuePolicy(
        on=frozenset(resume.get("on") or ()), max_attempts=int(resume.get("max_attempts", 4))
    )


def row_values(task: Task) -> dict[str, Any]:
    """The columns that the life cycle decides, but for the attempts."""
    return {
        "state": task.state.value,
        "phase": task.phase.value,
        "reason": task.reason.value,
        "message": task.message,
        "native_state": task.native_state,
        "exit_code": task.exit_code,
        "signal": task.signal,
        "as_of": task.as_of,
        "cancel_requested": task.cancel_requested,
        "attempt": task.attempt.id,
    }


def attempt_entry(attempt: Attempt) -> dict[str, Any]:
    """How an attempt begins in a row's list of attempts."""
    return {
        "id": attempt.id,
        "number": attempt.number,
        "native_id": attempt.native_id,
        "run": attempt.run,
        "runs": [],
        "exit_code": attempt.exit_code,
        "exit_run": attempt.exit_run,
        "started": None,
        "ended": None,
        "reason": "",
    }


def _attempt(row: Mapping[str, Any]) -> Attempt:
    for entry in row["attempts"]:
        if entry["id"] == row["attempt"]:
            return Attempt(
                id=entry["id"],
                number=entry["number"],
                native_id=entry["native_id"],
                run=entry["run"],
                exit_code=entry["exit_code"],
                exit_run=entry["exit_run"],
            )
    return Attempt(id=row["attempt"])
