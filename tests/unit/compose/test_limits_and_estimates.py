"""What the composer says about a site, from its profile alone."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.compose.estimates import describe_queue, estimate_cost
from diamond.compose.limits import Source, choices_of, limits_of
from diamond.compose.spec import Spec
from diamond.compose.spec_check import EndpointFacts, check, examine
from diamond.compose.spec_writer import written_spec
from diamond.core.order import Placement, Resources

FACTS: dict[str, Any] = {
    "partitions": [
        {
            "name": "a",
            "max_minutes": 90,
            "nodes_total": 8,
            "max_nodes": 4,
            "cpus_per_node": 16,
            "memory_mb_per_node": 1000,
            "gpus_per_node": {"v100": 2},
            "accounts": ["x"],
            "qos": ["debug"],
            "whole_nodes": True,
        },
    ],
    "accounts": [{"name": "x", "qos": ["debug", "long"]}, {"name": "y", "partitions": ["b"]}],
    "qos": [{"name": "debug"}, {"name": "long"}],
}
LOCAL = [EndpointFacts("here", "online", True, {"scheduler": {"name": "local"}})]


def test_limits_come_with_their_source() -> None:
    found = limits_of(FACTS, "a", {"partitions": Source("sinfo", 5.0)})
    assert {name: limit.max for name, limit in found.items()} == {
        "resources.nodes": 4,
        "resources.gpus_per_node": 2,
        "resources.cpus_per_task": 16,
        "resources.memory": 1000,
        "resources.walltime": 90,
    }
    assert found["resources.walltime"].max_text == "1h30m"
    assert found["resources.walltime"].default == "1h"
    assert {limit.source for limit in found.values()} == {"sinfo"}


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert limits_of({}, "", {}) == {}
    assert describe_queue({}, "", None, [])["text"] == "The current load is not known yet."


def test_choices_are_those_that_fit_together() -> None:
    chosen = choices_of(FACTS, "a", "x")
    assert chosen["qos"] == ["debug"]
    assert [(one["name"], one["usable"]) for one in chosen["accounts"]] == [
        ("x", True),
        ("y", False),
    ]
    assert chosen["gpu_types"] == ["v100"]


def test_a_whole_node_is_paid_for_whole() -> None:
    asked = Resources(nodes=2, cpus_per_task=1, walltime_minutes=90)
    cost = estimate_cost(FACTS, Placement(partition="a", account="x"), asked, 3)
    assert (cost["node_hours"], cost["core_hours"], cost["node_hours_at_most"]) == (3.0, 48.0, 9.0)
    assert cost["charge"] is None
    assert "With all 3 attempts: 9 node-hours" in cost["text"]


def test_ones_own_waits_are_told() -> None:
    told = describe_queue({}, "a", None, [10.0, 400.0, 30.0])
    assert told["waits"] == {"count": 3, "median": 30.0, "longest": 400.0}
    assert "waited 30 s (median)" in told["text"]


def test_a_notebook_runs_in_place_of_a_command_with_what_it_needs() -> None:
    order = check({"notebook": "a/b.ipynb", "params": {"x": 1}}, endpoints=LOCAL, code=None).order
    assert order.argv == [
        "python",
        "-m",
        "diamond.training.notebook",
        "a/b.ipynb",
        "executed.ipynb",
    ]
    assert order.environment is not None
    assert order.environment.requirements == ["nbclient", "ipykernel"]
    own = {"notebook": "b.ipynb", "environment": {"requirements": ["ipykernel==6.29", "numpy"]}}
    made = check(own, endpoints=LOCAL, code=None).order.environment
    assert made is not None
    assert made.requirements == ["ipykernel==6.29", "numpy", "nbclient"]


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({}, "run"),
        ({"run": "x", "notebook": "a.ipynb"}, "notebook"),
        ({"notebook": "a.py"}, "notebook"),
        ({"notebook": "../a.ipynb"}, "notebook"),
        ({"notebook": "/a.ipynb"}, "notebook"),
    ],
)
def test_either_a_command_or_a_notebook_in_the_folder(spec: dict[str, Any], field: str) -> None:
    found = examine(spec, endpoints=LOCAL, code=None)
    assert [fault["field"] for fault in found.faults] == [field]


def test_a_spec_as_written_means_the_same() -> None:
    raw = {
        "run": "x",
        "resources": {"memory": 1500, "walltime": "36h"},
        "continue": {"lead": "45s"},
    }
    spec = Spec.model_validate(raw)
    for short in (True, False):
        assert Spec.model_validate(written_spec(spec, without_defaults=short)) == spec
    written = written_spec(spec, without_defaults=True)
    assert written["resources"] == {"memory": "1500MB", "walltime": "1d12h"}
