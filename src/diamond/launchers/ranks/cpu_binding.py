"""Gives each rank of a node its own cores, where nothing else has. `share` decides which, without a disk."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, NamedTuple, Sequence

from diamond.launchers.starters.identity import cpus_on_node

SYSTEM = Path("/sys/devices/system")


class CpuPlace(NamedTuple):
    """Where a CPU is: its NUMA node, and its core, by the lowest CPU that shares it."""

    node: int
    core: int


def bind_rank(
    rank: int, ranks: int, given: Mapping[str, str], *, own: Sequence[int] = ()
) -> List[int]:
    """Bind this process, and what it starts, to its share of CPUs. Returns the share, or [] if nothing was changed.

    Only where the CPUs it may use surely belong to the job, and nothing has bound it yet: its parent may use the same.
    `own`: it was just bound to these, which belong to its execution inside a pilot.
    """
    wanted = given.get("DIAMOND_BIND_CPUS", "")
    if not wanted.isdigit() or ranks < 2:
        return []
    with contextlib.suppress(OSError, ValueError, AttributeError):
        allowed = os.sched_getaffinity(0)
        jobs_own = cpus_on_node(given) or ranks * int(wanted)
        is_unbound = len(allowed) <= jobs_own and allowed == os.sched_getaffinity(os.getppid())
        if allowed == set(own) if own else is_unbound:
            mine = share(read_places(allowed), rank, ranks, int(wanted))
            if mine:
                os.sched_setaffinity(0, mine)
            return mine
    return []


def share(places: Mapping[int, CpuPlace], rank: int, ranks: int, cpus: int) -> List[int]:
    """The CPUs of one rank of a node, at least `cpus`; [] if there are too few for all ranks.

    Ranks fill the NUMA nodes evenly, as many on each as its CPUs allow; if possible none spans two.
    Threads of one core go to the same rank while there are enough cores.
    """
    nodes = _by_node(places)
    counts = _spread([sum(map(len, cores)) for cores in nodes], ranks, cpus)
    if not counts:
        nodes, counts = [[core for cores in nodes for core in cores]], [ranks]
    parts = [part for cores, count in zip(nodes, counts) for part in _divide(cores, count, cpus)]
    return parts[rank] if len(parts) == ranks else []


def _by_node(places: Mapping[int, CpuPlace]) -> List[List[List[int]]]:
    """For each NUMA node its cores, for each core its CPUs."""
    nodes: Dict[int, Dict[int, List[int]]] = {}
    for cpu in sorted(places):
        nodes.setdefault(places[cpu].node, {}).setdefault(places[cpu].core, []).append(cpu)
    return [[cores[core] for core in sorted(cores)] for _, cores in sorted(nodes.items())]


def _spread(sizes: Sequence[int], ranks: int, cpus: int) -> List[int]:
    """How many ranks each NUMA node takes, so that each rank has the most CPUs; [] if they do not fit."""
    counts = [0] * len(sizes)
    for _ in range(ranks):
        roomy = [index for index, size in enumerate(sizes) if size >= (counts[index] + 1) * cpus]
        if not roomy:
            return []
        counts[max(roomy, key=lambda index: sizes[index] / (counts[index] + 1))] += 1
    return counts


def _divide(cores: Sequence[List[int]], count: int, cpus: int) -> List[List[int]]:
    """In equal parts, of whole cores if there are enough; [] if even threads are too few."""
    threads = [[cpu] for core in cores for cpu in core]
    for pieces in (cores, threads):
        edges = [len(pieces) * part // count for part in range(count + 1)] if count else []
        parts = [[cpu for piece in pieces[a:b] for cpu in piece] for a, b in zip(edges, edges[1:])]
        if all(len(part) >= cpus for part in parts):
            return parts
    return []


def read_places(cpus: Iterable[int], system: Path = SYSTEM) -> Dict[int, CpuPlace]:
    """A machine that does not say has one NUMA node, and one core for each CPU."""
    nodes = _read_nodes(system)
    return {cpu: CpuPlace(nodes.get(cpu, 0), _core_of(cpu, system)) for cpu in cpus}


def _read_nodes(system: Path) -> Dict[int, int]:
    nodes = {}
    for place in system.glob("node/node[0-9]*/cpulist"):
        with contextlib.suppress(OSError, ValueError):
            node = int(place.parent.name[len("node") :])
            nodes.update(dict.fromkeys(cpu_list(place.read_text()), node))
    return nodes


def _core_of(cpu: int, system: Path) -> int:
    with contextlib.suppress(OSError, ValueError):
        text = (system / f"cpu/cpu{cpu}/topology/thread_siblings_list").read_text()
        return min(cpu_list(text))
    return cpu


def cpu_list(text: str) -> List[int]:
    """`0-2,8` as Linux writes it."""
    cpus: List[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first:
            cpus.extend(range(int(first), int(last or first) + 1))
    return cpus
