"""What a site allows for each field of a spec, and what one may choose from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diamond.compose.site import default_minutes, machine_limits, may_use, partition_named
from diamond.core.units import show_minutes

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """Where a fact is known from."""

    words: str
    at: float | None


@dataclass(frozen=True)
class FieldLimit:
    max: float | None
    max_text: str
    default: str
    text: str
    source: str
    as_of: float | None


@dataclass(frozen=True)
class Field:
    """One field with what the site says of it."""

    name: str
    most: int | None
    shown: str
    default: str
    what: str


def limits_of(facts: Facts, partition: str, sources: Mapping[str, Source]) -> dict[str, FieldLimit]:
    """By the field's name; a field of which nothing is known is left out."""
    site = partition_named(facts, partition)
    where = f"partition {partition}" if site is not None else "this machine"
    source = sources.get("partitions" if site is not None else "cores", Source("", None))
    shape = site if site is not None else machine_limits(facts)
    fields = _fields(facts, partition, shape)
    return {
        one.name: FieldLimit(
            one.most,
            one.shown,
            one.default,
            f"At most {one.shown} {one.what} {where}",
            source.words,
            source.at,
        )
        for one in fields
        if one.most is not None
    }


def choices_of(facts: Facts, partition: str, account: str) -> dict[str, Any]:
    free = facts.get("free") or {}
    site = partition_named(facts, partition) or {}
    gpus = site.get("gpus_per_node") or facts.get("gpus") or {}
    return {
        "partitions": [_partition(facts, one, free) for one in facts.get("partitions") or []],
        "accounts": [_account(facts, one, partition) for one in facts.get("accounts") or []],
        "qos": _qos(facts, site, account),
        "gpu_types": sorted(kind for kind, count in gpus.items() if count),
    }


def _fields(facts: Facts, partition: str, shape: Facts) -> list[Field]:
    nodes = shape.get("max_nodes") or shape.get("nodes_total")
    memory = shape.get("memory_mb_per_node")
    minutes = shape.get("max_minutes")
    gpus = shape.get("gpus_per_node")
    most_gpus = None if gpus is None else max(gpus.values(), default=0)
    usual = show_minutes(default_minutes(facts, partition))
    return [
        Field("resources.nodes", nodes, str(nodes), "1", "in"),
        Field("resources.gpus_per_node", most_gpus, str(most_gpus), "0", "on a node of"),
        Field(
            "resources.cpus_per_task",
            shape.get("cpus_per_node"),
            str(shape.get("cpus_per_node")),
            "1",
            "on a node of",
        ),
        Field("resources.memory", memory, _size(memory), "the site's default", "on a node of"),
        Field("resources.walltime", minutes, show_minutes(minutes or 0), usual, "in"),
    ]


def _partition(facts: Facts, one: Facts, free: Facts) -> dict[str, Any]:
    accounts = [account["name"] for account in facts.get("accounts") or []]
    now = free.get(one["name"]) or {}
    return {
        "name": one["name"],
        "default": bool(one.get("default")),
        "max_minutes": one.get("max_minutes"),
        "nodes_total": one.get("nodes_total"),
        "nodes_idle": now.get("nodes_idle"),
        "gpus_per_node": one.get("gpus_per_node") or {},
        "usable": not accounts or any(may_use(facts, name, one["name"]) for name in accounts),
    }


def _account(facts: Facts, one: Facts, partition: str) -> dict[str, Any]:
    return {
        "name": one["name"],
        "default": bool(one.get("default")),
        "balance": balance_of(one),
        "unit": str(one.get("unit") or ""),
        "usable": may_use(facts, one["name"], partition),
    }


def balance_of(account: Facts) -> float | None:
    """What is left on it, where the site tells or a person wrote it into the profile."""
    left = account.get("balance")
    return float(left) if isinstance(left, (int, float)) and not isinstance(left, bool) else None


def _qos(facts: Facts, site: Facts, account: str) -> list[str]:
    """Those that both the partition and the account take, where they say which."""
    own: Facts = next((one for one in facts.get("accounts") or [] if one["name"] == account), {})
    known = [one["name"] for one in facts.get("qos") or []]
    lists = [one for one in (site.get("qos"), own.get("qos")) if one]
    if not lists:
        return known
    return [name for name in lists[0] if all(name in names for names in lists)]


def _size(megabytes: int | None) -> str:
    """Exact, so that it may be written into a spec."""
    if megabytes is None:
        return ""
    return f"{megabytes // 1024}GB" if megabytes % 1024 == 0 else f"{megabytes}MB"
