"""A task's row as the life cycle sees it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.core.lifecycle import policy_of as order_policy
from diamond.core.order import Continue
from diamond.core.task import Attempt, ContinuePolicy, Phase, Reached, Reason, State, Task


def core_task(row: Mapping[str, Any]) -> Task:
    chain = row.get("chain") or {}
    attempt = _attempt(row, row["attempt"]) or Attempt(id=row["attempt"])
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
        attempt=attempt,
        policy=policy_of(row["order"]),
        follow_up=_attempt(row, chain.get("follow_up", "")),
        reached=Reached(**(chain.get("reached") or {})),
        stalled=int(chain.get("stalled", 0)),
        ended=int(chain.get("ended", attempt.number - 1)),
        numbered=max((entry["number"] for entry in row["attempts"]), default=0),
    )


def policy_of(order: Mapping[str, Any]) -> ContinuePolicy:
    given = {"on": ["exit-75"], **(order.get("resume") or {})}
    known = Continue.__dataclass_fields__
    return order_policy(Continue(**{key: value for key, value in given.items() if key in known}))


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


def chain_values(task: Task, chain: Mapping[str, Any] | None) -> dict[str, Any]:
    """The column `chain`: what the life cycle decides, beside what was allowed."""
    decided = {
        "follow_up": task.follow_up.id if task.follow_up else "",
        "reached": vars(task.reached),
        "stalled": task.stalled,
        "ended": task.ended,
    }
    return {**(chain or {}), **decided}


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
        "reached": vars(attempt.reached),
        "queued": None,
        "arrived": None,
        "started": None,
        "ended": None,
        "reason": "",
    }


def _attempt(row: Mapping[str, Any], attempt: str) -> Attempt | None:
    for entry in row["attempts"]:
        if entry["id"] == attempt:
            return Attempt(
                id=entry["id"],
                number=entry["number"],
                native_id=entry["native_id"],
                run=entry["run"],
                exit_code=entry["exit_code"],
                exit_run=entry["exit_run"],
                reached=Reached(**(entry.get("reached") or {})),
            )
    return None
