"""The fields of an allocation that several stages share. What a pilot makes of them is in `allocations.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from diamond.compose.fields import (
    BudgetText,
    Identifier,
    Megabytes,
    Minutes,
    Printable,
    Scalar,
    Seconds,
    SiteWord,
    StrictModel,
    Whole,
)

IDLE_SECONDS = 300
PLACED = ("on", "partition", "account", "qos", "reservation", "constraint", "options", "budget")
"""Fields of a spec that say where it runs and who pays: an allocation has them, not what runs inside."""


class AllocationSpec(StrictModel):
    nodes: Whole = Field(1, ge=1, le=100_000)
    walltime: Minutes = Field(0, description="Such as 4h; default: 1h, or the site's limit")
    cpus_per_node: Whole = Field(0, ge=0, le=4096, description="Default: all that a node has")
    memory: Megabytes = Field(0, description="Per node, such as 64GB; default: the site's own")
    gpus_per_node: Whole = Field(0, ge=0, le=64)
    gpu_type: SiteWord = ""
    on: Printable | list[Printable] = Field(
        "auto", description="An endpoint, or ENDPOINT/PARTITION"
    )
    partition: SiteWord = ""
    account: SiteWord = "auto"
    qos: SiteWord = ""
    reservation: SiteWord = ""
    constraint: SiteWord = ""
    budget: BudgetText | None = Field(None, description="A limit for all of its allocations")
    options: dict[Identifier, dict[Printable, Scalar]] = {}
    idle: Seconds = Field(
        IDLE_SECONDS, description="It is released after so long with nothing to do; default: 5m"
    )


def with_shared(given: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """What stands beside `pipeline:` says where an allocation is, unless it says so itself."""
    return {**{field: shared[field] for field in PLACED if field in shared}, **given}
