"""What a site allows, costs and has free, in sentences for somebody who never saw a cluster."""

from __future__ import annotations

from typing import Any

from diamond.compose.estimates import describe_queue, estimate_cost
from diamond.compose.limits import limits_of
from diamond.core.order import Placement, Resources

LAPTOP: dict[str, Any] = {
    "scheduler": {"name": "local"},
    "cores": 4,
    "memory_mb": 8192,
    "gpus": {},
    "free": {"": {"nodes_idle": 1, "nodes_total": 1, "pending": 0}},
}
CLUSTER: dict[str, Any] = {
    "scheduler": {"name": "slurm"},
    "partitions": [
        {
            "name": "gpu",
            "nodes_total": 8,
            "cpus_per_node": 64,
            "memory_mb_per_node": 262144,
            "gpus_per_node": {"a100": 4},
            "max_minutes": 2880,
        }
    ],
    "free": {"gpu": {"nodes_idle": 3, "nodes_total": 8, "pending": 41}},
}


def words(facts: dict[str, Any], partition: str) -> list[str]:
    return [limit.text for limit in limits_of(facts, partition, {}).values()]


def test_a_machine_speaks_of_itself() -> None:
    assert words(LAPTOP, "") == [
        "Only this machine.",
        "This machine has no GPU.",
        "This machine has 4 cores.",
        "This machine has 8.0 GB.",
        "1h if left empty.",
    ]


def test_a_partition_speaks_of_its_nodes() -> None:
    assert words(CLUSTER, "gpu") == [
        "At most 8 in gpu.",
        "A node of gpu has 4 GPUs.",
        "A node of gpu has 64 cores.",
        "A node of gpu has 256.0 GB.",
        "At most 2d in gpu. 1h if left empty.",
    ]


def test_a_cost_is_a_number_that_can_be_said_aloud() -> None:
    third = Resources(walltime_minutes=20)
    assert estimate_cost(LAPTOP, Placement(), third, 1)["text"] == "At most 0.333 node-hours."
    hour = Resources(walltime_minutes=60)
    assert estimate_cost(LAPTOP, Placement(), hour, 2)["text"] == (
        "At most 1 node-hour. With all 2 attempts: 2 node-hours."
    )


def test_a_machine_has_no_queue_and_a_partition_has_one() -> None:
    assert describe_queue(LAPTOP, "", None, [])["text"].startswith("The task starts immediately")
    assert (
        describe_queue(CLUSTER, "gpu", None, [])["text"]
        == "3 of 8 nodes are free; 41 jobs are waiting."
    )
