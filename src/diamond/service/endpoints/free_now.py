"""What is free on an endpoint now, read from its profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.compose.profile_facts import well_formed_facts
from diamond.service.endpoints.views import effective_facts, show_profile

Facts = Mapping[str, Any]


def facts_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of an endpoint's row in the forms that are known; others count as not known."""
    return well_formed_facts(effective_facts(row))


def fact_time(row: Mapping[str, Any], name: str) -> float | None:
    """When a fact was learned."""
    profile = show_profile(row)
    fact = profile["corrections"].get(name) or profile["facts"].get(name)
    at = fact.get("at") if isinstance(fact, dict) else None
    return float(at) if isinstance(at, (int, float)) else None


def partitions_now(facts: Facts) -> list[dict[str, Any]]:
    free = facts.get("free") or {}
    names = [one["name"] for one in facts.get("partitions") or []]
    shapes = {one["name"]: one for one in facts.get("partitions") or []}
    return [
        _partition_now(name, shapes.get(name, {}), free.get(name) or {})
        for name in names or sorted(free)
    ]


def gpus_now(facts: Facts) -> dict[str, int]:
    """Free and all GPUs. Partitions often share their nodes: each kind is counted where it is most."""
    kinds: dict[str, dict[str, int]] = {}
    for one in partitions_now(facts):
        shape: Facts = next(
            (p for p in facts.get("partitions") or [] if p["name"] == one["name"]), {}
        )
        kind = ",".join(sorted(shape.get("gpus_per_node") or {})) or "gpu"
        best = kinds.setdefault(kind, {"free": 0, "total": 0})
        best["free"] = max(best["free"], one["gpus_idle"] or 0)
        best["total"] = max(best["total"], one["gpus_total"] or 0)
    machine = sum((facts.get("gpus") or {}).values())
    total = max(sum(kind["total"] for kind in kinds.values()), machine)
    return {"free": min(sum(kind["free"] for kind in kinds.values()), total), "total": total}


def _partition_now(name: str, shape: Facts, free: Facts) -> dict[str, Any]:
    nodes = _count(free.get("nodes_total")) or _count(shape.get("nodes_total"))
    gpus = shape.get("gpus_per_node")
    return {
        "name": name,
        "nodes_idle": _count(free.get("nodes_idle")),
        "nodes_total": nodes,
        "gpus_idle": _count(free.get("gpus_idle")),
        "gpus_total": None if gpus is None else sum(gpus.values()) * (nodes or 0),
        "pending": _count(free.get("pending")),
    }


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
