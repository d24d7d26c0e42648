"""Default memory for sites that require a memory request: a fair share of a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diamond.compose.faults import Faults
from diamond.compose.site import partition_named
from diamond.core.order import Resources
from diamond.core.units import show_bytes

Facts = Mapping[str, Any]


def with_default_memory(
    facts: Facts, partition: str, asked: Resources, faults: Faults
) -> Resources:
    """The same share of a node's memory as of its cores or GPUs, whichever is larger."""
    if asked.memory_mb or (facts.get("flags") or {}).get("mem") != "requires":
        return asked
    site = partition_named(facts, partition) or {}
    if not site.get("memory_mb_per_node"):
        message = "This site requires a memory request"
        faults.add("resources.memory", message, "Write for example: resources: {memory: 4GB}")
        return asked
    return replace(asked, memory_mb=int(site["memory_mb_per_node"] * _share(site, asked)) or 1)


def memory_note(asked: Resources, given: Resources) -> list[str]:
    if given.memory_mb == asked.memory_mb:
        return []
    size = show_bytes(given.memory_mb * 2**20)
    return [f"memory: {size} (a share of a node), because this site requires a memory request"]


def _share(site: Facts, asked: Resources) -> float:
    gpus = sum((site.get("gpus_per_node") or {}).values())
    of_cores = asked.cpus_per_node / (site.get("cpus_per_node") or asked.cpus_per_node)
    return min(1.0, max(of_cores, asked.gpus_per_node / gpus if gpus else 0.0))
