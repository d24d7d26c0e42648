"""The limits and choices that a site offers for each field of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diamond.compose.site import default_minutes, machine_limits, may_use, partition_named
from diamond.core.batch_systems import read_abilities
from diamond.core.units import show_bytes, show_minutes

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """Where a fact comes from, and when it was learned."""

    words: str
    at: float | None


WALLTIME = "resources.walltime"


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
    """One field with its limit at the site."""

    name: str
    most: int | None
    shown: str
    default: str
    text: str


def limits_of(facts: Facts, partition: str, sources: Mapping[str, Source]) -> dict[str, FieldLimit]:
    """Limits by field name; fields without a known limit are missing."""
    site = partition_named(facts, partition)
    source = sources.get("partitions" if site is not None else "cores", Source("", None))
    shape = site if site is not None else machine_limits(facts)
    sentences = _Sentences(partition if site is not None else "")
    usual = show_minutes(default_minutes(facts, partition))
    return {
        field.name: FieldLimit(
            field.most, field.shown, field.default, field.text, source.words, source.at
        )
        for field in _fields(shape, sentences, usual)
        if field.most is not None or (field.name == WALLTIME and facts)
    }


def choices_of(facts: Facts, partition: str, account: str) -> dict[str, Any]:
    free = facts.get("free") or {}
    site = partition_named(facts, partition) or {}
    gpus = site.get("gpus_per_node") or facts.get("gpus") or {}
    return {
        "scheduler": str((facts.get("scheduler") or {}).get("name") or ""),
        "has_batch_system": not read_abilities(facts).runs_on_this_node,
        "partitions": [
            _partition(facts, partition_facts, free)
            for partition_facts in facts.get("partitions") or []
        ],
        "accounts": [
            _account(facts, account_facts, partition)
            for account_facts in facts.get("accounts") or []
        ],
        "qos": _qos(facts, site, account),
        "gpu_types": sorted(kind for kind, count in gpus.items() if count),
    }


@dataclass(frozen=True)
class _Sentences:
    """Sentences about a partition, or about a machine that has none."""

    partition: str

    def nodes(self, most: int) -> str:
        return f"At most {most} in {self.partition}." if self.partition else "Only this machine."

    def minutes(self, most: str, usual: str) -> str:
        where = f" in {self.partition}" if self.partition else ""
        return (
            f"At most {most}{where}. {usual} if left empty." if most else f"{usual} if left empty."
        )

    def has(self, what: str) -> str:
        node = f"A node of {self.partition}" if self.partition else "This machine"
        return f"{node} has {what}."


def _fields(shape: Facts, sentences: _Sentences, usual: str) -> list[Field]:
    nodes = shape.get("max_nodes") or shape.get("nodes_total")
    cores = shape.get("cpus_per_node")
    memory = shape.get("memory_mb_per_node")
    minutes = shape.get("max_minutes")
    gpus = _most_gpus(shape.get("gpus_per_node"))
    limit = show_minutes(minutes) if minutes else ""
    return [
        Field("resources.nodes", nodes, str(nodes), "1", sentences.nodes(nodes or 0)),
        Field("resources.gpus_per_node", gpus, str(gpus), "0", sentences.has(_gpus(gpus or 0))),
        Field("resources.cpus_per_task", cores, str(cores), "1", sentences.has(f"{cores} cores")),
        Field(
            "resources.memory",
            memory,
            _size(memory),
            "the site's default",
            sentences.has(show_bytes((memory or 0) * 2**20)),
        ),
        Field(WALLTIME, minutes, limit, usual, sentences.minutes(limit, usual)),
    ]


def _most_gpus(kinds: Mapping[str, int] | None) -> int | None:
    return None if kinds is None else max(kinds.values(), default=0)


def _gpus(count: int) -> str:
    return {0: "no GPU", 1: "1 GPU"}.get(count, f"{count} GPUs")


def _partition(facts: Facts, partition_facts: Facts, free: Facts) -> dict[str, Any]:
    accounts = [account["name"] for account in facts.get("accounts") or []]
    now = free.get(partition_facts["name"]) or {}
    return {
        "name": partition_facts["name"],
        "default": bool(partition_facts.get("default")),
        "max_minutes": partition_facts.get("max_minutes"),
        "nodes_total": partition_facts.get("nodes_total"),
        "nodes_idle": now.get("nodes_idle"),
        "gpus_per_node": partition_facts.get("gpus_per_node") or {},
        "usable": not accounts
        or any(may_use(facts, name, partition_facts["name"]) for name in accounts),
    }


def _account(facts: Facts, account_facts: Facts, partition: str) -> dict[str, Any]:
    return {
        "name": account_facts["name"],
        "default": bool(account_facts.get("default")),
        "balance": balance_of(account_facts),
        "unit": str(account_facts.get("unit") or ""),
        "usable": may_use(facts, account_facts["name"], partition),
    }


def balance_of(account: Facts) -> float | None:
    """The account's remaining balance, if the site reports it or the profile was corrected by hand."""
    left = account.get("balance")
    return float(left) if isinstance(left, (int, float)) and not isinstance(left, bool) else None


def _qos(facts: Facts, site: Facts, account: str) -> list[str]:
    """The QoS that both the partition and the account allow, where they list any."""
    own: Facts = next(
        (
            account_facts
            for account_facts in facts.get("accounts") or []
            if account_facts["name"] == account
        ),
        {},
    )
    known = [qos["name"] for qos in facts.get("qos") or []]
    lists = [allowed for allowed in (site.get("qos"), own.get("qos")) if allowed]
    if not lists:
        return known
    return [name for name in lists[0] if all(name in names for names in lists)]


def _size(megabytes: int | None) -> str:
    """Exact, so that it can be copied into a spec."""
    if megabytes is None:
        return ""
    return f"{megabytes // 1024}GB" if megabytes % 1024 == 0 else f"{megabytes}MB"
