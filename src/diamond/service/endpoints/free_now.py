"""What is free on an endpoint now, read from its profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from diamond.service.endpoints.facts import Facts
from diamond.service.endpoints.schemas import Gpus, PartitionNow
from diamond.service.platform.database.rows import value_from


@dataclass(frozen=True)
class _Free:
    """The fact `free` of one partition."""

    nodes_idle: float | None = None
    nodes_total: float | None = None
    gpus_idle: float | None = None
    pending: float | None = None


@dataclass(frozen=True)
class _Partition:
    """The fact `partitions` of one partition, as far as it counts here."""

    name: str
    nodes_total: float | None = None
    gpus_per_node: Mapping[str, int] | None = field(default=None)


def partitions_now(facts: Facts) -> list[PartitionNow]:
    free = {name: value_from(_Free, data or {}) for name, data in (facts.get("free") or {}).items()}
    partitions = _partitions(facts) or [_Partition(name) for name in sorted(free)]
    return [
        _partition_now(partition, free.get(partition.name, _Free())) for partition in partitions
    ]


def gpus_now(facts: Facts) -> Gpus:
    """Free and all GPUs. Partitions often share their nodes: each kind is counted where it is most."""
    kinds = {partition.name: _gpu_kinds(partition) for partition in _partitions(facts)}
    most: dict[str, Gpus] = {}
    for now in partitions_now(facts):
        kind = kinds.get(now.name) or "gpu"
        best = most.get(kind, Gpus(free=0, total=0))
        most[kind] = Gpus(
            free=max(best.free, now.gpus_idle or 0), total=max(best.total, now.gpus_total or 0)
        )
    machine = sum((facts.get("gpus") or {}).values())
    total = max(sum(gpus.total for gpus in most.values()), machine)
    return Gpus(free=min(sum(gpus.free for gpus in most.values()), total), total=total)


def _partitions(facts: Facts) -> list[_Partition]:
    return [value_from(_Partition, data) for data in facts.get("partitions") or []]


def _gpu_kinds(partition: _Partition) -> str:
    return ",".join(sorted(partition.gpus_per_node or {}))


def _partition_now(partition: _Partition, free: _Free) -> PartitionNow:
    nodes = _count(free.nodes_total) or _count(partition.nodes_total)
    gpus = partition.gpus_per_node
    return PartitionNow(
        name=partition.name,
        nodes_idle=_count(free.nodes_idle),
        nodes_total=nodes,
        gpus_idle=_count(free.gpus_idle),
        gpus_total=None if gpus is None else sum(gpus.values()) * (nodes or 0),
        pending=_count(free.pending),
    )


def _count(number: float | None) -> int | None:
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    return int(number) if number is not None and is_number else None
