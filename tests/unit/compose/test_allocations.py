"""An allocation becomes the order of a pilot; what runs in it must fit."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.compose import EndpointFacts, check
from diamond.compose.allocation_spec import AllocationSpec
from diamond.compose.allocations import Allocation, compose_allocation, fits, misfits
from diamond.core.errors import InvalidSpec
from diamond.core.order import Resources, order_data, order_from

FACTS: dict[str, Any] = {
    "partitions": [
        {"name": "cpu", "default": True, "cpus_per_node": 64, "max_minutes": 600, "max_nodes": 8},
        {"name": "gpu", "cpus_per_node": 32, "gpus_per_node": {"a100": 4}, "max_nodes": 2},
    ],
}


def allocation(facts: Any = None, **asked: Any) -> Allocation:
    known = {**FACTS, **(facts or {})}
    endpoints = [EndpointFacts("delta", "online", True, known)]

    def compose(spec: Any) -> Any:
        return check(spec, endpoints=endpoints, code=None)

    spec = AllocationSpec.model_validate(asked)
    return compose_allocation(spec, "pilot", compose, lambda name: known)


def test_a_pilot_has_whole_nodes_unless_it_asks_for_less() -> None:
    made = allocation(nodes=2, walltime="8h", idle="10m")
    order = made.composed.order
    assert (made.resources.nodes, made.resources.cpus_per_node) == (2, 64)
    assert made.resources.walltime_minutes == 480
    assert order.pilot is not None and order.pilot.idle_seconds == 600
    assert "exit-75" in order.resume.on, "what is left is done in the next allocation"
    assert order_from(order_data(order)) == order
    assert allocation(on="delta/gpu", gpus_per_node=4).resources.cpus_per_node == 32
    assert allocation(cpus_per_node=3).resources.cpus_per_node == 3
    assert allocation({"partitions": []}, nodes=1).resources.cpus_per_node == 1


def test_faults_have_the_names_of_the_allocations_fields() -> None:
    with pytest.raises(InvalidSpec) as error:
        allocation(nodes=9, cpus_per_node=65, walltime="11h")
    assert {fault["field"] for fault in error.value.faults} == {
        "nodes",
        "cpus_per_node",
        "walltime",
    }


def test_a_site_may_switch_pilots_off() -> None:
    with pytest.raises(InvalidSpec, match="switched them off"):
        allocation({"pilots": False})
    assert allocation({"pilots": True})


def test_what_fits_no_node_of_the_allocation_is_named() -> None:
    has = Resources(nodes=2, cpus_per_task=8, memory_mb=1000, gpus_per_node=1, walltime_minutes=60)
    assert fits(Resources(nodes=2, tasks_per_node=4, cpus_per_task=2), has)
    wanted = Resources(
        nodes=3,
        cpus_per_task=9,
        memory_mb=2000,
        gpus_per_node=2,
        gpu_type="a100",
        walltime_minutes=61,
    )
    fields = {field for field, _, _ in misfits(wanted, has)}
    assert fields == {"nodes", "cpus_per_task", "memory", "gpus_per_node", "gpu_type", "walltime"}
