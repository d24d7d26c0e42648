"""Whether trials share an allocation, and how large it is. No I/O."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from diamond.core.order import Resources

AUTO, OFF = "auto", "off"
SHORT_SECONDS = 300.0
"""Shorter trials share allocations with `auto`: starting a batch job takes seconds, and waiting for it longer."""
LEAD_SECONDS = 5.0
"""What a pilot has waiting for its slots: longer than the end of a trial and the next one take to come and go."""
MOST_LEAD = 64
HOUR = 60
LONGEST_MINUTES = 4 * HOUR
"""An allocation that asks for more waits longer; a pilot with work left continues in another."""
SPARE = 1.5
"""What is known of trials so far may be short of how long the others take."""


@dataclass(frozen=True)
class Site:
    """Where trials would run; 0 and None where it is not known, or without limit."""

    cores: int = 0
    memory_mb: int = 0
    gpus: int = 0
    most_nodes: int = 0
    most_minutes: int = 0
    most_jobs: int | None = None
    """Of one person, queued and running."""
    whole_nodes: bool = False
    """Jobs are given whole nodes, whatever they ask for."""
    allows_pilots: bool = True


@dataclass(frozen=True)
class Shared:
    """An allocation for several trials."""

    nodes: int
    each: int
    """Trials on each node at the same time."""
    minutes: int

    @property
    def slots(self) -> int:
        return self.nodes * self.each


def median_of(lasted: Sequence[float]) -> float | None:
    recent = sorted(lasted[-50:])
    return recent[len(recent) // 2] if recent else None


def together(
    pack: int | str,
    trial: Resources,
    site: Site,
    *,
    parallel: int,
    lasted: Sequence[float],
) -> int:
    """How many trials share an allocation; 1: each is a batch job of its own."""
    if pack == OFF or trial.nodes > 1 or parallel < 1 or not site.allows_pilots:
        return 1
    if isinstance(pack, int):
        return max(1, min(pack, parallel))
    each = min(fit_on_node(trial, site), parallel)
    usual = median_of(lasted)
    jobs = site.most_jobs
    if jobs is not None and parallel > jobs:
        return min(parallel, math.ceil(parallel / max(1, jobs)))
    if each < 2:
        return 1
    if site.whole_nodes or (usual is not None and usual < SHORT_SECONDS):
        return each
    return 1


def fit_on_node(trial: Resources, site: Site) -> int:
    """How many trials a node has room for; 1 where its size is not known."""
    rooms = [site.cores // trial.cpus_per_node]
    if trial.memory_mb and site.memory_mb:
        rooms.append(site.memory_mb // trial.memory_mb)
    if trial.gpus_per_node:
        rooms.append(site.gpus // trial.gpus_per_node)
    return max(1, min(rooms))


def allocation(
    slots: int, trial: Resources, site: Site, *, lasted: Sequence[float], left: int
) -> Shared:
    """For `slots` trials at the same time; `left` are still to run."""
    each = min(slots, fit_on_node(trial, site)) if site.cores else slots
    nodes = math.ceil(slots / each)
    if site.most_nodes:
        nodes = min(nodes, site.most_nodes)
    return Shared(nodes, each, _minutes(nodes * each, trial, site, lasted, left))


def _minutes(slots: int, trial: Resources, site: Site, lasted: Sequence[float], left: int) -> int:
    """Enough for all that is left, within reason; never less than one trial may take."""
    usual = median_of(lasted)
    each = trial.walltime_minutes if usual is None else usual / 60
    wanted = SPARE * each * math.ceil(max(1, left) / slots)
    least = trial.walltime_minutes
    most = max(LONGEST_MINUTES, 2 * least)
    most = min(most, site.most_minutes or most)
    return max(least, min(most, max(HOUR, math.ceil(wanted))))


def slots_in(has: Resources, trial: Resources) -> int:
    """How many trials an allocation has room for at the same time."""
    rooms = [has.cpus_per_node // trial.cpus_per_node]
    if trial.memory_mb and has.memory_mb:
        rooms.append(has.memory_mb // trial.memory_mb)
    if trial.gpus_per_node:
        rooms.append(has.gpus_per_node // trial.gpus_per_node)
    return has.nodes * max(0, min(rooms))


def lead(slots: int, lasted: Sequence[float]) -> int:
    """How many trials wait in pilots, so that a slot is filled the moment it is free; none for long trials, and one for
    each slot before it is known."""
    usual = median_of(lasted)
    if usual is None:
        return min(MOST_LEAD, slots)
    return min(MOST_LEAD, 2 * slots, math.floor(slots * LEAD_SECONDS / max(usual, 0.1)))
