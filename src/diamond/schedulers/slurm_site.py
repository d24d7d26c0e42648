"""What a Slurm site has and allows: the facts of the site profile that Slurm can tell."""

from __future__ import annotations

import os
import re
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from diamond.core.errors import DiamondError
from diamond.schedulers.slurm_accounts import Accounting, read_accounting
from diamond.schedulers.slurm_calls import answer
from diamond.schedulers.slurm_flags import probe_flags
from diamond.schedulers.slurm_history import ask_waits
from diamond.schedulers.slurm_nodes import NODE_FORMAT, NodeGroup, free_of, read_nodes
from diamond.schedulers.slurm_parsing import minutes, pairs

Fact = Dict[str, Any]


def probe() -> Dict[str, Fact]:
    """All facts that Slurm tells; a question that fails leaves its facts out."""
    config = _or(dict, lambda: read_config(answer(["scontrol", "show", "config"])))
    nodes = _or(list, ask_nodes)
    accounting = _or(Accounting, lambda: read_accounting(str(config.get("ClusterName", ""))))
    partitions = _or(list, lambda: ask_partitions(config, nodes, accounting))
    facts: List[Tuple[str, str, Any]] = [
        ("scheduler", "scontrol show config", _or(dict, lambda: _scheduler(config))),
        ("cluster", "scontrol show config", _cluster(config)),
        ("partitions", "scontrol show partition, sinfo", partitions),
        ("accounts", "sacctmgr show user withassoc, sshare", accounting.accounts_fact()),
        ("qos", "sacctmgr show qos", accounting.qos_fact()),
        ("free", "sinfo", _or(dict, lambda: with_pending(free_of(nodes)))),
        ("flags", "sbatch --test-only", _or(dict, lambda: probe_flags(partitions, accounting))),
        ("waits", "sacct", _or(list, ask_waits)),
    ]
    now = time.time()
    return {name: {"value": v, "source": source, "at": now} for name, source, v in facts if v}


def free() -> Dict[str, Any]:
    """The fact `free`, by one question."""
    return {"value": free_of(ask_nodes()), "source": "sinfo", "at": time.time()}


def ask_nodes() -> List[NodeGroup]:
    return read_nodes(answer(["sinfo", "--noheader", "--exact", "-O", NODE_FORMAT]))


def ask_partitions(
    config: Dict[str, str], nodes: List[NodeGroup], accounting: Accounting
) -> List[Dict[str, Any]]:
    lines = answer(["scontrol", "show", "partition", "-o"]).splitlines()
    rows = [pairs(line) for line in lines if line.startswith("PartitionName=")]
    whole = "linear" in config.get("SelectType", "")
    return [partition_fact(row, nodes, accounting, whole=whole) for row in rows]


def partition_fact(
    row: Dict[str, str], nodes: List[NodeGroup], accounting: Accounting, *, whole: bool
) -> Dict[str, Any]:
    name = row["PartitionName"]
    mine = [group for group in nodes if group.partition == name]
    return {
        "name": name,
        "default": row.get("Default") == "YES",
        "state": row.get("State", "UP").lower(),
        "max_minutes": minutes(row.get("MaxTime", "")),
        "default_minutes": minutes(row.get("DefaultTime", "")),
        "max_nodes": _number(row.get("MaxNodes", "")),
        "nodes_total": _number(row.get("TotalNodes", "")) or 0,
        "cpus_per_node": max((group.cpus for group in mine), default=0),
        "memory_mb_per_node": max((group.memory_mb for group in mine), default=0),
        "gpus_per_node": _most_gpus(mine),
        "accounts": accounting.accounts_for(row),
        "qos": accounting.qos_for(row),
        "submit_limit": accounting.submit_limit(row.get("QoS", "")),
        "whole_nodes": whole or row.get("OverSubscribe", "") == "EXCLUSIVE",
    }


def with_pending(free_nodes: Dict[str, Dict[str, int]]) -> Dict[str, Dict[str, int]]:
    """Adds how many jobs wait in each partition; a larger answer, so asked for by a probe only."""
    waiting = answer(["squeue", "--noheader", "-t", "PENDING", "-o", "%P"]).splitlines()
    for name, values in free_nodes.items():
        values["pending"] = sum(name in line.strip().split(",") for line in waiting)
    return free_nodes


def read_config(output: str) -> Dict[str, str]:
    rows = (line.split("=", 1) for line in output.splitlines() if " = " in line)
    return {key.strip(): value.strip() for key, value in rows}


def _scheduler(config: Dict[str, str]) -> Dict[str, str]:
    version = config.get("SLURM_VERSION") or answer(["sbatch", "--version"]).split()[-1]
    return {"name": "slurm", "version": version}


def _cluster(config: Dict[str, str]) -> str:
    hosts = config.get("SlurmctldHost[0]") or config.get("ControlMachine", "")
    host = re.sub(r"\(.*\)$", "", hosts)
    return (
        f"{config['ClusterName']}@{host or os.uname().nodename}" if "ClusterName" in config else ""
    )


def _most_gpus(groups: List[NodeGroup]) -> Dict[str, int]:
    most: Dict[str, int] = {}
    for group in groups:
        for kind, count in group.gpus.items():
            most[kind] = max(most.get(kind, 0), count)
    return most


def _number(said: str) -> Optional[int]:
    return int(said) if said.isdecimal() else None


def _or(empty: Callable[[], Any], question: Callable[[], Any]) -> Any:
    """An answer, or nothing: a site that hides one fact still tells the others."""
    try:
        return question()
    except DiamondError:
        return empty()
