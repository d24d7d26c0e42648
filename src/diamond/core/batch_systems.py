"""What a batch system can do and what its jobs know, so that nobody has to ask for its name."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Dict, Mapping, Tuple

PLACEMENT = ("partition", "account", "qos", "reservation", "constraint")
"""The fields of `core.order.Placement` that a batch system may understand."""


@dataclass(frozen=True)
class BatchAbilities:
    """Part of the site profile (fact `scheduler`). The defaults describe a shared cluster."""

    has_queue: bool = True
    """Jobs wait behind those of other people, so it helps to queue the next attempt early."""
    spans_nodes: bool = True
    """One job can have several nodes."""
    runs_on_this_node: bool = False
    """Jobs run where the agent runs: there is no login node apart from the compute nodes."""
    placement: Tuple[str, ...] = PLACEMENT
    """The fields of a placement that have an effect."""

    @property
    def has_partitions(self) -> bool:
        return "partition" in self.placement

    def data(self) -> Dict[str, Any]:
        """For the site profile."""
        return {**asdict(self), "placement": list(self.placement)}


@dataclass(frozen=True)
class ScriptVariables:
    """How a batch script learns about its own job: shell text, fixed by the adapter."""

    job_id: str
    """An expression for the id that `submit` returned."""
    nodes: str = ""
    """An expression for the names of the job's nodes."""
    restart_count: str = "0"
    """An expression for how often the site has put the job back in the queue."""
    seconds_left: str = ""
    """Commands that print the seconds between the job's start and its time limit."""
    has_nodes: str = ""
    """Commands that fail if job `$1` surely has no nodes; without an answer they succeed. Empty: a job cannot ask."""
    starter: str = ""
    """What starts processes on all nodes of a job: a name known to `launchers.starters`. Empty: a job is one node."""
    at_start: str = ""
    """Commands for the start of the script."""
    before_program: str = ""
    """Commands that hide from the user's program what would lead it astray."""
    names: Tuple[str, ...] = ()
    """Patterns of the variables that the batch system sets in a job (`PBS_*`): a program inside an image sees them too."""


def read_abilities(facts: Mapping[str, Any]) -> BatchAbilities:
    """Those that a site profile states; for a profile from before they were stated, by the name of its batch system."""
    scheduler = facts.get("scheduler")
    if not isinstance(scheduler, Mapping):
        return BatchAbilities()
    stated = scheduler.get("abilities")
    if not isinstance(stated, Mapping):
        return _before_they_were_stated(str(scheduler.get("name") or ""))
    flags = [field.name for field in fields(BatchAbilities) if field.name != "placement"]
    known = {name: stated[name] for name in flags if isinstance(stated.get(name), bool)}
    abilities = replace(BatchAbilities(), **known)
    placement = stated.get("placement")
    if not isinstance(placement, (list, tuple)):
        return abilities
    return replace(abilities, placement=tuple(name for name in PLACEMENT if name in placement))


def with_abilities(facts: Mapping[str, Any]) -> Dict[str, Any]:
    """The same facts; an older profile states its abilities too."""
    scheduler = facts.get("scheduler")
    if not isinstance(scheduler, Mapping) or "abilities" in scheduler:
        return dict(facts)
    return {**facts, "scheduler": {**scheduler, "abilities": read_abilities(facts).data()}}


def _before_they_were_stated(name: str) -> BatchAbilities:
    """The one place that knows a batch system by its name: `local` ran jobs on the agent's own machine."""
    return SINGLE_MACHINE if name == "local" else BatchAbilities()


SINGLE_MACHINE = BatchAbilities(
    has_queue=False, spans_nodes=False, runs_on_this_node=True, placement=()
)
"""A machine without a batch system."""
