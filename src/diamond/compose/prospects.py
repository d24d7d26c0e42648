"""What a job may cost, and how long it may have to wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from diamond.compose.limits import balance_of
from diamond.compose.site import charge_rate, machine_limits, partition_named
from diamond.core.order import Placement, Resources
from diamond.core.units import show_minutes

Facts = Mapping[str, Any]


def cost_of(
    facts: Facts, placement: Placement, resources: Resources, attempts: int
) -> dict[str, Any]:
    """The most that one attempt can cost, and all that may follow."""
    hours = resources.walltime_minutes / 60
    node_hours = resources.nodes * hours
    rate = charge_rate(facts, placement.partition)
    account: Facts = next(
        (one for one in facts.get("accounts") or [] if one["name"] == placement.account), {}
    )
    found = {
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
    return {**found, "text": _cost_words(found)}


def queue_of(
    facts: Facts, partition: str, as_of: float | None, waits: Sequence[float]
) -> dict[str, Any]:
    """How busy it is now, and how long the person's own tasks waited there."""
    free = facts.get("free") or {}
    now = free.get(partition) or (next(iter(free.values())) if len(free) == 1 else {})
    found: dict[str, Any] = {
        "partition": partition,
        **{name: now.get(name) for name in ("nodes_idle", "nodes_total", "gpus_idle", "pending")},
        "as_of": as_of if now else None,
        "waits": _waits(waits),
    }
    if (facts.get("scheduler") or {}).get("name") == "local":
        return {**found, "text": _machine_words(found)}
    return {**found, "text": _queue_words(found)}


def _cores(facts: Facts, placement: Placement, resources: Resources) -> int:
    """On a whole-node site all cores of a node are paid for."""
    site = partition_named(facts, placement.partition)
    shape = site if site is not None else machine_limits(facts)
    whole = shape.get("whole_nodes") and shape.get("cpus_per_node")
    return int(whole or resources.cpus_per_node)


def _cost_words(found: Mapping[str, Any]) -> str:
    words = [f"At most {_hours(found['node_hours'], 'node')}"]
    if found["gpu_hours"]:
        words.append(_hours(found["gpu_hours"], "GPU"))
    text = ", ".join(words)
    if found["charge"] is not None:
        text += f", {found['charge']:g} {found['unit'] or 'units'}"
    if found["balance"] is not None:
        text += f"; {found['account']} has {found['balance']:g} {found['unit']}".rstrip()
    if found["attempts"] > 1:
        most = _hours(found["node_hours_at_most"], "node")
        text += f". With all {found['attempts']} attempts: {most}"
    return text + "."


def _hours(count: float, what: str) -> str:
    shown = f"{count:.3g}" if count < 1000 else f"{count:,.0f}"
    return f"{shown} {what}-hour" if shown == "1" else f"{shown} {what}-hours"


def _waits(seconds: Sequence[float]) -> dict[str, Any] | None:
    if not seconds:
        return None
    return {"count": len(seconds), "median": median(seconds), "longest": max(seconds)}


def _machine_words(found: Mapping[str, Any]) -> str:
    """A machine without a batch system has no queue but Diamond's own."""
    if found["pending"]:
        return "This machine is busy: it starts when what runs here leaves room."
    return "It starts at once, if this machine has room."


def _queue_words(found: Mapping[str, Any]) -> str:
    words = []
    if found["nodes_total"]:
        words.append(f"{found['nodes_idle'] or 0} of {found['nodes_total']} nodes are free")
    if found["pending"] is not None:
        words.append("nobody waits" if not found["pending"] else f"{found['pending']} jobs wait")
    text = "; ".join(words)
    if found["waits"]:
        usual = show_span(found["waits"]["median"])
        text = f"{text}. " if text else ""
        text += f"Your last {found['waits']['count']} tasks here waited {usual} (median)"
    return f"{text[:1].upper()}{text[1:]}." if text else "How busy it is, is not known yet."


def show_span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else show_minutes(round(seconds / 60))
