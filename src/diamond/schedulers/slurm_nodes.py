"""Nodes as `sinfo` lists them: shapes, and what is free now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List

NODE_FORMAT = (
    "PartitionName:128|,StateLong:40|,Nodes:12|,CPUs:12|,CPUsState:40|,Memory:16|,"
    "Gres:240|,GresUsed:240|"
)
_GPU = re.compile(r"(?:^|,)gpu:(?:([^:,()]+):)?(\d+)(?=[(,]|$)")


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of one partition that are alike in everything asked for."""

    partition: str
    state: str
    nodes: int
    cpus: int
    cpus_idle: int
    memory_mb: int
    gpus: Dict[str, int]
    gpus_used: Dict[str, int]

    @property
    def is_idle(self) -> bool:
        return self.state == "idle"

    @property
    def is_up(self) -> bool:
        return self.state in {"idle", "mixed", "allocated", "completing", "planned"}


def read_nodes(output: str) -> List[NodeGroup]:
    rows = ([field.strip() for field in line.split("|")] for line in output.splitlines())
    return [_group(row) for row in rows if len(row) >= 8 and row[2].isdecimal()]


def free_of(groups: List[NodeGroup]) -> Dict[str, Dict[str, int]]:
    """The value of the fact `free`."""
    free: Dict[str, Dict[str, int]] = {}
    for group in groups:
        mine = free.setdefault(
            group.partition, {"nodes_idle": 0, "nodes_total": 0, "cpus_idle": 0, "gpus_idle": 0}
        )
        mine["nodes_total"] += group.nodes
        mine["cpus_idle"] += group.cpus_idle
        mine["nodes_idle"] += group.nodes if group.is_idle else 0
        mine["gpus_idle"] += _gpus_idle(group) if group.is_up else 0
    return free


def read_gpus(gres: str) -> Dict[str, int]:
    """GPUs by type from `gpu:a100:4(S:0-1),gpu:v100:2`; `gpu` where the site names no type."""
    gpus: Dict[str, int] = {}
    for kind, count in _GPU.findall(gres):
        gpus[kind or "gpu"] = gpus.get(kind or "gpu", 0) + int(count)
    return gpus


def _group(row: List[str]) -> NodeGroup:
    partition, state, nodes, cpus, cpus_state, memory, gres, used = row[:8]
    return NodeGroup(
        partition=partition,
        state=_plain_state(state),
        nodes=int(nodes),
        cpus=_number(cpus),
        cpus_idle=_idle(cpus_state),
        memory_mb=_number(memory),
        gpus={kind: count for kind, count in read_gpus(gres).items() if count},
        gpus_used=read_gpus(used),
    )


def _plain_state(said: str) -> str:
    """`mixed-`, `idle~`, `down*` without the marks; `mixed+drain` stays, since it is not up."""
    return re.sub(r"[*~#!%$@^+-]+$", "", said.lower())


def _idle(allocated_idle_other_total: str) -> int:
    parts = allocated_idle_other_total.split("/")
    return _number(parts[1]) if len(parts) == 4 else 0


def _number(said: str) -> int:
    """`16000`, `16000+` (a range) and `1.5K` as sinfo shortens large counts."""
    match = re.match(r"^(\d+(?:\.\d+)?)([KM]?)", said)
    if not match:
        return 0
    return int(float(match.group(1)) * {"": 1, "K": 1000, "M": 1000000}[match.group(2)])


def _gpus_idle(group: NodeGroup) -> int:
    free = sum(group.gpus.values()) - sum(group.gpus_used.values())
    return max(0, free) * group.nodes
