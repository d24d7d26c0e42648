"""An allocation that several stages share: its fields, and the spec of the pilot that holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from diamond.compose.allocation_spec import PLACED, AllocationSpec
from diamond.compose.faults import Faults, from_validation
from diamond.compose.raw_spec import RawSpec
from diamond.compose.site import machine_limits, partition_named
from diamond.compose.spec_check import Composed
from diamond.core.errors import InvalidSpec
from diamond.core.order import Launch, Pilot, Resources
from diamond.core.units import show_bytes, show_minutes
from diamond.pilots.environment import environment_of

ENGINE = "dask"
CONTINUES_ON = ["exit-75", "wall-time", "preempted", "node-lost"]
"""What is left when an allocation ends is done in the next one."""
_FIELDS = {"resources.cpus_per_task": "cpus_per_node"}
"""What a field of the pilot's spec is called in the allocation, if not by its last part."""


@dataclass(frozen=True)
class Allocation:
    """What was asked for, and the same composed for its endpoint."""

    asked: AllocationSpec
    composed: Composed

    @property
    def resources(self) -> Resources:
        return self.composed.order.resources


def read_allocation(given: Any, where: str, faults: Faults) -> AllocationSpec | None:
    if not isinstance(given, dict):
        faults.add(
            where,
            "An allocation is a mapping of fields",
            f"Write: {where}: {{nodes: 2, walltime: 4h}}",
        )
        return None
    try:
        return AllocationSpec.model_validate(given)
    except ValidationError as error:
        faults.items += from_validation(error, tuple(where.split(".")))
        return None


def compose_allocation(
    asked: AllocationSpec,
    name: str,
    compose: Callable[[RawSpec], Composed],
    facts_of: Callable[[str], Mapping[str, Any]],
    *,
    engine: str = ENGINE,
) -> Allocation:
    """The order of its pilot. Raises `InvalidSpec` with the fields of the allocation."""
    spec = pilot_spec(asked, name)
    try:
        composed = compose(spec)
        facts = facts_of(composed.endpoint)
        if facts.get("pilots") is False:
            raise _switched_off(composed.endpoint)
        cpus = asked.cpus_per_node or _cores(facts, composed.order.placement.partition)
        if cpus > 1 and not asked.cpus_per_node:
            spec["resources"]["cpus_per_task"] = cpus
            composed = compose(spec)
    except InvalidSpec as error:
        raise InvalidSpec(
            error.message, error.hint, faults=[_renamed(fault) for fault in error.faults]
        ) from None
    order = replace(
        composed.order,
        command="",
        argv=[],
        code=None,
        environment=environment_of(engine),
        launch=Launch(),  # one program, on the first node: it starts its own on the others
        pilot=Pilot(asked.idle, engine),
    )
    written = {key: value for key, value in composed.spec.items() if key not in ("run", "code")}
    return Allocation(asked, replace(composed, order=order, spec=written))


def pilot_spec(asked: AllocationSpec, name: str) -> RawSpec:
    """An ordinary spec; its program is replaced by Diamond's own once it is composed."""
    resources: dict[str, Any] = {
        "nodes": asked.nodes,
        "cpus_per_task": asked.cpus_per_node or 1,
        "tasks_per_node": 1,
        "gpus_per_node": asked.gpus_per_node,
        "gpu_type": asked.gpu_type,
    }
    if asked.memory:
        resources["memory"] = f"{asked.memory}MB"
    if asked.walltime:
        resources["walltime"] = f"{asked.walltime}m"
    placed = {field: getattr(asked, field) for field in PLACED if getattr(asked, field)}
    return {
        "name": name,
        "run": "true",
        "launch": "per-rank",
        "resources": resources,
        "continue": {"on": list(CONTINUES_ON)},
        **placed,
    }


def misfits(wanted: Resources, has: Resources) -> Iterator[tuple[str, str, str]]:
    """Field, message and hint for each reason why no node of an allocation has room for a stage."""
    if wanted.nodes > has.nodes:
        yield _more("nodes", f"{wanted.nodes} nodes", f"{has.nodes}")
    if wanted.cpus_per_node > has.cpus_per_node:
        yield _more("cpus_per_task", f"{wanted.cpus_per_node} cores", f"{has.cpus_per_node} a node")
    if has.memory_mb and wanted.memory_mb > has.memory_mb:
        size, room = (show_bytes(mb * 2**20) for mb in (wanted.memory_mb, has.memory_mb))
        yield _more("memory", size, f"{room} a node")
    if wanted.gpus_per_node > has.gpus_per_node:
        yield _more("gpus_per_node", f"{wanted.gpus_per_node} GPUs", f"{has.gpus_per_node} a node")
    if wanted.gpus_per_node and wanted.gpu_type and wanted.gpu_type != has.gpu_type:
        message = f"its allocation asks for GPUs of type {has.gpu_type or 'any'}"
        yield "gpu_type", f"It needs {wanted.gpu_type}, but {message}", "Name the same type there."
    if wanted.walltime_minutes > has.walltime_minutes:
        yield _more(
            "walltime", show_minutes(wanted.walltime_minutes), show_minutes(has.walltime_minutes)
        )


def fits(wanted: Resources, has: Resources) -> bool:
    return not any(misfits(wanted, has))


def _more(field: str, asked: str, has: str) -> tuple[str, str, str]:
    return (
        field,
        f"{asked} is more than its allocation has: {has}",
        "Ask for less, or for a larger allocation.",
    )


def _cores(facts: Mapping[str, Any], partition: str) -> int:
    """Of a node; 1 where nobody knows."""
    site = partition_named(facts, partition) if partition else None
    return int((site or machine_limits(facts)).get("cpus_per_node") or 1)


def _switched_off(endpoint: str) -> InvalidSpec:
    message = f"{endpoint} does not allow pilots: its site switched them off"
    hint = "Leave `together` out there, so that each stage is a job, or choose another endpoint."
    return InvalidSpec(message, hint, faults=[{"field": "on", "message": message, "hint": hint}])


def _renamed(fault: dict[str, str]) -> dict[str, str]:
    field = fault["field"]
    return {**fault, "field": _FIELDS.get(field, field.removeprefix("resources."))}
