"""The chain of a task's attempts, as the API shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diamond.core.endings import MOST_STALLED
from diamond.core.order import order_from
from diamond.core.task import FINAL_WORDS, Phase, Reason, State
from diamond.core.words import attempt_ending
from diamond.service.chains.grants import Spending, allowed_attempts, spending

ATTEMPT_FIELDS = ("id", "number", "native_id", "run", "runs", "started", "ended", "reason")


def show_attempts(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """In the order of their numbers, each with the gap before it."""
    shown: list[dict[str, Any]] = []
    last_end: float | None = None
    for one in sorted(entries, key=lambda entry: int(entry["number"])):
        started = one["started"]
        shown.append(_attempt(one, _gap(last_end, started)))
        last_end = one["ended"] if started is not None else last_end
    return shown


def show_chain(row: Mapping[str, Any]) -> dict[str, Any]:
    chain, order = row.get("chain") or {}, order_from(dict(row["order"]))
    used, reached = spending(chain, order, row["attempts"]), _farthest(row)
    return {
        "asks": row["phase"] == Phase.ASKING.value,
        "may_resume": may_resume(row),
        "follow_up": chain.get("follow_up", ""),
        "max_attempts": order.resume.max_attempts,
        "allowed_attempts": None if used.budget else allowed_attempts(chain),
        "stalled": int(chain.get("stalled", 0)),
        "checkpoint": reached["checkpoint"],
        "step": reached["step"],
        "node_hours": used.node_hours,
        "budget": _budget(used),
        "continues": chain.get("continues", ""),
        "words": _how_it_goes_on(row, reached["checkpoint"]),
    }


def show_happened(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """What stands beside a prediction: attempts that started, time, and node-hours of all that had nodes; or so far."""
    if not row["prediction"]:
        return None
    until = row["ended"] if row["ended"] is not None else row["as_of"]
    lasted = [
        {**one, "ended": until if one["ended"] is None else one["ended"]} for one in row["attempts"]
    ]
    used = spending(row.get("chain") or {}, order_from(dict(row["order"])), lasted)
    return {
        "attempts": sum(one["started"] is not None for one in row["attempts"]),
        "seconds": max(0.0, until - row["created"]),
        "node_hours": used.node_hours,
        "has_ended": row["state"] in FINAL_WORDS,
    }


def may_resume(row: Mapping[str, Any]) -> bool:
    """A task that asks, or one that ended otherwise than well and whose files are still there."""
    if row["state"] not in FINAL_WORDS:
        return bool(row["phase"] == Phase.ASKING.value)
    has_begun = row["started"] is not None and not row["cleaned"]
    return has_begun and row["state"] != State.SUCCEEDED.value and row["kind"] == "run"


def _how_it_goes_on(row: Mapping[str, Any], checkpoint: str) -> str:
    """Empty where there is nothing to begin from: one that failed before its first checkpoint is rather run anew."""
    asks = row["phase"] == Phase.ASKING.value
    if not asks and not (may_resume(row) and checkpoint):
        return ""
    place = f"from {checkpoint}" if checkpoint else "from where it stopped"
    stalled = int((row.get("chain") or {}).get("stalled", 0))
    if stalled >= MOST_STALLED:
        return f"{stalled} attempts in a row came no further. Look at the log before you let it go on {place}."
    if asks:
        return f"It could go on {place}, and waits for your word."
    if row["reason"] == Reason.BUDGET.value:
        return f"It can go on {place}, as a new task: say how much more it may use."
    return f"It can go on {place}, as a new task."


def _attempt(entry: Mapping[str, Any], gap: float | None) -> dict[str, Any]:
    reached = entry.get("reached") or {}
    return {
        **{name: entry[name] for name in ATTEMPT_FIELDS},
        "ending": attempt_ending(dict(entry)),
        "queued": entry.get("queued"),
        "arrived": entry.get("arrived"),
        "gap": gap,
        "checkpoint": reached.get("checkpoint", ""),
        "step": _step(reached),
    }


def _gap(last_end: float | None, started: float | None) -> float | None:
    return None if last_end is None or started is None else max(0.0, started - last_end)


def _farthest(row: Mapping[str, Any]) -> dict[str, Any]:
    every = [(row.get("chain") or {}).get("reached") or {}]
    every += [one.get("reached") or {} for one in row["attempts"]]
    newest = max(every, key=lambda one: float(one.get("modified", 0.0)))
    named = [str(one["checkpoint"]) for one in every if one.get("checkpoint")]
    steps = [step for one in every if (step := _step(one)) is not None]
    checkpoint = newest.get("checkpoint") or (named[-1] if named else "")
    return {"checkpoint": checkpoint, "step": max(steps, default=None)}


def _step(reached: Mapping[str, Any]) -> int | None:
    step = int(reached.get("step", -1))
    return step if step >= 0 else None


def _budget(used: Spending) -> dict[str, Any] | None:
    if used.budget is None:
        return None
    return {
        "amount": used.budget.amount,
        "unit": used.budget.unit,
        "spent": used.rate * used.node_hours,
        "committed": used.rate * used.node_hours_committed,
        "left": used.left,
    }
