"""`map`: the items of a mapped stage, one step each. Pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from diamond.core.errors import BadRequest
from diamond.pipelines.graph import Axis

MOST_STEPS = 1000
Item = dict[str, Any]
"""The params that one step gets by its map."""


def expand(axes: Sequence[Axis], found: Mapping[str, Sequence[Any]]) -> list[Item]:
    """Every combination, the last axis fastest. `found`: the items of axes that take them from an output."""
    values = [list(found[axis.name]) if axis.source else list(axis.values) for axis in axes]
    count = math.prod(len(some) for some in values)
    if count > MOST_STEPS:
        raise BadRequest(
            f"The map makes {count} steps, but at most {MOST_STEPS} are possible",
            "Let each step do several items.",
        )
    names = [axis.name for axis in axes]
    return [dict(zip(names, some, strict=True)) for some in itertools.product(*values)]


def items_of_value(value: Any, name: str) -> list[Any]:
    """Of a value that must be a list of plain values."""
    if not isinstance(value, list) or any(isinstance(one, (list, dict)) for one in value):
        raise BadRequest(
            f"{name} is not a list of plain values, so nothing can be mapped over it",
            "Write a JSON list of texts or numbers to its file.",
        )
    return value
