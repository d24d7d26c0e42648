"""Estimates of what a job may cost and how long it may wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from diamond.compose.limits import balance_of
from diamond.compose.site import charge_rate, machine_limits, partition_named
from diamond.core.batch_systems import read_abilities
from diamond.core.order import Placement, Resources
from diamond.core.units import show_minutes

Facts = Mapping[str, Any]


def estimate_cost(
    facts: Facts, placement: Placement, resources: Resources, attempts: int
) -> dict[str, Any]:
    """The most that one attempt, and all its follow-ups, can cost."""
    hours = resources.walltime_minutes / 60
    node_hours = resources.nodes * hours
    rate = charge_rate(facts, placement.partition)
    account: Facts = next(
        (
            known_account
            for known_account in facts.get("accounts") or []
            if known_account["name"] == placement.account
        ),
        {},
    )
    values = {
        "node_hours": node_hours,
        "gpu_hours": node_hours * resources.gpus_per_node,
        "core_hours": node_hours * _cores(facts, placement, resources),
        "attempts": attempts,
        "node_hours_at_most": node_hours * attempts,
        "charge": None if rate is None else rate * node_hours,
        "charge_rate": rate,
        "account": placement.account,
        "balance": balance_of(account),
        "unit": str(account.get("unit") or ""),
    }
    return {**values, "text": _cost_words(values)}


def describe_queue(
    facts: Facts, partition: str, as_of: float | None, waits: Sequence[float]
) -> dict[str, Any]:
    """How busy the queue is now, and how long the user's own tasks waited there."""
    free = facts.get("free") or {}
    now = free.get(partition) or (next(iter(free.values())) if len(free) == 1 else {})
    values: dict[str, Any] = {
        "partition": partition,
        **{name: now.get(name) for name in ("nodes_idle", "nodes_total", "gpus_idle", "pending")},
        "as_of": as_of if now else None,
        "waits": _waits(waits),
    }
    describe = _queue_words if read_abilities(facts).has_queue else _machine_words
    return {**values, "text": describe(values)}


def _cores(facts: Facts, placement: Placement, resources: Resources) -> int:
    """At whole-node sites all cores of a node are charged."""
    site = partition_named(facts, placement.partition)
    shape = site if site is not None else machine_limits(facts)
    whole = shape.get("whole_nodes") and shape.get("cpus_per_node")
    return int(whole or resources.cpus_per_node)


def _cost_words(values: Mapping[str, Any]) -> str:
    parts = [f"At most {_hours(values['node_hours'], 'node')}"]
    if values["gpu_hours"]:
        parts.append(_hours(values["gpu_hours"], "GPU"))
    text = ", ".join(parts)
    if values["charge"] is not None:
        text += f", {values['charge']:g} {values['unit'] or 'units'}"
    if values["balance"] is not None:
        text += f"; {values['account']} has {values['balance']:g} {values['unit']}".rstrip()
    if values["attempts"] > 1:
        most = _hours(values["node_hours_at_most"], "node")
        text += f". With all {values['attempts']} attempts: {most}"
    return text + "."


def _hours(count: float, what: str) -> str:
    shown = f"{count:.3g}" if count < 1000 else f"{count:,.0f}"
    return f"{shown} {what}-hour" if shown == "1" else f"{shown} {what}-hours"


def _waits(seconds: Sequence[float]) -> dict[str, Any] | None:
    if not seconds:
        return None
    return {"count": len(seconds), "median": median(seconds), "longest": max(seconds)}


def _machine_words(values: Mapping[str, Any]) -> str:
    """A machine without a batch system has only Diamond's own queue."""
    if values["pending"]:
        return "This machine is busy. The task starts when there is room."
    return "The task starts immediately if this machine has room."


def _queue_words(values: Mapping[str, Any]) -> str:
    parts = []
    if values["nodes_total"]:
        parts.append(f"{values['nodes_idle'] or 0} of {values['nodes_total']} nodes are free")
    if values["pending"] is not None:
        parts.append(
            "no jobs are waiting"
            if not values["pending"]
            else f"{values['pending']} jobs are waiting"
        )
    text = "; ".join(parts)
    if values["waits"]:
        usual = show_duration(values["waits"]["median"])
        text = f"{text}. " if text else ""
        text += f"Your last {values['waits']['count']} tasks here waited {usual} (median)"
    return f"{text[:1].upper()}{text[1:]}." if text else "The current load is not known yet."


def show_duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else show_minutes(round(seconds / 60))
